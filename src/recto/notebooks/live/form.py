"""How a notebook's shared text and its file go together: the rest of the file, and new outputs."""

from collections.abc import Callable, Mapping
from typing import Any

from recto.documents import NotInForm
from recto.notebooks.failures import NotebookBroken
from recto.notebooks.file.arrange import WantedOutputs, arranged
from recto.notebooks.file.cell_ids import NamedCells, carried_over
from recto.notebooks.file.notebook import Cell, Notebook, digest, name_cells, parse
from recto.notebooks.live.cells_text import MARK, CellText, laid_out, split_cells

SUFFIX = ".ipynb"
VERSION_LENGTH = 12
NO_OUTPUTS = WantedOutputs((), None)
EMPTY = '{\n "cells": [],\n "metadata": {},\n "nbformat": 4,\n "nbformat_minor": 5\n}\n'
Strips = Callable[[], bool]
"""Whether outputs are left out of the file."""
OnOutside = Callable[[], None]
"""Is told that outputs were changed by somebody else than the kernel."""


class NotebookForm:
    """The file of one live notebook besides its cells' sources."""

    def __init__(self, path: str, strips: Strips = bool) -> None:
        self._path = path
        self._strips = strips
        self._file = parse(EMPTY.encode())
        self._outputs: dict[str, WantedOutputs] = {}
        """What cells answered since the notebook was opened; it counts more than the file's."""
        self._removed: dict[str, str] = {}
        self._revision = 0
        self._saved_revision = 0
        self._written: tuple[str, str, int] | None = None
        self.listeners: set[OnOutside] = set()

    @property
    def notebook(self) -> Notebook:
        """The file as it was read or saved last."""
        return self._file

    @property
    def is_changed(self) -> bool:
        """Whether outputs wait to be saved."""
        return self._revision != self._saved_revision

    def outputs_of(self, cell_id: str) -> WantedOutputs:
        """What a cell has answered."""
        found = self._outputs.get(cell_id)
        if found is not None:
            return found
        for cell in self._file.cells:
            if cell.id == cell_id:
                return WantedOutputs(cell.outputs, cell.execution_count)
        return NO_OUTPUTS

    def set_outputs(self, cell_id: str, outputs: WantedOutputs) -> None:
        """A cell has answered this; it is saved with the notebook."""
        self._outputs[cell_id] = outputs
        self._revision += 1

    def carry_over(self, before: "NotebookForm") -> None:
        """Go on showing what an earlier form of the file did, where the file has no outputs."""
        if self._strips():
            self._outputs = {**before._outputs, **self._outputs}

    def is_text(self, text: str) -> bool:
        """Whether a text is one of cells."""
        return not text or text.startswith(MARK)

    def read(self, content: str, known: str) -> str:
        """The cells of a content as one text, called as those of a known text. Raises NotInForm."""
        return laid_out(self._parsed(content, known).cells, known)

    def adopt(self, content: str, text: str) -> None:
        """The file has this content now."""
        self._take(content, text)
        self._written = None

    def propose(self, content: str, text: str) -> None:
        """Somebody wants this content: all of it that is not text is saved so."""
        self._take(content, text)
        self._revision += 1

    def write(self, text: str) -> str:
        """The content for a text."""
        outputs = self._stripped() if self._strips() else self._outputs
        content = arranged(self._file, split_cells(text), outputs, self._removed)
        self._written = (content, text, self._revision)
        return content

    def saved(self) -> None:
        """What was written last is the file's."""
        if self._written is None:
            return
        content, text, revision = self._written
        wanted = split_cells(text)
        left = {cell.id for cell in wanted}
        for cell in self._file.cells:
            if cell.id not in left:
                self._removed[cell.id] = self._file.text[cell.start : cell.end]
        if content != self._file.text:
            self._file = parse(content.encode(), ids=[cell.id for cell in wanted])
        self._saved_revision = revision
        self._written = None

    def _stripped(self) -> dict[str, WantedOutputs]:
        """What the file shall have of outputs: none. Whoever shows the notebook keeps them."""
        answered = [cell for cell in self._file.cells if answer_of(cell) != (None, ())]
        for cell in answered:
            found = WantedOutputs(cell.outputs, cell.execution_count)
            self._outputs.setdefault(cell.id, found)
        # A cell that comes back is as it was once written.
        return dict.fromkeys([*(cell.id for cell in answered), *self._removed], NO_OUTPUTS)

    def _take(self, content: str, text: str) -> None:
        old = {cell.id: cell for cell in self._file.cells}
        self._file = parse(content.encode(), ids=[cell.id for cell in split_cells(text)])
        for cell in self._file.cells:
            # Somebody else ran it, or cleared it, since we last saw the file.
            if cell.id in old and answer_of(cell) != answer_of(old[cell.id]):
                self._outputs.pop(cell.id, None)
        for listener in list(self.listeners):
            listener()

    def _parsed(self, content: str, known: str) -> Notebook:
        try:
            notebook = parse(content.encode("utf-8", "surrogatepass"))
        except NotebookBroken as failure:
            raise NotInForm(self._path, failure.why) from failure
        if notebook.problem:
            raise NotInForm(self._path, notebook.problem.rstrip("."))
        for number, cell in enumerate(notebook.cells, 1):
            if MARK in cell.source or not is_plain(cell.source):
                raise NotInForm(self._path, f"cell {number} holds a character that is no text")
        if known:
            cells = split_cells(known)
            versions = tuple(map(version_of, cells))
            before = NamedCells(versions, tuple(cell.id for cell in cells))
            carried = carried_over(before, [cell.version for cell in notebook.cells])
            notebook = notebook.with_ids(name_cells(notebook.cells, carried))
        return notebook


def version_of(cell: CellText) -> str:
    """What an edit names as its base, as `Cell.version`."""
    return digest(f"{cell.kind}\n{cell.source}", VERSION_LENGTH)


def answer_of(cell: Cell) -> tuple[int | None, tuple[Mapping[str, Any], ...]]:
    """The number and the outputs of a cell."""
    return cell.execution_count, cell.outputs


def is_plain(text: str) -> bool:
    """Whether a text has bytes in UTF-8: half of a surrogate pair has none."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def notebook_form(path: str, strips: Strips = bool) -> NotebookForm | None:
    """The form of a notebook's file; None for every other file."""
    return NotebookForm(path, strips) if path.casefold().endswith(SUFFIX) else None
