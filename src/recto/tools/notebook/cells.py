"""edit_cell, add_cell, delete_cell: changes of a notebook by cell, from what was really read."""

from collections.abc import Callable
from typing import Annotated, Literal

from msgspec import Meta

from recto.notebooks import (
    Notebook,
    Notebooks,
    add_cell,
    check_version,
    delete_cell,
    move_cell,
    parse,
    set_kind,
    set_source,
)
from recto.tools.builtin.new_files import make_folders
from recto.tools.notebook.target import (
    CellId,
    NotebookPath,
    ToolNotebook,
    aim_at,
    open_notebook,
    told_to_model,
)
from recto.tools.schema import Arguments, parameters_of
from recto.tools.tool import Declaration, Tool, ToolContext, ToolFailure, ToolOutcome, said
from recto.workspace import PathChanged, PathNotFound

TRIES = 5
EMPTY = b'{\n "cells": [],\n "metadata": {},\n "nbformat": 4,\n "nbformat_minor": 5\n}\n'
Kind = Literal["code", "markdown", "raw"]
Version = Annotated[str, Meta(description="The version of the cell that you have read.")]
Change = Callable[[Notebook], Notebook]


class EditCell(Arguments, frozen=True):
    """What to change."""

    path: NotebookPath
    cell: CellId
    version: Version
    source: Annotated[str | None, Meta(description="The whole new source.")] = None
    kind: Annotated[Kind | None, Meta(description="Another kind for the cell.")] = None
    place: Annotated[
        Annotated[int, Meta(ge=1)] | None, Meta(description="Move it to this place, from 1.")
    ] = None


class AddCell(Arguments, frozen=True):
    """What to add."""

    path: NotebookPath
    source: Annotated[str, Meta(description="The source of the new cell.")]
    kind: Annotated[Kind, Meta(description="What kind of cell it is.")] = "code"
    after: Annotated[
        str | None, Meta(description="The id of the cell that it follows; else it is the last.")
    ] = None
    place: Annotated[
        Annotated[int, Meta(ge=1)] | None, Meta(description="Or the place it gets, from 1.")
    ] = None


class DeleteCell(Arguments, frozen=True):
    """What to delete."""

    path: NotebookPath
    cell: CellId
    version: Version


def cell_tools(notebooks: Notebooks) -> tuple[Tool, ...]:
    """The three tools."""

    async def edit(asked: EditCell, context: ToolContext) -> ToolOutcome:
        if asked.source is None and asked.kind is None and asked.place is None:
            raise ToolFailure("Nothing is to change. Give source, kind or place.")
        file = await aim_at(asked.path, context)
        changed = await apply(notebooks, file, lambda notebook: edited(notebook, asked))
        cell = changed.cell(asked.cell)
        return said(f"Edited cell {cell.id} of {asked.path}; it is version {cell.version} now.")

    async def add(asked: AddCell, context: ToolContext) -> ToolOutcome:
        new_id = notebooks.new_cell_id()
        file = await aim_at(asked.path, context)
        try:
            changed = await apply(notebooks, file, lambda found: added(found, asked, new_id))
        except PathNotFound:
            changed = await create(notebooks, file, lambda found: added(found, asked, new_id))
        version = changed.cell(new_id).version
        return said(f"Added cell {new_id} (version {version}) to {asked.path}.")

    async def delete(asked: DeleteCell, context: ToolContext) -> ToolOutcome:
        file = await aim_at(asked.path, context)
        await apply(notebooks, file, lambda notebook: deleted(notebook, asked))
        return said(f"Deleted cell {asked.cell} of {asked.path}.")

    return (
        Tool(EDIT_CELL, edit, EditCell, touches=lambda asked: (asked.path,)),
        Tool(ADD_CELL, add, AddCell, touches=lambda asked: (asked.path,)),
        Tool(DELETE_CELL, delete, DeleteCell, touches=lambda asked: (asked.path,)),
    )


def edited(notebook: Notebook, asked: EditCell) -> Notebook:
    """The notebook after an edit. Raises CellChanged."""
    check_version(notebook, asked.cell, asked.version)
    if asked.kind is not None:
        notebook = set_kind(notebook, asked.cell, asked.kind)
    if asked.source is not None:
        notebook = set_source(notebook, asked.cell, asked.source)
    if asked.place is not None:
        notebook = move_cell(notebook, asked.cell, asked.place - 1)
    return notebook


def added(notebook: Notebook, asked: AddCell, new_id: str) -> Notebook:
    """The notebook with one more cell."""
    at = len(notebook.cells) if asked.place is None else asked.place - 1
    if asked.after is not None:
        at = notebook.index(asked.after) + 1
    at = min(at, len(notebook.cells))
    return add_cell(notebook, at, asked.kind, asked.source, new_id=new_id)


def deleted(notebook: Notebook, asked: DeleteCell) -> Notebook:
    """The notebook without a cell. Raises CellChanged, LastCell."""
    check_version(notebook, asked.cell, asked.version)
    return delete_cell(notebook, asked.cell)


async def apply(notebooks: Notebooks, file: ToolNotebook, change: Change) -> Notebook:
    """Change a notebook; once more from the beginning when its file was changed meanwhile."""
    for _ in range(TRIES):
        with told_to_model():
            notebook, data = await open_notebook(notebooks, file)
        with told_to_model(notebook):
            changed = change(notebook)
        try:
            if changed.data != data:
                await file.write(changed.data, based_on=data)
        except PathChanged:
            continue
        notebooks.cells.note(file.key, changed)
        return changed
    raise ToolFailure(f'"{file.path}" is being changed by somebody else. Read it again.')


async def create(notebooks: Notebooks, file: ToolNotebook, change: Change) -> Notebook:
    """Make a notebook that was not there."""
    with told_to_model():
        made = change(parse(EMPTY))
    await make_folders(file.path, file.context)
    await file.context.files.write(file.path, made.data, expected_hash=None)
    notebooks.cells.note(file.key, made)
    return made


EDIT_CELL = Declaration(
    name="edit_cell",
    title="Edit a cell of a notebook; can be undone",
    description=(
        "Change a cell of a Jupyter notebook: its whole source, its kind, or its place. Give the "
        "version that read_notebook showed: when the cell has changed since, the edit is refused "
        "and you get the cell as it is now."
    ),
    parameters=parameters_of(EditCell),
    group="notebooks",
    changes=True,
    main="path",
    doing="Editing",
    done="Edited",
)
ADD_CELL = Declaration(
    name="add_cell",
    title="Add a cell to a notebook; can be undone",
    description=(
        "Add a cell to a Jupyter notebook, at its end unless after or place say otherwise. A "
        "notebook that is not there is made."
    ),
    parameters=parameters_of(AddCell),
    group="notebooks",
    changes=True,
    main="path",
    doing="Editing",
    done="Edited",
)
DELETE_CELL = Declaration(
    name="delete_cell",
    title="Delete a cell of a notebook; can be undone",
    description=(
        "Delete a cell of a Jupyter notebook, though never its only one. Give the version that "
        "read_notebook showed."
    ),
    parameters=parameters_of(DeleteCell),
    group="notebooks",
    changes=True,
    main="path",
    doing="Editing",
    done="Edited",
)
