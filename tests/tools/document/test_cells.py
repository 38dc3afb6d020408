"""The agent of a notebook edits the words of its cells, where they are selected first."""

import json
from pathlib import Path
from typing import Any

import pytest

from recto.notebooks import joined_cells, parse
from recto.tools import DocumentSelection
from tests.tools.document.desk import Desk, desk_with

pytestmark = pytest.mark.anyio

NOTEBOOK = "fit.ipynb"
CELLS = {
    "head": ("markdown", "# Teh tide"),
    "one": ("code", "x = 1\ny = 2"),
    "two": ("code", "x = 1"),
}


def file_of(cells: dict[str, tuple[str, str]]) -> str:
    found: list[dict[str, Any]] = [
        {
            "cell_type": kind,
            "id": name,
            "metadata": {},
            "source": source.splitlines(keepends=True),
            **({"execution_count": 3, "outputs": []} if kind == "code" else {}),
        }
        for name, (kind, source) in cells.items()
    ]
    file: dict[str, Any] = {"cells": found, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(file, indent=1) + "\n"


def select(desk: Desk, words: str, nth: int = 0) -> None:
    """Select words in the text that pages and server share."""
    text = joined_cells(parse(desk.text.encode()).cells)
    start = -1
    for _ in range(nth + 1):
        start = text.index(words, start + 1)
    desk.selected = DocumentSelection(start, start + len(words), words)


async def test_what_is_selected_is_replaced_in_its_cell_and_every_other_byte_stays(
    root: Path,
) -> None:
    async with desk_with(root, file_of(CELLS), NOTEBOOK) as desk:
        select(desk, "x = 1", nth=1)
        await desk.edit("x = 1", "x = [\n    1\n]")
        assert desk.text == file_of({**CELLS, "two": ("code", "x = [\n    1\n]")})
        await desk.edit("Teh", "The")
        assert '"# The tide"' in desk.text


async def test_an_edit_over_cells_or_of_their_kinds_is_refused(root: Path) -> None:
    async with desk_with(root, file_of(CELLS), NOTEBOOK) as desk:
        for find, new in [("y = 2\n\x1fcode two\n", ""), ("\x1fcode one", "\x1fraw one")]:
            assert "within a single cell" in await desk.fail(
                "edit_document", find=find, replace=new
            )
        assert desk.text == file_of(CELLS)


async def test_a_notebook_is_read_and_searched_by_its_words(root: Path) -> None:
    async with desk_with(root, file_of(CELLS), NOTEBOOK) as desk:
        assert "y = 2" in await desk.say("read_document")
        assert "# Teh tide" in await desk.say("search_document", query="tide")
