"""Notebooks: their file byte for byte, their kernels, and running their cells."""

from recto.notebooks.failures import (
    CellChanged,
    KernelDied,
    KernelFailed,
    LastCell,
    NoKernel,
    NoSuchCell,
    NoSuchKernel,
    NotCode,
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
from recto.notebooks.kernels.execution import CodeRunResult, InputRequest
from recto.notebooks.kernels.outputs import CellOutputs, Displays
from recto.notebooks.notebooks import Notebooks
from recto.notebooks.runs import CellRun, NotebookFile, NotebookRun, code_cells

__all__ = [
    "Cell",
    "CellChanged",
    "CellIds",
    "CellKind",
    "CellOutputs",
    "CellRun",
    "Displays",
    "CodeRunResult",
    "InputRequest",
    "KernelDied",
    "KernelFailed",
    "LastCell",
    "NoKernel",
    "NoSuchCell",
    "NoSuchKernel",
    "NotCode",
    "Notebook",
    "NotebookBroken",
    "NotebookFailure",
    "NotebookFile",
    "NotebookReadOnly",
    "NotebookRun",
    "Notebooks",
    "add_cell",
    "check_version",
    "code_cells",
    "delete_cell",
    "move_cell",
    "parse",
    "set_kind",
    "set_outputs",
    "set_source",
]
