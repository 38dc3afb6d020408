"""Files as a whole: what takes back a deletion, a move, or a change to what is no text."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from recto.reviews.stored_changes import read_state
from recto.storage import Edit, Storage
from recto.tools import Change, Effect, FileState, Moved
from recto.workspace import Workspace


@dataclass(frozen=True, slots=True)
class UnchangedPath:
    """A path that was left as it is, and why."""

    path: str
    words: str
    remedy: str = "Accept the edit, or fix the file by hand."


TakeBack = Callable[[str, str, tuple[Change, ...]], Awaitable[Sequence[UnchangedPath]]]
"""Takes changes back in a project's folder, in the record of a chat, so that this can be undone.

It gets the ids of both; the chat may belong to another project by now. Answers what it left.

Raises a ReviewFailure when it can't begin.
"""


async def changes_of(
    rows: Sequence[Edit], workspace: Workspace, storage: Storage
) -> tuple[Change, ...]:
    """The changes that some edits made, with the folders that went when their files did."""
    found: list[Change] = []
    for row in rows:
        if row.from_path is not None:
            found.append(Moved(row.from_path, row.path))
        else:
            before, after = [await read_state(item, storage) for item in (row.before, row.after)]
            found.append(Effect(row.path, before, after))
    gone = [row.path for row in rows if row.kind == "deleted"]
    return (*found, *await folders_gone(gone, workspace))


async def folders_gone(paths: Sequence[str], workspace: Workspace) -> list[Effect]:
    """The folders that these paths lay in and that are not there any more, the deepest first."""
    names = {
        "/".join(parts[:depth])
        for parts in (path.split("/") for path in paths)
        for depth in range(1, len(parts))
    }
    deepest_first = sorted(names, key=lambda name: (-name.count("/"), name))
    return [
        Effect(name, FileState("folder", mode=0o755), None)
        for name in deepest_first
        if await workspace.state(name) is None
    ]


async def made_file(workspace: Workspace, path: str) -> Effect:
    """That a file was made as it is now."""
    return Effect(path, None, await workspace.state(path))
