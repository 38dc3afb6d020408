"""rename_file: another name in the same folder."""

from typing import Annotated

from msgspec import Meta

from recto.tools.schema import Arguments, parameters_of
from recto.tools.tool import Declaration, Tool, ToolContext, ToolFailure, ToolOutcome, said


class RenameFile(Arguments, frozen=True):
    """What to rename."""

    path: Annotated[str, Meta(description="The file or folder, relative to the folder.")]
    new_name: Annotated[str, Meta(description="Its new name, without a folder.")]


def touches(asked: RenameFile) -> tuple[str, str]:
    """The path, and the one it gets."""
    folder, slash, _ = asked.path.rpartition("/")
    return asked.path, folder + slash + asked.new_name


async def run(asked: RenameFile, context: ToolContext) -> ToolOutcome:
    """Rename it."""
    if "/" in asked.new_name:
        raise ToolFailure("new_name has a folder in it. Use move_file to move a file.")
    path, new_path = touches(asked)
    await context.files.move(path, new_path)
    return said(f"Renamed {path} to {new_path}.", fact=asked.new_name)


TOOL = Tool(
    Declaration(
        name="rename_file",
        title="Rename a file or folder",
        description=(
            "Give a file or folder another name in the same folder. It is an error when the new "
            "name is taken."
        ),
        parameters=parameters_of(RenameFile),
        group="workspace",
        changes=True,
        main="path",
        doing="Renaming",
        done="Renamed",
    ),
    run,
    RenameFile,
    touches=touches,
    takes_folders=True,
)
