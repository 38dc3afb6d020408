"""The names of a folder after some of it changed: only the folders that did are listed again."""

import os
from bisect import bisect_left, insort
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from recto.durable import TEMPORARY_PREFIX
from recto.workspace.failures import WorkspaceFailure
from recto.workspace.finder import MAX_NAMES, NameIndex, index_of
from recto.workspace.ignore import IgnoreLookup
from recto.workspace.jail import Jail

MOST_FOLDERS = 500
"""Listing more than this one by one takes as long as listing everything."""


@dataclass(slots=True)
class StaleNames:
    """Names that were read, and the folders in which something changed since."""

    names: NameIndex | None = None
    folders: set[str] | None = None
    """None: anything may have changed."""

    def changed(self, folders: Iterable[str] | None) -> None:
        """Something changed in these folders, or anywhere."""
        if folders is None or self.folders is None:
            self.folders = None
            return
        self.folders |= set(folders)
        if len(self.folders) > MOST_FOLDERS:
            self.folders = None

    @property
    def is_current(self) -> bool:
        """Whether nothing changed since they were read."""
        return self.names is not None and self.folders is not None and not self.folders

    @property
    def can_follow(self) -> bool:
        """Whether a look into the folders that changed is enough."""
        return self.names is not None and self.folders is not None and not self.names.truncated


def names_after(
    jail: Jail, lookup: IgnoreLookup, names: NameIndex, folders: Iterable[str]
) -> NameIndex | None:
    """The names with these folders listed anew; None when it takes a look at everything."""
    paths = list(names.paths)
    # A folder above comes first: what vanished or came with it is settled by then.
    for folder in sorted(folders):
        relist(jail, lookup, paths, folder)
        if len(paths) > MAX_NAMES:
            return None
    return index_of(tuple(paths))


def relist(jail: Jail, lookup: IgnoreLookup, paths: list[str], folder: str) -> None:
    """Have ordered paths say what a folder holds now."""
    start = f"{folder}/" if folder else ""
    files, below = listing(jail, lookup, folder)
    known_files, known_below = held(paths, start)
    for name in known_below - below:
        cut_out(paths, f"{start}{name}/")
    for name in known_files - files:
        del paths[bisect_left(paths, start + name)]
    for name in files - known_files:
        insort(paths, start + name)
    for name in below - known_below:
        added = sorted(walk(jail, lookup, start + name))
        at = bisect_left(paths, f"{start}{name}/")
        paths[at:at] = added


def held(paths: list[str], start: str) -> tuple[set[str], set[str]]:
    """The files and the folders directly below a start, jumping over what lies deeper."""
    files: set[str] = set()
    folders: set[str] = set()
    at, end = bounds(paths, start)
    while at < end:
        name, deeper, _ = paths[at][len(start) :].partition("/")
        if deeper:
            folders.add(name)
            at = bounds(paths, f"{start}{name}/")[1]
        else:
            files.add(name)
            at += 1
    return files, folders


def bounds(paths: list[str], start: str) -> tuple[int, int]:
    """Where the paths with a start stand: they are together. It is empty, or ends in a stroke."""
    if not start:
        return 0, len(paths)
    first = bisect_left(paths, start)
    # "0" is the sign after the stroke.
    return first, bisect_left(paths, f"{start[:-1]}0", lo=first)


def cut_out(paths: list[str], start: str) -> None:
    """Take out all paths with a start."""
    first, end = bounds(paths, start)
    del paths[first:end]


def listing(jail: Jail, lookup: IgnoreLookup, folder: str) -> tuple[set[str], set[str]]:
    """The files and the folders directly in a folder that are not ignored; none when it is gone."""
    files: set[str] = set()
    folders: set[str] = set()
    try:
        rules = lookup.in_folder(folder)
        if rules.everything or not all(map(is_shown, folder.split("/"))):
            return files, folders
        with jail.folder(folder) as fd, os.scandir(fd) as entries:
            for entry in entries:
                is_folder = entry.is_dir(follow_symlinks=False)
                if not is_folder and not entry.is_file(follow_symlinks=False):
                    continue
                if is_shown(entry.name) and not rules.ignores(entry.name, folder=is_folder):
                    (folders if is_folder else files).add(entry.name)
    except (WorkspaceFailure, OSError):
        # It went meanwhile, or is closed to us: then nothing in it has a name.
        return set(), set()
    return files, folders


def is_shown(name: str) -> bool:
    """Whether a name is neither git's nor a file in the making, and can be written as text."""
    if name == ".git" or name.startswith(TEMPORARY_PREFIX):
        return False
    return not any("\ud800" <= letter <= "\udfff" for letter in name)


def walk(jail: Jail, lookup: IgnoreLookup, folder: str) -> Iterator[str]:
    """Every file below a folder that is new here."""
    todo = [folder]
    while todo:
        here = todo.pop()
        files, folders = listing(jail, lookup, here)
        yield from (f"{here}/{name}" for name in files)
        todo += (f"{here}/{name}" for name in folders)
