"""Drafts that went out as Word documents, and what comes back of them."""

import copy
import io
import os
import random
from pathlib import Path
from typing import Any

import docx
import pytest
from docx.document import Document
from docx.text.paragraph import Paragraph

from recto.publishing.returns.source_edits import MADE
from recto.publishing.returns.table_rows import A_ROW
from tests.publishing.returned import CoAuthor, bring, brought, draft_of, prepare, send

pytestmark = pytest.mark.anyio

CHANGES = int(os.environ.get("RECTO_RETURNED_CHANGES", "100"))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a draft of a bit of everything."""
    prepare(tmp_path, draft_of(40))
    return tmp_path


async def test_a_document_that_nobody_changed_brings_back_nothing(folder: Path) -> None:
    data, sent = await send(folder)

    author = CoAuthor(data, "", random.Random(1))
    author.rename_style("Heading 1", "HEADING 1")  # as LibreOffice does, in its own letters

    returned = await bring(folder, sent, author.saved())

    assert (returned.plan.changes, returned.comments) == ((), ())
    assert returned.contents.origin == sent.id


async def test_hundreds_of_changes_and_comments_come_back_as_exactly_these(
    tmp_path: Path,
) -> None:
    text = draft_of(CHANGES // 2)
    prepare(tmp_path, text)
    data, sent = await send(tmp_path)
    author = CoAuthor(data, text, random.Random(7))
    words = author.words
    author.chance.shuffle(words)
    assert len(words) > CHANGES
    for at, word in enumerate(words[:CHANGES]):
        match at % 5:
            case 0:
                author.replace(word, f"n{at}")
            case 1:
                author.replace(word, f"n{at}", tracked=True)
            case 2:
                author.insert_after(word, f"beside n{at} there")
            case 3:
                author.comment(word, f"What is {at}?")
            case _:
                author.replace(word, f"n{at} of n{at}")

    returned = await bring(tmp_path, sent, author.saved())

    assert [change for change in returned.plan.changes if change.why] == []
    assert brought(sent, returned) == author.text
    said = [(text[item.start : item.end], item.body) for item in returned.comments]
    assert sorted(said) == sorted(author.comments)


SMALL = """---
title: Tides
csl: apa
---

# Method {#sec:m}

The first sentence stays [@work1, p. 3]. The second has $x^2$ in it, and moves on.

A passage that will be moved elsewhere, with [@work2] in it.

## Data

- one item
- another item

Here is *all* of it.
<!-- kept -->
"""


MOVED = "A passage that will be moved elsewhere, with [@work2] in it.\n\n"
CHANGED = (
    SMALL.replace(MOVED, "")
    .replace("## Data", "### Data")
    .replace("- another", "- a middle item\n- another")
    .replace("Here is", "**Here is**")
    .replace("of it.", 'of it. Costs \\$5 & \\"more\\" \\[here\\] \\* 2_a.')
    .replace("<!-- kept -->\n", f"<!-- kept -->\n\n{MOVED.rstrip()}\n")
)


def element_of(paragraph: Paragraph) -> Any:
    """Its XML, which python-docx can't copy or move."""
    return paragraph._p  # pyright: ignore[reportPrivateUsage]


def paragraph_with(document: Document, words: str) -> Paragraph:
    """The one paragraph with these words."""
    (found,) = [item for item in document.paragraphs if words in item.text]
    return found


async def test_whole_paragraphs_looks_and_signs_come_back_and_what_has_no_place_is_listed(
    tmp_path: Path,
) -> None:
    prepare(tmp_path, SMALL)
    data, sent = await send(tmp_path)
    document = docx.Document(io.BytesIO(data))
    last = paragraph_with(document, "of it.")
    item = element_of(paragraph_with(document, "another item"))
    item.addprevious(copy.deepcopy(item))
    doubled = [one for one in document.paragraphs if one.text == "another item"]
    doubled[0].runs[0].text = "a middle item"
    last.add_run(' Costs $5 & "more" [here] * 2_a.')
    last.runs[0].bold = True
    paragraph_with(document, "Data").style = "Heading 3"
    cited = paragraph_with(document, "The first sentence")
    for run in cited.runs:
        run.text = run.text.replace("1951", "1999")
    element_of(last).addnext(element_of(paragraph_with(document, "will be moved")))
    document.add_comment(cited.runs[0], text="Which one?", author="Ben", initials="B")
    out = io.BytesIO()
    document.save(out)

    returned = await bring(tmp_path, sent, out.getvalue())

    assert brought(sent, returned) == CHANGED
    left = [(item.why, item.old, item.new) for item in returned.plan.changes if item.why]
    assert left == [(MADE, "1951", "1999")]
    (comment,) = returned.comments
    assert SMALL[comment.start : comment.end] == "The first sentence stays"
    assert comment.body == "Ben: Which one?"


TABLE = """# Sites

| Site | *Height* |
|---|---|
| Brest | 4.2 m |
| Newlyn | 3.9 m |
| Lerwick | 1.1 m |

The end.
"""


async def test_rows_of_tables_come_and_go_and_half_a_row_is_told(tmp_path: Path) -> None:
    prepare(tmp_path, TABLE)
    data, sent = await send(tmp_path)
    document = docx.Document(io.BytesIO(data))
    table: Any = document.tables[0]
    rows = [row._tr for row in table.rows]  # python-docx copies no rows
    for place, name in ((3, "Brest | west"), (2, "Vigo")):
        made = copy.deepcopy(rows[place])
        rows[1].addnext(made)
        for cell, text in zip(table.rows[2].cells, (name, f"{place}.5 m"), strict=True):
            cell.paragraphs[0].runs[0].text = text
            for run in cell.paragraphs[0].runs[1:]:
                run.text = ""
    rows[3].getparent().remove(rows[3])
    half = table.rows[1].cells[1].paragraphs[0]
    half.insert_paragraph_before("About")
    out = io.BytesIO()
    document.save(out)

    returned = await bring(tmp_path, sent, out.getvalue())

    told = [(item.why, item.old, item.new) for item in returned.plan.changes]
    assert told == [
        ("", "Lerwick | 1.1 m", ""),
        ("", "", "Vigo | 2.5 m\nBrest | west | 3.5 m"),
        (A_ROW, "", "About"),
    ]
    new = "| Brest | 4.2 m |\n| Vigo | 2.5 m |\n| Brest \\| west | 3.5 m |\n"
    wanted = TABLE.replace("| Brest | 4.2 m |\n", new).replace("| Lerwick | 1.1 m |\n", "")
    assert brought(sent, returned) == wanted
