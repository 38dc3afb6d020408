"""What is kept from the AI: secrets, what .rectoignore names, git's and Recto's own files."""

import os
from collections.abc import Sequence

import anyio

from recto.processes import ProcessFailure, start
from recto.workspace.failures import SearchUnavailable
from recto.workspace.ignore import IgnoreLookup, IgnoreRules
from recto.workspace.jail import Jail
from recto.workspace.names import is_protected, plain
from recto.workspace.ripgrep import COMMON, OutputSplitter, program

MAX_HIDDEN = 10_000


class HiddenLookup(IgnoreLookup):
    """Many questions at one moment about what the AI may not see."""

    def hides(self, path: str) -> bool:
        """Whether a path is kept from the AI, as a file or as a folder."""
        if not path:
            return False
        parts = path.split("/")
        if is_own(parts):
            return True
        here = self.in_folder("/".join(parts[:-1]))
        # As both: asked about a path that is not there yet, nobody knows which it will be.
        return any(here.hides(parts[-1], folder=folder) for folder in (False, True))


def is_own(parts: Sequence[str]) -> bool:
    """Whether a path is git's or Recto's own. A folder's skills are there to be read."""
    for at, name in enumerate(parts):
        if is_protected(name):
            return not (plain(name) == ".recto" and parts[at + 1 : at + 2] == ["skills"])
    return False


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
    lookup = IgnoreLookup(rules)
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


def topmost_hidden(lookup: IgnoreLookup, paths: Sequence[str]) -> list[str]:
    """For each path that is kept back, the folder that is the reason, or itself."""
    return [top(lookup, path) for path in paths if lookup.hides(path)]


def top(lookup: IgnoreLookup, path: str) -> str:
    """The first folder on the way to a hidden path that is hidden, else the path."""
    parts = path.split("/")
    for depth in range(1, len(parts)):
        folder = "/".join(parts[:depth])
        if lookup.in_folder(folder).hidden:
            return folder
    return path
