"""Notebooks: their file byte for byte, their kernels, and running their cells."""

from recto.notebooks.failures import (
    CellChanged,
    LastCell,
    NoSuchCell,
    NotebookBroken,
    NotebookFailure,
    NotebookReadOnly,
)
from recto.notebooks.file.cell_ids import CellIds
from recto.notebooks.file.edits import (
    add_cell,
    check_version,
    delete_cell,
    move_cell,
    set_kind,
    set_outputs,
    set_source,
)
from recto.notebooks.file.notebook import Cell, CellKind, Notebook, parse

__all__ = [
    "Cell",
    "CellChanged",
    "CellIds",
    "CellKind",
    "LastCell",
    "NoSuchCell",
    "Notebook",
    "NotebookBroken",
    "NotebookFailure",
    "NotebookReadOnly",
    "add_cell",
    "check_version",
    "delete_cell",
    "move_cell",
    "parse",
    "set_kind",
    "set_outputs",
    "set_source",
]
