"""What a sandboxed command may do to the folder's .git: commit, but not plant a program.

git runs programs that its configuration names. So that part stays as it is: read-only where it
exists, and taken away again where it did not.
"""

import os
import stat
from dataclasses import dataclass

import anyio

from recto.processes import find_program, run
from recto.tools.shell.path_states import look

# what git reads its configuration from, or finds programs in
CONTROLS = ("config", "hooks", "config.worktree", "commondir", "modules", "worktrees")
PLANTED = ("hooks", "config.worktree", "commondir")
PACKS = "objects/pack"


@dataclass(frozen=True, slots=True)
class CommandRepository:
    """The .git of a folder before a command. `writable` when it is an ordinary one."""

    path: str
    exists: bool
    writable: bool
    controls: tuple[str, ...]

    def binds(self, *, allow_packs: bool) -> list[str]:
        """How bubblewrap is to show it. Packs hold the history: only a fetch may touch them."""
        if not self.exists:
            return []
        if not self.writable:
            return ["--ro-bind", self.path, self.path]
        kept = [*self.controls, *([] if allow_packs else [PACKS])]
        found = [path for name in kept if os.path.lexists(path := os.path.join(self.path, name))]
        read_only = [part for path in found for part in ("--ro-bind", path, path)]
        return ["--bind", self.path, self.path, *read_only]

    async def take_away_planted(self) -> None:
        """Remove control files that were not there before."""
        paths = await anyio.to_thread.run_sync(self._planted)
        if paths:
            argv = [find_program("rm"), "-rf", "--", *paths]
            await run(argv, cwd="/", timeout_s=60, max_bytes=1000)

    def _planted(self) -> list[str]:
        new = [name for name in PLANTED if self.writable and name not in self.controls]
        return [path for name in new if os.path.lexists(path := os.path.join(self.path, name))]


def find_repository(root: str) -> CommandRepository:
    """Look at a folder's .git. One with links in it is not written to."""
    path = os.path.join(root, ".git")
    status = look(path)
    # A link could lead the command's commits into somebody else's repository.
    if status is None or stat.S_ISLNK(status.st_mode):
        return CommandRepository(path, exists=False, writable=False, controls=())
    found = {name: look(os.path.join(path, name)) for name in (*CONTROLS, "objects", PACKS)}
    is_plain = all(item is None or not stat.S_ISLNK(item.st_mode) for item in found.values())
    controls = tuple(name for name in CONTROLS if found[name])
    return CommandRepository(path, True, is_plain and found["config"] is not None, controls)
