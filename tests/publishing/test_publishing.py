"""Documents made into files: what they show, and what they must not."""

import io
import json
import re
import sys
import zipfile
from contextlib import aclosing
from pathlib import Path

import docx
import pypdf
import pytest

from recto.clock import SystemClock
from recto.processes import can_confine, find_pandoc, held_to, run
from recto.projects import read_publishable
from recto.publishing import (
    CitationPreviews,
    PublishFailed,
    PublishFormat,
    PublishOptions,
    Stage,
    preview,
    publish,
    read_draft,
)
from recto.references import Libraries
from recto.workspace import Workspace
from tests.publishing.drafts import PIXEL, SECRET, cited_draft, library_of

WORKS = 40


async def make(folder: Path, path: str, options: PublishOptions) -> tuple[bytes, tuple[Stage, ...]]:
    """Publish a file of a folder."""
    async with await Workspace.open(str(folder)) as workspace:
        draft = await read_publishable(workspace, path)
        library = await Libraries().open(workspace, document=path)
        steps = publish(workspace, draft, library, options, clock=SystemClock())
        stages: list[Stage] = []
        data = b""
        async with aclosing(steps):
            async for step in steps:
                if isinstance(step, Stage):
                    stages.append(step)
                else:
                    data = step.data
    return data, tuple(stages)


def words_of_pdf(data: bytes) -> str:
    """The text of a PDF, in which lines may be broken anywhere."""
    pages = pypdf.PdfReader(io.BytesIO(data)).pages
    return squeezed("".join(page.extract_text() for page in pages))


def squeezed(text: str) -> str:
    """A text without spaces and hyphens, which differ from format to format."""
    return "".join(sign for sign in text if not sign.isspace() and sign not in "-‐\u00ad")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a library, a draft of 40 citations, a figure, a table and formulas."""
    (tmp_path / "references").mkdir()
    (tmp_path / "references" / "library.bib").write_text(library_of(WORKS))
    (tmp_path / "draft.md").write_text(cited_draft(WORKS))
    (tmp_path / "gauge.png").write_bytes(PIXEL)
    return tmp_path


@pytest.mark.anyio
async def test_a_draft_becomes_pdf_and_docx_with_all_it_cites_as_the_preview_shows_it(
    folder: Path,
) -> None:
    async with await Workspace.open(str(folder)) as workspace:
        library = await Libraries().open(workspace)
        citations = [f"[@work{number}, p. {number}]" for number in range(WORKS)]
        head = cited_draft(WORKS).split("\n\n")[0]
        shown = await CitationPreviews().render(workspace, library, "draft.md", head, citations)
    expected = ["".join(run.text for run in runs) for runs in shown.citations]
    listed = ["".join(run.text for run in runs) for runs in shown.bibliography]
    assert (len(expected), len(listed), shown.unknown) == (WORKS, WORKS, ())
    pdf, stages = await make(folder, "draft.md", PublishOptions("pdf", number_sections=True))
    word, _ = await make(folder, "draft.md", PublishOptions("docx", number_sections=True))
    assert not any(stage.is_warning for stage in stages)
    document = docx.Document(io.BytesIO(word))
    texts = {
        "pdf": words_of_pdf(pdf),
        "docx": squeezed("".join(paragraph.text for paragraph in document.paragraphs)),
    }
    for name, text in texts.items():
        missing = [words for words in [*expected, *listed] if squeezed(words) not in text]
        assert (name, missing) == (name, [])
        for words in ("Figure 1. A gauge", "Table 1. Lengths", "see Figure 1, Table 1, Equation 1"):
            assert squeezed(words) in text, (name, words)
    reader = pypdf.PdfReader(io.BytesIO(pdf))
    root = reader.root_object
    marked = root.raw_get("/MarkInfo").get_object()
    assert (dict(marked)["/Marked"], root["/Lang"]) == (True, "en")
    with zipfile.ZipFile(io.BytesIO(word)) as package:
        assert any(name.startswith("word/media/") for name in package.namelist())


@pytest.mark.anyio
@pytest.mark.parametrize("to", ["html", "latex", "odt", "epub"])
async def test_the_other_formats_hold_the_citations(folder: Path, to: PublishFormat) -> None:
    data, _ = await make(folder, "draft.md", PublishOptions(to))
    if to in ("odt", "epub"):
        with zipfile.ZipFile(io.BytesIO(data)) as package:
            text = "".join(
                package.read(name).decode() for name in package.namelist() if name.endswith("ml")
            )
    else:
        text = data.decode()
    assert "Writer7" in text
    assert "@work7" not in text
    # Numbers are written before pandoc sees the text: they are the same everywhere.
    plain = squeezed(
        re.sub(r"<[^<>]*>|~|\\hyperref\[[^\]]*\]|[{}]", "", text).replace("\u2002", "")
    )
    for words in ("Figure1", "Table1", "Equation1"):
        assert plain.count(words) == (1 if words == "Equation1" else 2), (to, words)


@pytest.mark.anyio
@pytest.mark.parametrize("to", ["pdf", "docx", "html", "latex", "epub"])
async def test_nothing_from_outside_gets_into_the_result(tmp_path: Path, to: PublishFormat) -> None:
    outside = tmp_path / "outside.bib"
    outside.write_text(f"@book{{secret, title={{{SECRET}}}, author={{{SECRET}}}, year=1999}}\n")
    (tmp_path / "secret.png").write_bytes(PIXEL + SECRET.encode())
    (tmp_path / "secret.txt").write_text(SECRET)
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "link.svg").write_text(
        f'<svg xmlns="http://www.w3.org/2000/svg"><image href="{tmp_path}/secret.png"/></svg>'
    )
    head = {
        "title": "Draft",
        "bibliography": str(outside),
        "csl": "apa",
        "header-includes": f"\\input{{{tmp_path}/secret.txt}}",
        "include-before": f"\\input{{{tmp_path}/secret.txt}}",
        "template": f"{tmp_path}/secret.txt",
        "css": f"{tmp_path}/secret.txt",
        "reference-doc": f"{tmp_path}/secret.txt",
    }
    (folder / "draft.md").write_text(
        f"""---
{json.dumps(head)[1:-1].replace(', "', chr(10) + '"')}
---

Cites @secret.

![](../secret.png) ![]({tmp_path}/secret.png) ![](file://{tmp_path}/secret.png) ![](link.svg)

`#read("../secret.txt")`{{=typst}} \\input{{{tmp_path}/secret.txt}} \\include{{../secret.txt}}

```{{=typst}}
#read("{tmp_path}/secret.txt")
```

```{{=html}}
<iframe src="file://{tmp_path}/secret.txt"></iframe>
```

<img src="file://{tmp_path}/secret.png"> <script>alert(1)</script>

::: {{include="{tmp_path}/secret.txt"}}
:::
"""
    )
    data, stages = await make(folder, "draft.md", PublishOptions(to))
    text = words_of_pdf(data).encode() if to == "pdf" else data
    if to in ("docx", "epub"):
        with zipfile.ZipFile(io.BytesIO(data)) as package:
            text = b"".join(package.read(name) for name in package.namelist())
    assert SECRET.encode() not in text
    assert b"<iframe" not in text
    warnings = [stage.words for stage in stages if stage.is_warning]
    assert warnings[0] == "Not in the library: secret"
    assert "link.svg" in warnings[1]


@pytest.mark.anyio
async def test_a_book_is_its_chapters_in_their_order_with_one_count_of_figures(
    tmp_path: Path,
) -> None:
    (tmp_path / "gauge.png").write_bytes(PIXEL)
    (tmp_path / "_book.md").write_text("---\ntitle: The sea\n---\n\n- [One](one.md)\n- two.md\n")
    (tmp_path / "one.md").write_text(
        "# First\n\n![A](gauge.png){#fig:a}\n\nNote.[^1]\n\n[^1]: Yes.\n"
    )
    (tmp_path / "two.md").write_text(
        "# Second\n\n![B](gauge.png){#fig:b}\n\nSee @fig:a and @fig:b. Note.[^1]\n\n[^1]: No.\n"
    )
    data, _ = await make(tmp_path, "_book.md", PublishOptions("pdf", number_sections=True))
    text = words_of_pdf(data)
    places = [text.index(words) for words in ("Thesea", "1First", "Figure1.A", "2Second")]
    assert places == sorted(places)
    assert "SeeFigure1andFigure2." in text
    (tmp_path / "recto.toml").write_text('[book]\nchapters = ["two.md", "one.md"]\n')
    data, stages = await make(tmp_path, "recto.toml", PublishOptions("html"))
    assert data.index(b"Second") < data.index(b"First")
    assert stages[0].words == "Read 2 files of recto.toml and 1 picture"
    (tmp_path / "_book.md").write_text("- gone.md\n")
    with pytest.raises(PublishFailed, match="The chapter gone.md can't be read"):
        await make(tmp_path, "_book.md", PublishOptions())


@pytest.mark.anyio
async def test_a_page_is_drawn_and_what_is_unknown_is_said(folder: Path) -> None:
    async with await Workspace.open(str(folder)) as workspace:
        draft = await read_draft(workspace, "draft.md")
        library = await Libraries().open(workspace)
        picture, pages = await preview(workspace, draft, library, PublishOptions("docx"), 1)
        assert (picture[:4], pages >= 2) == (b"\x89PNG", True)
        with pytest.raises(PublishFailed, match="There is no citation style “nonsense”"):
            await preview(workspace, draft, library, PublishOptions(style="nonsense"), 1)
    with pytest.raises(PublishFailed, match="is no template for this format"):
        await make(folder, "draft.md", PublishOptions("docx", template="draft.md"))


@pytest.mark.anyio
async def test_pandoc_and_python_are_held_to_their_folder_without_the_network(
    tmp_path: Path,
) -> None:
    """Not pandoc's own sandbox: that is left away here, and ours alone must hold."""
    if not await can_confine():
        pytest.skip("This system has no Landlock.")
    secret, own = tmp_path / "secret.md", tmp_path / "own"
    secret.write_text(SECRET)
    own.mkdir()
    (own / "in.md").write_text("inside")
    pandoc = find_pandoc()
    assert pandoc is not None
    code, said = await held(own, pandoc, str(secret))
    assert (code != 0, SECRET.encode() in said) == (True, False)
    assert await held(own, pandoc, str(own / "in.md")) == (0, b"<p>inside</p>\n")
    code, said = await held(own, pandoc, "in.md", "--output", str(tmp_path / "out.html"))
    assert (code != 0, (tmp_path / "out.html").exists()) == (True, False)
    for tries in (f"open({str(secret)!r})", "__import__('socket').socket()"):
        code, said = await held(own, sys.executable, "-I", "-c", tries)
        assert (code != 0, said) == (True, b"")
    assert await held(own, sys.executable, "-I", "-c", "open('in.md'); print(1)") == (0, b"1\n")


async def held(folder: Path, *argv: str) -> tuple[int, bytes]:
    """Run a program that is held to a folder; its exit code, and what it printed."""
    found = await run(held_to(argv, folder), cwd=str(folder), timeout_s=60, max_bytes=10_000)
    return found.code, found.stdout
