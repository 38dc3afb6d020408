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
    SandboxMissing,
)
from recto.notebooks.file.arrange import cells_as_in
from recto.notebooks.file.as_text import (
    AS_TEXT,
    NotebookText,
    error_text,
    is_error,
    joined,
    output_text,
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
from recto.notebooks.file.new_notebook import first_text
from recto.notebooks.file.notebook import Cell, CellKind, Notebook, parse
from recto.notebooks.kernels.execution import CodeRunResult, InputRequest
from recto.notebooks.kernels.outputs import CellOutputs, Displays
from recto.notebooks.kernels.rights import HeldArgv, HeldPlace, KernelRights, KernelRules
from recto.notebooks.live.cell_drafts import WRITING_TOOLS, CellDraft
from recto.notebooks.live.cells_text import joined_cells, split_cells
from recto.notebooks.live.code_help import (
    CodeCompletion,
    CodeCompletions,
    completions_of,
    help_of,
)
from recto.notebooks.live.form import notebook_form
from recto.notebooks.live.live_notebook import LiveNotebook
from recto.notebooks.live.live_notebooks import LiveNotebooks
from recto.notebooks.live.output_views import attached, html_of, picture_of, text_of_output
from recto.notebooks.live.unreviewed import unreviewed_cell, unreviewed_cells
from recto.notebooks.live.variables import Variable, variables_of
from recto.notebooks.notebooks import Notebooks
from recto.notebooks.runs import CellRun, NotebookFile, NotebookRun, code_cells

__all__ = [
    "split_cells",
    "AS_TEXT",
    "WRITING_TOOLS",
    "NotebookText",
    "error_text",
    "is_error",
    "joined",
    "joined_cells",
    "output_text",
    "Cell",
    "CellChanged",
    "CellDraft",
    "CellIds",
    "CellKind",
    "CellOutputs",
    "CellRun",
    "CodeCompletion",
    "CodeCompletions",
    "Displays",
    "HeldArgv",
    "HeldPlace",
    "KernelRights",
    "KernelRules",
    "SandboxMissing",
    "CodeRunResult",
    "InputRequest",
    "KernelDied",
    "KernelFailed",
    "LastCell",
    "LiveNotebook",
    "LiveNotebooks",
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
    "Variable",
    "add_cell",
    "attached",
    "cells_as_in",
    "check_version",
    "code_cells",
    "completions_of",
    "first_text",
    "help_of",
    "delete_cell",
    "html_of",
    "move_cell",
    "notebook_form",
    "parse",
    "picture_of",
    "set_kind",
    "set_outputs",
    "set_source",
    "text_of_output",
    "unreviewed_cell",
    "unreviewed_cells",
    "variables_of",
]
