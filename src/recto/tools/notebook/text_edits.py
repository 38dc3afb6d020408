"""Text tools on a notebook: what they write becomes changes of its cells, never raw JSON."""

from recto.notebooks import (
    Cell,
    Notebook,
    NotebookBroken,
    NotebookFailure,
    cells_as_in,
    parse,
    set_source,
    split_cells,
)
from recto.tools.editing.passages import find_passages, replace_passages
from recto.tools.notebook.target import SUFFIX
from recto.tools.tool import ToolContext, ToolFailure, ToolOutcome, said
from recto.workspace import PathNotFound, content_hash

MOST_NAMED = 8


async def notebook_there(path: str, context: ToolContext) -> tuple[Notebook, bytes] | None:
    """The notebook at a path and its bytes; None where there is none that can be read."""
    real = await context.workspace.real_path(path)
    if not real.casefold().endswith(SUFFIX):
        return None
    try:
        data = await context.workspace.read_bytes(real)
        return parse(data), data
    except (PathNotFound, NotebookBroken):
        return None


async def write_cells(path: str, wanted: bytes, context: ToolContext) -> ToolOutcome | None:
    """Give a notebook the cells of another one; None where there is no notebook to change."""
    found = await notebook_there(path, context)
    if found is None:
        return None
    notebook, data = found
    try:
        changed = cells_as_in(notebook, parse(wanted))
    except NotebookBroken as failure:
        told = f'"{path}" would not be a notebook: {failure.why}. Use edit_cell to change a cell.'
        raise ToolFailure(told) from failure
    except NotebookFailure as failure:
        raise ToolFailure(str(failure)) from failure
    return await written(path, notebook, changed, data, context)


async def edit_cells(
    path: str, old: str, new: str, context: ToolContext, *, all_of_them: bool
) -> ToolOutcome | None:
    """Replace a passage in the cells of a notebook; None where there is no notebook to change."""
    found = await notebook_there(path, context)
    if found is None:
        return None
    notebook, data = found
    places = [
        (cell, passages.spans)
        for cell in notebook.cells
        if (passages := find_passages(cell.source, old, all_of_them=all_of_them)).spans
    ]
    if not places:
        raise ToolFailure(
            f'No cell of "{path}" has this passage; one must lie within a single cell. '
            "Read the cells with read_notebook, and copy it exactly."
        )
    if not all_of_them and sum(len(spans) for _, spans in places) > 1:
        raise ToolFailure(
            f'"{path}" has this passage more than once, in {named([cell for cell, _ in places])}. '
            "Add the lines around the one you mean, set replace_all, or use edit_cell."
        )
    changed = notebook
    try:
        for cell, spans in places:
            changed = set_source(changed, cell.id, replace_passages(cell.source, spans, new))
    except NotebookFailure as failure:
        raise ToolFailure(str(failure)) from failure
    return await written(path, notebook, changed, data, context)


def with_text(notebook: Notebook, text: str) -> Notebook:
    """The notebook with the sources of its cells as in another form of its shared text."""
    cells = split_cells(text)
    if [(cell.id, cell.kind) for cell in cells] != [
        (cell.id, cell.kind) for cell in notebook.cells
    ]:
        raise ToolFailure(
            "A passage must lie within a single cell, and its new words too: the lines between "
            "cells, each with the kind and the id of a cell, stay."
        )
    for cell, old in zip(cells, notebook.cells, strict=True):
        if cell.source != old.source:
            notebook = set_source(notebook, cell.id, cell.source)
    return notebook


async def written(
    path: str, before: Notebook, after: Notebook, data: bytes, context: ToolContext
) -> ToolOutcome:
    """Write a changed notebook, and say which of its cells are others now."""
    if after.data == data:
        raise ToolFailure(f'No cell of "{path}" would change.')
    await context.files.write(path, after.data, expected_hash=content_hash(data))
    old = {cell.id: cell for cell in before.cells}
    new = {cell.id: cell for cell in after.cells}
    kinds = {
        "Edited": [cell for name, cell in new.items() if name in old and differs(cell, old[name])],
        "Added": [cell for name, cell in new.items() if name not in old],
        "Deleted": [cell for name, cell in old.items() if name not in new],
    }
    told = [f"{did} {named(cells)}." for did, cells in kinds.items() if cells] or ["Moved cells."]
    rest = "Outputs and all that is no cell stay as they were."
    count = sum(map(len, kinds.values()))
    fact = "1 cell" if count == 1 else f"{count} cells"
    return said(
        f"{path} is a notebook, so this was done by cell. {' '.join(told)} {rest}", fact=fact
    )


def differs(one: Cell, other: Cell) -> bool:
    """Whether a cell is another than it was."""
    return one.version != other.version


def named(cells: list[Cell]) -> str:
    """Cells by their ids."""
    names = ", ".join(cell.id for cell in cells[:MOST_NAMED])
    more = f" and {len(cells) - MOST_NAMED} more" if len(cells) > MOST_NAMED else ""
    return f"{'cell' if len(cells) == 1 else 'cells'} {names}{more}"
