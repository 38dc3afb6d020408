"""write_file: a whole file, created or replaced."""

from typing import Annotated

from msgspec import Meta

from recto.tools.builtin.new_files import as_bytes, count_lines, make_folders, refuse_documents
from recto.tools.notebook.guard import check_notebook
from recto.tools.notebook.text_edits import write_cells
from recto.tools.schema import Arguments, parameters_of
from recto.tools.tool import Declaration, Tool, ToolContext, ToolOutcome, said
from recto.workspace import PathNotFound, content_hash


class WriteFile(Arguments, frozen=True):
    """What to write."""

    path: Annotated[str, Meta(description="The file, relative to the folder.")]
    content: Annotated[str, Meta(description="The whole new content.")]


async def run(asked: WriteFile, context: ToolContext) -> ToolOutcome:
    """Write it."""
    refuse_documents(asked.path)
    data = as_bytes(asked.content)
    by_cell = await write_cells(asked.path, data, context)
    if by_cell is not None:
        return by_cell
    try:
        known = content_hash(await context.workspace.read_bytes(asked.path))
    except PathNotFound:
        known = None
    await check_notebook(asked.path, data, context)
    if known is None:
        await make_folders(asked.path, context)
    await context.files.write(asked.path, data, expected_hash=known)
    did = "Created" if known is None else "Replaced"
    return said(f"{did} {asked.path}.", fact=count_lines(asked.content))


TOOL = Tool(
    Declaration(
        name="write_file",
        title="Write a whole file; can be undone",
        description=(
            "Write a whole text file, in UTF-8: a new one, with the folders on the way, or in "
            "place of an old one. To change a part of a file, use edit_file."
        ),
        parameters=parameters_of(WriteFile),
        group="workspace",
        changes=True,
        main="path",
        doing="Writing",
        done="Wrote",
    ),
    run,
    WriteFile,
    touches=lambda asked: (asked.path,),
)
