"""delete_file: a file, link or folder taken away; all of it is kept, so that it can be restored."""

from typing import Annotated

from msgspec import Meta

from recto.tools.schema import Arguments, parameters_of
from recto.tools.tool import Declaration, Tool, ToolContext, ToolOutcome, said


class DeleteFile(Arguments, frozen=True):
    """What to delete."""

    path: Annotated[str, Meta(description="The file or folder, relative to the folder.")]


async def run(asked: DeleteFile, context: ToolContext) -> ToolOutcome:
    """Delete it."""
    count = len(await context.workspace.paths_below(asked.path))
    await context.files.remove(asked.path)
    more = "" if count == 1 else f" and the {count - 1:,} in it"
    return said(f"Deleted {asked.path}{more}. The user can restore it.", fact=f"{count:,} deleted")


TOOL = Tool(
    Declaration(
        name="delete_file",
        title="Delete a file or folder; it can be restored",
        description=(
            "Delete a file, or a folder with all that is in it. The user can restore what was "
            "deleted."
        ),
        parameters=parameters_of(DeleteFile),
        group="workspace",
        changes=True,
        asks=True,
        main="path",
        doing="Deleting",
        done="Deleted",
    ),
    run,
    DeleteFile,
    touches=lambda asked: (asked.path,),
    takes_folders=True,
)
