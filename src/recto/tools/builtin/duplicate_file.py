"""duplicate_file: a copy beside the original."""

from typing import Annotated

from msgspec import Meta

from recto.tools.schema import Arguments, parameters_of
from recto.tools.tool import Declaration, Tool, ToolContext, ToolFailure, ToolOutcome, said

MAX_COPIES = 1000


class DuplicateFile(Arguments, frozen=True):
    """What to copy."""

    path: Annotated[str, Meta(description="The file, relative to the folder.")]


def copy_name(path: str, number: int) -> str:
    """The path of a copy: `x (copy).md`, `x (copy 2).md`."""
    folder, slash, name = path.rpartition("/")
    stem, dot, ending = name.rpartition(".")
    if not stem:
        stem, dot, ending = name, "", ""
    mark = " (copy)" if number == 1 else f" (copy {number})"
    return f"{folder}{slash}{stem}{mark}{dot}{ending}"


async def run(asked: DuplicateFile, context: ToolContext) -> ToolOutcome:
    """Copy it."""
    data = await context.workspace.read_bytes(asked.path)
    for number in range(1, MAX_COPIES + 1):
        path = copy_name(asked.path, number)
        if await context.workspace.state(path) is None:
            await context.files.write(path, data, expected_hash=None)
            return said(f"Copied {asked.path} to {path}.", fact=path)
    raise ToolFailure(f"There are {MAX_COPIES:,} copies of {asked.path} already.")


TOOL = Tool(
    Declaration(
        name="duplicate_file",
        title="Copy a file beside itself",
        description="Copy a file to the same folder, under a new name such as `x (copy).md`.",
        parameters=parameters_of(DuplicateFile),
        group="workspace",
        changes=True,
        main="path",
        doing="Copying",
        done="Copied",
    ),
    run,
    DuplicateFile,
    touches=lambda asked: (asked.path, copy_name(asked.path, 1)),
)
