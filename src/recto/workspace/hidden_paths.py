"""What is kept from the AI: secrets, what .rectoignore names, git's and Recto's own files."""

import os
import stat
from collections.abc import Iterator, Sequence

import anyio

from recto.processes import ProcessFailure, start
from recto.workspace.failures import SearchUnavailable
from recto.workspace.ignore import IgnoreLookup, IgnoreRules
from recto.workspace.jail import Jail
from recto.workspace.names import is_protected, plain
from recto.workspace.ripgrep import COMMON, OutputSplitter, program

MAX_HIDDEN = 10_000
MAX_LOOKED_AT = 300_000
"""How many files are looked at to find what a hard link is another name of."""


class HiddenLookup(IgnoreLookup):
    """Many questions at one moment about what the AI may not see."""

    def __init__(self, rules: IgnoreRules) -> None:
        super().__init__(rules)
        self._linked: set[tuple[int, int]] | None = None

    def hides(self, path: str) -> bool:
        """Whether a path is kept from the AI, as a file or as a folder."""
        if not path:
            return False
        parts = path.split("/")
        if is_own(parts):
            return True
        here = self.in_folder("/".join(parts[:-1]))
        # As both: asked about a path that is not there yet, nobody knows which it will be.
        if any(here.hides(parts[-1], folder=folder) for folder in (False, True)):
            return True
        return self.is_another_name(path)

    def is_another_name(self, path: str) -> bool:
        """Whether a file has a name besides this one, by which it is kept from the AI."""
        try:
            status = os.lstat(os.path.join(self._rules.root, path))
        except OSError:
            return False
        if not stat.S_ISREG(status.st_mode) or status.st_nlink < 2:
            return False
        if self._linked is None:
            self._linked = set(self._linked_secrets())
        return (status.st_dev, status.st_ino) in self._linked

    def _linked_secrets(self) -> Iterator[tuple[int, int]]:
        """Each file that is kept back and has several names."""
        root = self._rules.root
        seen = 0
        for folder, folders, names in os.walk(root):
            folders[:] = [name for name in folders if not is_protected(name)]
            here = self.in_folder("" if folder == root else os.path.relpath(folder, root))
            for name in names:
                if not here.hides(name, folder=False):
                    continue
                status = os.lstat(os.path.join(folder, name))
                if status.st_nlink > 1:
                    yield status.st_dev, status.st_ino
            seen += len(names)
            if seen > MAX_LOOKED_AT:
                raise SearchUnavailable(f"the folder has over {MAX_LOOKED_AT:,} files")


def is_own(parts: Sequence[str]) -> bool:
    """Whether a path is git's or Recto's own. A folder's skills are there to be read."""
    for at, name in enumerate(parts):
        if is_protected(name):
            return not (plain(name) == ".recto" and parts[at + 1 : at + 2] == ["skills"])
    return False


def is_ignored(rules: IgnoreRules, path: str) -> bool:
    """Whether a file is ignored, a secret, or git's or Recto's own."""
    folder, _, name = path.rpartition("/")
    rules_here = IgnoreLookup(rules).in_folder(folder)
    return is_own(path.split("/")) or rules_here.ignores(name, folder=False)


class HiddenPaths:
    """Answers for one folder tree, with the ignore files as they are when asked."""

    def __init__(self, rules: IgnoreRules) -> None:
        self._rules = rules

    def __call__(self, parts: tuple[str, ...]) -> bool:
        """Whether a real path is kept from the AI."""
        return HiddenLookup(self._rules).hides("/".join(parts))


async def hidden_paths(jail: Jail, rules: IgnoreRules) -> tuple[str, ...]:
    """The files and folders that .rectoignore or the list of secrets keeps back, ignored or not.

    Below a folder that is kept back nothing more is named. Raises SearchUnavailable, also when
    there are too many to name: who must mask them all must know.
    """
    argv = [program(), *COMMON, "--no-ignore", "--files", "--null", "--", "./"]
    lines = OutputSplitter(b"\0")
    lookup = HiddenLookup(rules)
    found: dict[str, None] = {}
    try:
        async with start(argv, cwd=jail.root) as running:
            async for chunk in running.chunks():
                names = [os.fsdecode(name).removeprefix("./") for name in lines.feed(chunk)]
                hidden = await anyio.to_thread.run_sync(topmost_hidden, lookup, names)
                found.update(dict.fromkeys(hidden))
                if len(found) > MAX_HIDDEN:
                    raise SearchUnavailable(f"over {MAX_HIDDEN:,} files are kept from the AI")
    except ProcessFailure as failure:
        raise SearchUnavailable(failure.message) from failure
    return tuple(sorted(found))


def topmost_hidden(lookup: HiddenLookup, paths: Sequence[str]) -> list[str]:
    """For each path that is kept back, the folder that is the reason, or itself."""
    ours = [path for path in paths if not is_own(path.split("/"))]
    return [top(lookup, path) for path in ours if lookup.hides(path)]


def top(lookup: IgnoreLookup, path: str) -> str:
    """The first folder on the way to a hidden path that is hidden, else the path."""
    parts = path.split("/")
    for depth in range(1, len(parts)):
        folder = "/".join(parts[:depth])
        if lookup.in_folder(folder).hidden:
            return folder
    return path
