"""What changed lately, as git shows it: a few files, a few lines each.

git runs on the same skeleton as for its state, so nothing that a repository names is run.
"""

import os
from collections.abc import Callable
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import anyio

from recto.processes import ProcessFailure
from recto.workspace.git import NoRepository, branch_of, git, is_shown, skeleton_of

MAX_FILES = 5
MAX_LINES = 20
MAX_LINE = 300
MAX_BYTES = 64_000
MAX_NAMES = 1_000_000
FLAGS = (
    "--no-ext-diff",
    "--no-textconv",
    "--no-color",
    "--no-renames",
    "--ignore-submodules=all",
    "--relative",
)
# The other lines of a header only repeat the path.
TELLING = ("new file", "deleted file", "old mode", "new mode", "Binary files")
LITERAL = {"GIT_LITERAL_PATHSPECS": "1"}


@dataclass(frozen=True, slots=True)
class FileDiff:
    """How one file changed: its diff without the header; `is_cut` when there is more of it."""

    path: str
    lines: tuple[str, ...]
    is_cut: bool = False


@dataclass(frozen=True, slots=True)
class RecentChanges:
    """The branch that is checked out, and how files changed lately."""

    branch: str | None = None
    files: tuple[FileDiff, ...] = ()


async def recent_changes(root: str, is_hidden: Callable[[str], bool]) -> RecentChanges:
    """The changes since the index, else since the commit before the last; at most five files.

    Files that must not be seen are left out. Without a repository there is nothing.
    """
    branch: str | None = None
    try:
        async with skeleton_of(root) as (_, places):
            branch = await anyio.to_thread.run_sync(branch_of, Path(places["GIT_DIR"]))
            places = await anyio.to_thread.run_sync(with_own_index, places)
            for since in ((), ("HEAD~1",)):
                paths = await changed_paths(root, since, places)
                wanted = await anyio.to_thread.run_sync(first_visible, paths, is_hidden)
                if wanted:
                    diffs = [await diff(root, since, path, places) for path in wanted]
                    return RecentChanges(branch, tuple(diffs))
    except (NoRepository, ProcessFailure, OSError):
        # Nothing is lost: this is an extra, and git_state says why there is no repository.
        return RecentChanges(branch)
    return RecentChanges(branch)


def with_own_index(places: dict[str, str]) -> dict[str, str]:
    """The places with a copy of the index: a diff writes what it learns of files into it."""
    theirs = Path(places["GIT_INDEX_FILE"])
    if not theirs.exists():
        return places
    ours = Path(places["GIT_DIR"]) / "index"
    ours.write_bytes(theirs.read_bytes())
    # Comparing times with the index's own is how git knows which files it must read.
    status = theirs.stat()
    os.utime(ours, ns=(status.st_atime_ns, status.st_mtime_ns))
    return {**places, "GIT_INDEX_FILE": str(ours)}


async def changed_paths(
    root: str, since: tuple[str, ...], places: dict[str, str]
) -> tuple[str, ...]:
    """The paths that differ, relative to the folder; none when there is no such commit."""
    output = await git(
        root,
        "diff",
        *FLAGS,
        "--name-only",
        "-z",
        *since,
        "--",
        ".",
        extra=places,
        max_bytes=MAX_NAMES,
    )
    *whole, _ = output.stdout.split(b"\0")
    return tuple(path.decode("utf-8") for path in whole if is_utf8(path))


def first_visible(paths: tuple[str, ...], is_hidden: Callable[[str], bool]) -> list[str]:
    """The first few that may be seen."""
    visible = (path for path in paths if is_shown(path) and not is_hidden(path))
    return list(islice(visible, MAX_FILES))


def is_utf8(raw: bytes) -> bool:
    """Whether a path can be opened by name."""
    return raw.decode("utf-8", "replace").encode() == raw


async def diff(root: str, since: tuple[str, ...], path: str, places: dict[str, str]) -> FileDiff:
    """The beginning of one file's diff."""
    output = await git(
        root, "diff", *FLAGS, *since, "--", path, extra={**places, **LITERAL}, max_bytes=MAX_BYTES
    )
    lines = output.stdout.decode("utf-8", "replace").splitlines()
    first = next((at for at, line in enumerate(lines) if line.startswith("@@")), len(lines))
    content = [*(line for line in lines[:first] if line.startswith(TELLING)), *lines[first:]]
    shown = tuple(shortened(line) for line in content[:MAX_LINES])
    return FileDiff(path, shown, is_cut=output.truncated or len(content) > MAX_LINES)


def shortened(line: str) -> str:
    """A line, not too long."""
    return line if len(line) <= MAX_LINE else f"{line[:MAX_LINE]}…"
