"""The folder before and after a command that runs in it: what it changed, and what is not covered.

Looks at files that are not ignored, and at links and folders beside them. Contents are kept before
the command runs, because afterwards they would be gone. It blocks.
"""

import os
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from recto.tools.effects import Effect, FileState
from recto.tools.shell.command_result import CommandChanges
from recto.tools.shell.overlay import in_order, is_plain, name_some
from recto.tools.shell.path_states import NotKept, ReadBudget, TooMuch, look, read_state
from recto.workspace import is_protected

MAX_KEPT_FILE_BYTES = 8_000_000
MAX_KEPT_BYTES = 256_000_000
MANY = 1_000_000
Stamp = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A folder at one moment. What is in `stamps` but not in `states` could not be kept."""

    root: str
    stamps: dict[str, Stamp]
    states: dict[str, FileState]
    complete: bool
    since_ns: int
    """What was there earlier is not the command's, even if it was not seen."""

    def not_covered(self) -> str:
        """What can't be undone, in plain words."""
        said = "Ignored files and .git are not covered: what a command does there can't be undone."
        large = self.stamps.keys() - self.states.keys()
        if large:
            said += f" Nor are large or unreadable files: {', '.join(name_some(large))}."
        if not self.complete:
            said += " The folder has more files than are looked at."
        return said

    def compare(self, names: Sequence[str]) -> CommandChanges:
        """What is different now, with the names that there are now."""
        budget = ReadBudget()
        effects: list[Effect] = []
        lost: list[str] = []
        try:
            for path in sorted({*self.stamps, *seen(self.root, names)}):
                status = look(os.path.join(self.root, path))
                if self._is_changed(path, status):
                    effects += self._effect(path, status, budget, lost)
        except TooMuch:
            return CommandChanges(
                lost="It changed more than can be kept: none of it can be undone."
            )
        said = f"Changes that can't be undone: {', '.join(name_some(lost))}." if lost else ""
        return CommandChanges(in_order(effects), lost=said)

    def _is_changed(self, path: str, status: os.stat_result | None) -> bool:
        known = self.stamps.get(path)
        if status is None or known is not None:
            return known != (None if status is None else stamp(status))
        # Not seen before, but perhaps there: a file that was ignored until now is not new.
        return status.st_ctime_ns > self.since_ns or self._is_in_new_folder(path)

    def _is_in_new_folder(self, path: str) -> bool:
        """Whether a folder above is new: what is moved along with it keeps its own times."""
        above = path.rpartition("/")[0]
        while above and above not in self.stamps:
            status = look(os.path.join(self.root, above))
            if status and status.st_ctime_ns > self.since_ns:
                return True
            above = above.rpartition("/")[0]
        return False

    def _effect(
        self, path: str, status: os.stat_result | None, budget: ReadBudget, lost: list[str]
    ) -> list[Effect]:
        """The change of one path, none if only its times changed; adds to `lost` what is none."""
        before = self.states.get(path)
        try:
            if before is None and path in self.stamps:
                raise NotKept(path)
            full = os.path.join(self.root, path)
            after = None if status is None else read_state(full, status, budget)
        except NotKept:
            lost.append(path)
            return []
        return [] if before == after else [Effect(path, before, after)]


def take_snapshot(root: str, names: Sequence[str], *, complete: bool, since_ns: int) -> Snapshot:
    """Look at the folder, and keep what can be kept."""
    stamps: dict[str, Stamp] = {}
    states: dict[str, FileState] = {}
    budget = ReadBudget(MAX_KEPT_BYTES, MANY)
    for path in seen(root, names):
        full = os.path.join(root, path)
        status = look(full)
        if status is None:
            continue
        stamps[path] = stamp(status)
        if status.st_size <= min(MAX_KEPT_FILE_BYTES, budget.bytes_left):
            try:
                states[path] = read_state(full, status, budget)
            except NotKept:
                continue  # `not_covered` names it
    return Snapshot(root, stamps, states, complete, since_ns)


def seen(root: str, names: Sequence[str]) -> Iterator[str]:
    """The names, and the links and folders beside them and on the way to them."""
    folders = {""}
    for name in filter(is_plain, names):
        yield name
        folder = name.rpartition("/")[0]
        while folder not in folders:
            folders.add(folder)
            folder = folder.rpartition("/")[0]
    todo = list(folders)
    while todo:
        folder = todo.pop()
        beside = look_in(root, folder)
        # a file that is not among the names is ignored, and so is what lies beside it
        if folder in folders or not beside.has_files:
            yield from (*beside.links, *beside.folders)
            todo += [path for path in beside.folders if path not in folders]


@dataclass(frozen=True, slots=True)
class OtherNames:
    """What no listing of files names, directly in a folder."""

    links: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()
    has_files: bool = False


def look_in(root: str, folder: str) -> OtherNames:
    """Look into one folder; there is nothing when it is gone or closed."""
    try:
        with os.scandir(os.path.join(root, folder)) as found:
            entries = [entry for entry in found if not is_protected(entry.name)]
    except (FileNotFoundError, NotADirectoryError, PermissionError):
        return OtherNames()
    paths = {f"{folder}/{entry.name}" if folder else entry.name: entry for entry in entries}
    plain = {path: entry for path, entry in paths.items() if is_plain(path)}
    links = tuple(path for path, entry in plain.items() if entry.is_symlink())
    folders = tuple(path for path, value in plain.items() if value.is_dir(follow_symlinks=False))
    return OtherNames(links, folders, len(links) + len(folders) < len(entries))


def stamp(status: os.stat_result) -> Stamp:
    """What is different when a path is. A folder's times tell of what is in it, not of itself."""
    if stat.S_ISDIR(status.st_mode):
        return (status.st_mode,)
    times = (status.st_mtime_ns, status.st_ctime_ns)
    return (status.st_mode, status.st_size, status.st_ino, *times)
