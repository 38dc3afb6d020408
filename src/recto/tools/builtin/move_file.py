"""move_file: another place in the folder, with all that is in it."""

from typing import Annotated

from msgspec import Meta

from recto.tools.builtin.new_files import make_folders
from recto.tools.schema import Arguments, parameters_of
from recto.tools.tool import Declaration, Tool, ToolContext, ToolOutcome, said
from recto.workspace import PathExists


class MoveFile(Arguments, frozen=True):
    """What to move."""

    path: Annotated[str, Meta(description="The file or folder, relative to the folder.")]
    new_path: Annotated[
        str, Meta(description="Its whole new path, its name included, relative to the folder.")
    ]


async def run(asked: MoveFile, context: ToolContext) -> ToolOutcome:
    """Move it."""
    await context.workspace.paths_below(asked.path)  # what can't be moved makes no folders
    if await context.workspace.state(asked.new_path) is not None:
        raise PathExists(asked.new_path)
    await make_folders(asked.new_path, context)
    await context.files.move(asked.path, asked.new_path)
    return said(f"Moved {asked.path} to {asked.new_path}.", fact=asked.new_path)


TOOL = Tool(
    Declaration(
        name="move_file",
        title="Move a file or folder",
        description=(
            "Move a file or folder to another path in the folder; folders on the way are made. It "
            "is an error when something is there already."
        ),
        parameters=parameters_of(MoveFile),
        group="workspace",
        changes=True,
        main="path",
        doing="Moving",
        done="Moved",
    ),
    run,
    MoveFile,
    touches=lambda asked: (asked.path, asked.new_path),
    takes_folders=True,
)
