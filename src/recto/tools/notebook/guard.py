"""Keeps tools that write text from writing a notebook's JSON: cells have tools of their own."""

from recto.notebooks import NotebookBroken, parse
from recto.tools.notebook.target import SUFFIX
from recto.tools.tool import ToolContext, ToolFailure
from recto.workspace import PathNotFound

INSTEAD = "Use read_notebook, then edit_cell, add_cell or delete_cell."


async def check_notebook(path: str, data: bytes, context: ToolContext) -> None:
    """Refuse to write text over a notebook, or as one what is none. Raises ToolFailure.

    A file that can't be read as a notebook may be mended, and a whole new one may be made.
    """
    real = await context.workspace.real_path(path)
    if not real.casefold().endswith(SUFFIX):
        return
    try:
        parse(await context.workspace.read_bytes(real))
    except (PathNotFound, NotebookBroken):
        pass
    else:
        raise ToolFailure(f'"{path}" is a notebook, which is changed by cell. {INSTEAD}')
    try:
        parse(data)
    except NotebookBroken as failure:
        told = f'"{path}" would not be a notebook: {failure.why}. Use add_cell to make one.'
        raise ToolFailure(told) from failure
