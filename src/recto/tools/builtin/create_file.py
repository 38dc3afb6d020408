"""create_file: a new file, never in place of another."""

from typing import Annotated

from msgspec import Meta

from recto.tools.builtin.new_files import as_bytes, count_lines, make_folders, refuse_documents
from recto.tools.notebook.guard import check_notebook
from recto.tools.schema import Arguments, parameters_of
from recto.tools.tool import Declaration, Tool, ToolContext, ToolOutcome, said
from recto.workspace import PathExists


class CreateFile(Arguments, frozen=True):
    """What to create."""

    path: Annotated[str, Meta(description="The new file, relative to the folder.")]
    content: Annotated[str, Meta(description="Its content; empty when left out.")] = ""


async def run(asked: CreateFile, context: ToolContext) -> ToolOutcome:
    """Create it."""
    refuse_documents(asked.path)
    data = as_bytes(asked.content)
    if await context.workspace.state(await context.workspace.real_path(asked.path)) is not None:
        raise PathExists(asked.path)
    await check_notebook(asked.path, data, context)
    await make_folders(asked.path, context)
    await context.files.write(asked.path, data, expected_hash=None)
    return said(f"Created {asked.path}.", fact=count_lines(asked.content))


TOOL = Tool(
    Declaration(
        name="create_file",
        title="Create a new file",
        description=(
            "Create a new text file, in UTF-8, with the folders on the way. It is an error when "
            "the file exists; use write_file to replace it."
        ),
        parameters=parameters_of(CreateFile),
        group="workspace",
        changes=True,
        main="path",
        doing="Creating",
        done="Created",
    ),
    run,
    CreateFile,
    touches=lambda asked: (asked.path,),
)
