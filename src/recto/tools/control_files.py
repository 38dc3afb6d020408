"""Files that control programs: the AI's own instructions, what editors, shells and others run.

A change to one of them always asks, whatever the rules say. Which ones, by kind, is in
`data/startup_files.json`: a name, or the last names of a path, with `*` for anything. A folder of
ordinary files becomes a git repository by its `HEAD`, which is why that name is among them. Names
are compared as the most forgiving file system would: without case, Unicode forms, invisible
letters.
"""

import json
from functools import cache
from pathlib import Path

from recto.tools.patterns import like
from recto.workspace import plain

FILE = Path(__file__).parent / "data" / "startup_files.json"


@cache
def startup_files() -> dict[str, tuple[str, ...]]:
    """The patterns by kind of program."""
    return {kind: tuple(some) for kind, some in json.loads(FILE.read_bytes()).items()}


@cache
def sorted_patterns() -> tuple[frozenset[str], tuple[str, ...], tuple[list[str], ...]]:
    """Whole names, names with `*` in them, and the last names of paths."""
    every = [pattern for some in startup_files().values() for pattern in some]
    paths = tuple(pattern.split("/") for pattern in every if "/" in pattern)
    names = [pattern for pattern in every if "/" not in pattern]
    return (
        frozenset(name for name in names if "*" not in name),
        tuple(name for name in names if "*" in name),
        paths,
    )


def is_control(path: str) -> bool:
    """Whether a path, or a folder on the way to it, controls a program."""
    parts = [plain(name) for name in path.split("/")]
    names, forms, paths = sorted_patterns()
    if any(part in names or any(like(form, part) for form in forms) for part in parts):
        return True
    return any(parts[at : at + len(place)] == place for at in range(len(parts)) for place in paths)
