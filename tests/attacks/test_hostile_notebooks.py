"""Notebooks made to take the server's memory and time: refused in words, before they do."""

import json
from pathlib import Path

import pytest

from recto.documents import NotInForm
from recto.notebooks import NotebookBroken, parse
from recto.notebooks.live.form import NotebookForm
from tests.growth import is_linear


def book(cells: str, metadata: str = "{}") -> bytes:
    text = f'{{"cells": {cells}, "metadata": {metadata}, "nbformat": 4, "nbformat_minor": 5}}'
    return text.encode()


def code(source: str = '""', outputs: str = "[]") -> str:
    return f'{{"cell_type": "code", "source": {source}, "outputs": {outputs}}}'


def many(item: str, count: int) -> str:
    return f"[{','.join([item] * count)}]"


HOSTILE = {
    "values": (book("[]", f'{{"a": {many("[]", 800_000)}}}'), "more than 1,500,000 values"),
    "lines": (book(f"[{code(many('0', 100_001))}]"), "more than 100,000 items"),
    "outputs": (book(f"[{code(outputs=many('{}', 100_001))}]"), "more than 100,000 items"),
    "cells": (book(many(code(), 20_001)), "more than 20,000 cells"),
    "parts": (book(many(code(many('""', 70_000)), 3)), "more than 200,000 cells, lines"),
    "depth": (book("[" * 100_000), "nested too deeply"),
    "depth of an output": (book(f"[{code(outputs='[' + '[' * 100_000)}]"), "nested too deeply"),
    "a number": (book("[]", f'{{"a": {"9" * 200_000}}}'), ""),
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_what_is_too_much_is_refused_in_words(kind: str, tmp_path: Path) -> None:
    """Also where the server itself reads it: as a live notebook in the page."""
    data, why = HOSTILE[kind]
    (tmp_path / "a.ipynb").write_bytes(data)
    if not why:
        assert parse(data).cells == ()
        return
    with pytest.raises(NotebookBroken, match=why):
        parse(data)
    with pytest.raises(NotInForm, match=why):
        NotebookForm("a.ipynb").read(data.decode(), "")


def test_equal_cells_are_named_in_time_that_grows_with_their_number() -> None:
    def work(size: int) -> None:
        names = [cell.id for cell in parse(book(many(code(), size))).cells]
        assert len(set(names)) == size

    assert is_linear(work, 250)


def test_an_ordinary_large_notebook_is_read() -> None:
    figure = json.dumps({"data": {"application/json": list(range(200_000))}})
    large = parse(book(f"[{code(many(json.dumps('x = 1'), 20_000), f'[{figure}]')}]"))
    assert len(large.cells[0].source) == 20_000 * 5
