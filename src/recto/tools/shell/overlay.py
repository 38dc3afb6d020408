"""From the upper layer of an overlay to the changes that a command made.

The upper layer holds what is new or changed, a device 0:0 for what was taken away, and folders
marked opaque where nothing below counts. What was there before is read from the real folder. It
blocks.
"""

import errno
import os
import stat
from collections.abc import Collection, Generator, Iterable
from dataclasses import dataclass, field

from recto.tools.effects import Effect, FileState
from recto.tools.shell.command_result import CommandChanges
from recto.tools.shell.path_states import NotKept, ReadBudget, TooMuch, look, read_state
from recto.workspace import is_protected

OPAQUE = "user.overlay.opaque"
MAX_PATH_BYTES = 3_000  # with the folder in front of it, the system takes 4,096
NAMED = 5
SHOWN = 200
TOO_MUCH = "It changed more than can be kept (512 MB or 100,000 files): nothing was taken over."


@dataclass(slots=True)
class Reading:
    """One look at both layers, and what came of it."""

    upper: str
    lower: str
    since_ns: int
    """What changed in the real folder after this was not done by the command."""
    hidden: Collection[str]
    elsewhere: Collection[str] = ()
    """What is read by itself."""
    budget: ReadBudget = field(default_factory=ReadBudget)
    effects: list[Effect] = field(default_factory=list[Effect])
    clashes: set[str] = field(default_factory=set[str])
    lost: set[str] = field(default_factory=set[str])

    def run(self) -> CommandChanges:
        """Everything the command changed, in an order in which it can be done."""
        try:
            self._read_all()
        except TooMuch:
            return CommandChanges(lost=TOO_MUCH)
        kept = self.clashes | self.lost
        # A folder can't go while something in it stays behind.
        blocked = [effect for effect in self.effects if removes_above(effect, kept)]
        self.lost.update(effect.path for effect in blocked if effect.after)
        effects = in_order(effect for effect in self.effects if effect not in blocked)
        return CommandChanges(effects, tuple(sorted(self.clashes)), say_lost(self.lost))

    def _read_all(self) -> None:
        todo = [("", True)]
        while todo:
            folder, on_folder = todo.pop()
            names = self._names(folder)
            for name in names:
                path = f"{folder}/{name}" if folder else name
                if self._is_ours(path, name):
                    todo += self._read(path, on_folder)
            if on_folder and folder and is_opaque(self._above(folder)):
                self._remove_others(folder, set(names))

    def _names(self, folder: str) -> list[str]:
        above = self._above(folder)
        if os.lstat(above).st_mode & 0o700 != 0o700:
            # The command may have closed its own folders; the upper layer is ours to open.
            os.chmod(above, 0o700)
        return os.listdir(above)

    def _is_ours(self, path: str, name: str) -> bool:
        """Whether the path may be changed by a command at all."""
        if path in self.elsewhere:
            return False
        if path in self.hidden or is_protected(name) or not is_plain(path):
            self.lost.add(path)
            return False
        return True

    def _read(self, path: str, on_folder: bool) -> list[tuple[str, bool]]:
        """Note one entry of the upper layer; answers the folder to go on in, if it is one."""
        above = os.lstat(self._above(path))
        below = look(self._below(path)) if on_folder else None
        # A whiteout: that is how overlayfs writes down a deletion.
        if stat.S_ISCHR(above.st_mode) and above.st_rdev == 0:
            self._remove(path, below)
            return []
        was_folder = below is not None and stat.S_ISDIR(below.st_mode)
        is_folder = stat.S_ISDIR(above.st_mode)
        if was_folder and not is_folder:
            self._remove_others(path, set())
        done = self._note(path, below, above)
        return [(path, was_folder)] if is_folder and done else []

    def _remove(self, path: str, below: os.stat_result | None) -> None:
        """Note that a path was taken away, with all that was in it."""
        if below is None:
            return
        if stat.S_ISDIR(below.st_mode):
            self._remove_others(path, set())
        self._note(path, below, None)

    def _remove_others(self, folder: str, names: Collection[str]) -> None:
        """Note that everything in a folder was taken away, but for these names."""
        todo = [folder]
        while todo:
            inside = todo.pop()
            for name in os.listdir(self._below(inside)):
                path = f"{inside}/{name}"
                below = look(self._below(path))
                if (inside == folder and name in names) or below is None:
                    continue
                if self._is_ours(path, name):
                    self._note(path, below, None)
                    todo += [path] if stat.S_ISDIR(below.st_mode) else []

    def _note(self, path: str, below: os.stat_result | None, above: os.stat_result | None) -> bool:
        """Note a change if it is one; False when it can't be taken over."""
        # By ctime, which no program can set back. A folder's changes with every file in it.
        if below and not stat.S_ISDIR(below.st_mode) and below.st_ctime_ns > self.since_ns:
            self.clashes.add(path)
            return False
        try:
            before = self._state(self._below(path), below)
            after = self._state(self._readable(path, above), above)
        except NotKept:
            self.lost.add(path)
            return False
        if before != after:
            self.effects.append(Effect(path, before, after))
        return True

    def _state(self, path: str, status: os.stat_result | None) -> FileState | None:
        return None if status is None else read_state(path, status, self.budget)

    def _readable(self, path: str, status: os.stat_result | None) -> str:
        """The path in the upper layer, which is ours: a file nobody may read is opened up."""
        above = self._above(path)
        if status and stat.S_ISREG(status.st_mode) and not status.st_mode & 0o400:
            os.chmod(above, 0o600)
        return above

    def _above(self, path: str) -> str:
        return os.path.join(self.upper, path)

    def _below(self, path: str) -> str:
        return os.path.join(self.lower, path)


def is_opaque(path: str) -> bool:
    """Whether nothing of the lower layer counts in a folder."""
    try:
        return os.getxattr(path, OPAQUE, follow_symlinks=False) == b"y"
    except OSError as error:
        if error.errno in {errno.ENODATA, errno.ENOTSUP}:
            return False
        raise


def is_plain(path: str) -> bool:
    """Whether the path can be told to others: Unicode, and not too long."""
    try:
        return len(path.encode("utf-8")) <= MAX_PATH_BYTES
    except UnicodeEncodeError:
        return False


def in_order(effects: Iterable[Effect]) -> tuple[Effect, ...]:
    """What goes goes first, the innermost first; then the rest, folders before what is in them."""
    ordered = sorted(effects, key=by_path)
    gone = [effect for effect in reversed(ordered) if effect.after is None]
    return (*gone, *(effect for effect in ordered if effect.after is not None))


def by_path(effect: Effect) -> list[str]:
    """Parents before what is in them."""
    return effect.path.split("/")


def removes_above(effect: Effect, kept: Collection[str]) -> bool:
    """Whether a folder would go in which something has to stay."""
    was_folder = effect.before is not None and effect.before.kind == "folder"
    is_folder = effect.after is not None and effect.after.kind == "folder"
    return was_folder and not is_folder and any(item.startswith(effect.path + "/") for item in kept)


def say_lost(paths: Collection[str]) -> str:
    """Which paths were not taken over, in a sentence; empty when none."""
    if not paths:
        return ""
    names = list(name_some(paths))
    return f"Not taken over (protected, too large or no ordinary file): {', '.join(names)}."


def name_some(paths: Collection[str]) -> Generator[str]:
    """A few of the paths, then how many more there are."""
    ordered = sorted(paths)
    yield from (name[:SHOWN].encode("utf-8", "replace").decode() for name in ordered[:NAMED])
    if len(ordered) > NAMED:
        yield f"and {len(ordered) - NAMED:,} more"
