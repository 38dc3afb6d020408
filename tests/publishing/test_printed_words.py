"""The words that Recto itself prints are in the language of the document."""

import re
from pathlib import Path

import pytest

from recto.publishing import PublishOptions
from recto.publishing.printed_words import WORDS, PrintedWords, printed_words
from tests.publishing.test_publishing import make

DRAFT = """---
title: Tides
lang: {language}
---

# Words {{#sec:a}}

See @fig:gauge [left], [cf. @tbl:len, top] and [@tbl:len; @eq:sum; @sec:a], as [@work1] says.

![A gauge](gauge.png){{#fig:gauge}}

| a | b |
|---|---|
| 1 | 2 |

: Lengths. {{#tbl:len}}

$$h = 1$$ {{#eq:sum}}
"""
LIBRARY = "@book{work1, author={Writer, Anna}, title={Volume}, year={1951}}\n"


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("language", "said"),
    [
        (
            "de",
            ("Abbildung 1.", "Tabelle 1.", "Tabelle 1, Gleichung 1 und Abschnitt 1", ">Literatur<"),
        ),
        ("pt-BR", ("Figura 1.", "Tabela 1.", "Tabela 1, Equação 1 e Seção 1", ">Referências<")),
        ("eo", ("Figure 1.", "Table 1.", "Table 1, Equation 1 and Section 1", ">References<")),
    ],
)
async def test_a_document_speaks_its_own_language(
    tmp_path: Path, language: str, said: tuple[str, ...]
) -> None:
    (tmp_path / "references").mkdir()
    (tmp_path / "references" / "library.bib").write_text(LIBRARY)
    (tmp_path / "draft.md").write_text(DRAFT.format(language=language))
    (tmp_path / "gauge.png").write_bytes(b"")
    data, _ = await make(tmp_path, "draft.md", PublishOptions("html", number_sections=True))
    text = re.sub(r"</?(?:a|strong)\b[^>]*>", "", data.decode()).replace("\u00a0", " ")
    text = " ".join(text.replace("&nbsp;", " ").split())
    assert [words for words in said if words not in text] == []


@pytest.mark.anyio
async def test_words_around_a_reference_keep_their_space(tmp_path: Path) -> None:
    (tmp_path / "draft.md").write_text(DRAFT.format(language="en").replace("[@work1]", "Pugh"))
    (tmp_path / "gauge.png").write_bytes(b"")
    data, _ = await make(tmp_path, "draft.md", PublishOptions("html"))
    text = re.sub(r"<[^<>]*>", "", data.decode()).replace("\u00a0", " ").replace("&nbsp;", " ")
    assert "See Figure 1 left, cf. Table 1, top and" in " ".join(text.split())


def test_the_page_shows_the_words_that_are_printed() -> None:
    page = Path(__file__).parents[2] / "web" / "src" / "editor" / "citing" / "printed-words.ts"
    shown = page.read_text(encoding="utf-8")
    assert [words for words in WORDS.values() if f'"{words}"' not in shown] == []


def test_languages_are_known_by_any_of_their_tags() -> None:
    for tag, word in (("DE_at", "Abbildung"), ("zh-Hans", "图"), ("no", "Figur"), ("", "Figure")):
        assert printed_words(tag).fig == word
    assert all(len(words.split("|")) == len(PrintedWords._fields) for words in WORDS.values())
