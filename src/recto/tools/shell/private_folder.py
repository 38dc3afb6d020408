"""A folder of our own for one command: its layers, its /tmp, its mark.

It is gone afterwards, whatever the command put there.
"""

import os
import tempfile
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass

import anyio

from recto.processes import ProcessFailure, find_program, run, shielded
from recto.tools.shell.limits import make_group

REMOVE = (
    'rm -rf -- "$1" 2>/dev/null || { chmod -R u+rwX -- "$1" && rm -rf -- "$1"; } || exit 1;'
    ' [ -z "$2" ] || rmdir -- "$2"'
)
REMOVE_S = 300


class NotRemoved(ProcessFailure):
    """A private folder is still there."""

    def __init__(self, path: str, why: str) -> None:
        super().__init__(f"The temporary folder {path} is still there: {why}.", "Remove it.")


@dataclass(frozen=True, slots=True)
class PrivateFolder:
    """A new empty folder that only we can enter."""

    path: str
    group: str | None
    """Where the system counts the command's processes, if it does."""

    @property
    def mark(self) -> str:
        """A name that nothing else has."""
        return os.path.basename(self.path)

    def inside(self, name: str) -> str:
        """A path in it."""
        return os.path.join(self.path, name)


@asynccontextmanager
async def private_folder() -> AsyncGenerator[PrivateFolder]:
    """Make one; leaving the block, however, removes it with all that is in it."""
    # Cut off after it was made, nobody would remove it.
    private = await shielded(anyio.to_thread.run_sync(make))
    try:
        yield private
    finally:
        await shielded(remove(private))


def make() -> PrivateFolder:
    """A new folder with a real path, and a group of the same name."""
    path = os.path.realpath(tempfile.mkdtemp(prefix="recto-"))
    return PrivateFolder(path, make_group(os.path.basename(path)))


async def remove(private: PrivateFolder) -> None:
    """Remove a tree of any depth, also what its owner may not enter. Raises NotRemoved."""
    # rm copes with any depth; Python's own rmtree recurses, and stops at closed folders.
    argv = [find_program("sh"), "-c", REMOVE, "sh", private.path, private.group or ""]
    done = await run(argv, cwd="/", timeout_s=REMOVE_S, max_bytes=1000)
    if done.code:
        raise NotRemoved(
            private.path, done.stderr.decode("utf-8", "replace").strip() or "unknown reason"
        )
