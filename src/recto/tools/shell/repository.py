"""The folder's .git: commands see it under the overlay, and what they did there is taken over.

git runs programs that its configuration names, and obeys hooks, modules and lists of steps. So only
what belongs to commits, branches and fetches is routine; whatever else changed is for a person to
agree to. Objects are only ever added: the history outlives any command.
"""

import os
import re
import stat
from collections.abc import Sequence
from dataclasses import dataclass

import anyio

from recto.processes import ProcessFailure, find_program, run
from recto.tools.effects import Effect
from recto.tools.patterns import like
from recto.tools.shell.path_states import look
from recto.workspace import Workspace, WorkspaceFailure

FOLDER = ".git"
CONFIG = "config"
OBJECTS = "objects/"
# objects of another place would be read from there
BORROWED = ("objects/info/alternates", "objects/info/http-alternates")
ROUTINE = (
    "objects", "objects/*", "refs", "refs/*", "logs", "logs/*", "reftable", "reftable/*", "index",
    "packed-refs", "shallow", "HEAD", "ORIG_HEAD", "FETCH_HEAD", "MERGE_*", "AUTO_MERGE",
    "CHERRY_PICK_HEAD", "REVERT_HEAD", "SQUASH_MSG", "*_EDITMSG", "info", "info/refs", "gc.log",
)  # fmt: skip
# what would lead out of the repository if it were a link
PARTS = ("config", "hooks", "config.worktree", "commondir", "modules", "objects", "refs", "logs")
HARMLESS = re.compile(
    r"core\.(repositoryformatversion|filemode|bare|ignorecase|symlinks|autocrlf|eol|safecrlf"
    r"|precomposeunicode|trustctime|checkstat|logallrefupdates|quotepath)"
    r"|extensions\.(objectformat|refstorage)|user\.(name|email)|init\.defaultbranch"
    r"|branch\..*\.(remote|merge|rebase)|remote\..*\.(url|pushurl|fetch|push)"
    r"|pull\.(rebase|ff)|push\.default|merge\.conflictstyle|diff\.(algorithm|renames)|color\..*",
    re.DOTALL,
)
READ_S = 10
MAX_CONFIG_BYTES = 1_000_000


@dataclass(frozen=True, slots=True)
class RepositoryChanges:
    """What a command did in .git; paths are relative to it."""

    path: str = ""
    effects: tuple[Effect, ...] = ()

    def controls(self) -> tuple[Effect, ...]:
        """What git would run or obey: for a person to agree to."""
        return tuple(effect for effect in self.effects if not is_routine(effect.path))

    async def take_over(self, *, only_objects: bool = False) -> tuple[str, ...]:
        """Make the changes, objects first; answers the paths at which something else is by now."""
        todo = [effect for effect in self.effects if not only_objects or is_object(effect.path)]
        if not todo:
            return ()
        left: list[str] = []
        async with await Workspace.open(self.path) as repository:
            for effect in sorted(todo, key=lambda effect: not is_object(effect.path)):
                try:
                    await repository.change(effect.path, effect.before, effect.after)
                except WorkspaceFailure:
                    left.append(f"{FOLDER}/{effect.path}")
        return tuple(left)


def is_routine(path: str) -> bool:
    """Whether a path of .git holds commits, branches and what stands beside them."""
    return path not in BORROWED and any(like(form, path) for form in ROUTINE)


def is_object(path: str) -> bool:
    """Whether a path of .git is a piece of the history, or a folder of such."""
    return f"{path}/".startswith(OBJECTS) and path not in BORROWED


def is_taken_over(effect: Effect) -> bool:
    """Whether a change is one at all: no lock of a command that is gone, no loss of history."""
    if effect.path.endswith(".lock"):
        return False
    return not is_object(effect.path) or effect.before is None


def is_plain_repository(root: str) -> bool:
    """Whether a folder has a .git of its own that can be written to: one without links."""
    path = os.path.join(root, FOLDER)
    status = look(path)
    if status is None or not stat.S_ISDIR(status.st_mode):
        return False
    found = {name: look(os.path.join(path, name)) for name in PARTS}
    # A link could lead the command's commits into somebody else's repository.
    links = any(item is not None and stat.S_ISLNK(item.st_mode) for item in found.values())
    return found[CONFIG] is not None and not links


async def harmless_config(root: str) -> bytes | None:
    """A repository's configuration without what names programs; None when there is none."""
    path = os.path.join(root, FOLDER, CONFIG)
    if not await anyio.to_thread.run_sync(is_plain_repository, root):
        return None
    try:
        argv = [find_program("git"), "config", "--no-includes", "--file", path, "--null", "--list"]
        said = await run(argv, cwd="/", timeout_s=READ_S, max_bytes=MAX_CONFIG_BYTES)
    except ProcessFailure:
        return b""  # without git nobody reads it either
    pairs = [item.partition(b"\n") for item in said.stdout.split(b"\0") if item]
    kept = [(key, value) for key, _, value in pairs if HARMLESS.fullmatch(os.fsdecode(key))]
    return b"".join(written(key, value) for key, value in kept)


def written(key: bytes, value: bytes) -> bytes:
    """A setting as the file of a configuration has it."""
    section, _, rest = key.partition(b".")
    within, _, name = rest.rpartition(b".")
    head = b'[%s "%s"]' % (section, quoted(within)) if within else b"[%s]" % section
    return b'%s\n\t%s = "%s"\n' % (head, name, quoted(value).replace(b"\n", b"\\n"))


def quoted(text: bytes) -> bytes:
    """A text between quotes."""
    return text.replace(b"\\", b"\\\\").replace(b'"', b'\\"')


def named(effects: Sequence[Effect]) -> list[str]:
    """The paths of effects, as people see them."""
    return [f"{FOLDER}/{effect.path}" for effect in effects]
