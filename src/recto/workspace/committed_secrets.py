"""Secrets of a folder by their values: git gives out what was committed, whatever hides the file.

A value is kept back wherever it turns up, so it must not be an ordinary word: what stands behind
a name such as PASSWORD counts, anything else only if it looks drawn by chance.
"""

import os
import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from urllib.parse import urlsplit

import anyio

from recto.processes import ProcessFailure
from recto.workspace.git import git

MOST_FILES = 500
MOST_REFS = 20_000
MOST_BYTES = 256_000
SHORTEST = 8
SHORTEST_UNNAMED = 16
NAME = re.compile(r"\s*(?:export\s+|set\s+)?[\"']?(?P<name>[A-Za-z_][\w.-]*)[\"']?\s*[=:]\s*")
TELLING = re.compile(r"pass|pwd|secret|token|key|credential|auth|salt|private|dsn|cookie", re.I)
WORDS = re.compile(r"[A-Za-z_./:, -]+")
NUMBERS = re.compile(r"[\d.:/,+ -]+")
EVERYTHING = ("--all", "--reflog", "--indexed-objects")
NEWEST = ("--no-walk", "HEAD", "--indexed-objects")
"""What is looked at where all of the history takes too long."""
MARKS = ("HEAD", "index", "packed-refs", "logs/HEAD", "FETCH_HEAD", "ORIG_HEAD")


class CommittedSecrets:
    """The values of all committed files of a folder that are kept from the AI, read once.

    The longest first, so that none is struck out in part. None where git tells of nothing.
    """

    def __init__(self, root: str) -> None:
        self._root = root
        self._reading = anyio.Lock()
        self._mark: object = None
        self._values: tuple[str, ...] = ()

    async def values(self, hides: Callable[[str], bool]) -> tuple[str, ...]:
        """What is to be kept back; read again when the repository has changed."""
        async with self._reading:
            mark = await anyio.to_thread.run_sync(repository_mark, self._root)
            if mark != self._mark:
                self._values = () if mark is None else await self._read(hides)
                self._mark = mark
            return self._values

    async def _read(self, hides: Callable[[str], bool]) -> tuple[str, ...]:
        for wanted in (EVERYTHING, NEWEST):
            try:
                listed = await git(self._root, "rev-list", "--objects", *wanted)
                ids = await anyio.to_thread.run_sync(hidden_objects, listed.stdout, hides)
                if not ids:
                    return ()
                # Unlike `git show` it ends the last line of each file.
                shown = await git(self._root, "grep", "-h", "-a", "--no-color", "-e", ".", *ids)
            except ProcessFailure:
                continue
            return secret_values(shown.stdout.decode("utf-8", "replace").splitlines())
        return ()


def repository_mark(root: str) -> object:
    """Another value after each commit, fetch and staging; None where there is no repository."""
    home = next((Path(up) / ".git" for up in (root, *Path(root).parents) if is_there(up)), None)
    if home is None:
        return None
    home = pointed_to(home, "gitdir: ")
    common = pointed_to(home / "commondir", "")
    refs = [
        os.path.join(folder, name)
        for folder, _, names in os.walk(common / "refs")
        for name in (".", *names)
    ]
    marks = sorted(place / mark for place in {home, common} for mark in MARKS)
    return tuple(map(stamp, [Path(root, ".rectoignore"), *marks, *refs[:MOST_REFS]]))


def pointed_to(path: Path, prefix: str) -> Path:
    """The folder that a file of git names, as a linked worktree has one; else where it lies."""
    if path.is_dir():
        return path
    try:
        named = path.read_text(encoding="utf-8", errors="surrogateescape").strip()
    except OSError:
        return path.parent
    return path.parent / named.removeprefix(prefix)


def is_there(folder: str | Path) -> bool:
    """Whether a folder is the top of a repository. An empty .git is none: git looks further up."""
    path = os.path.join(folder, ".git")
    return os.path.isfile(path) or os.path.lexists(os.path.join(path, "HEAD"))


def stamp(path: str | Path) -> tuple[int, int, int] | None:
    """When a file was changed; None when it is not there."""
    try:
        status = os.stat(path, follow_symlinks=False)
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size, status.st_ino


def values_of_files(root: str, paths: Iterable[str]) -> tuple[str, ...]:
    """The values in files that are kept from the AI and lie in the folder now."""
    lines: list[str] = []
    for path in list(paths)[:MOST_FILES]:
        try:
            with open(os.path.join(root, path), "rb") as file:
                lines += file.read(MOST_BYTES).decode("utf-8", "replace").splitlines()
        except OSError:
            continue  # a folder, or gone meanwhile: it has no lines
    return secret_values(lines)


def hidden_objects(listed: bytes, hides: Callable[[str], bool]) -> list[str]:
    """The ids of those files of a history that are kept from the AI."""
    rows = [line.partition(b" ") for line in listed.split(b"\n")]
    ids = [object_id.decode() for object_id, _, name in rows if name and hides(os.fsdecode(name))]
    return list(dict.fromkeys(ids))[:MOST_FILES]


def secret_values(lines: Sequence[str]) -> tuple[str, ...]:
    """What of some lines is secret, the longest first."""
    found = {value for line in lines for value in values_of(line)}
    return tuple(sorted(found, key=len, reverse=True))


def values_of(line: str) -> list[str]:
    """What of a line is a secret: what stands behind its name, or each of its words."""
    if line.lstrip().startswith(("#", "//")):
        return []
    named = NAME.match(line)
    if named is None:
        return [word for word in map(bare, line.split()) if is_by_chance(word)]
    value = bare(line[named.end() :])
    is_named = TELLING.search(named["name"]) and len(value) >= SHORTEST
    return [value] if is_named or is_by_chance(value) else []


def bare(value: str) -> str:
    """A value without quotes and what ends it."""
    return value.strip().rstrip(",;").strip("\"'")


def is_by_chance(value: str) -> bool:
    """Whether a value looks like a secret, whatever it is called."""
    try:
        if urlsplit(value).scheme in ("http", "https"):
            return urlsplit(value).password is not None
        has_password = "://" in value and urlsplit(value).password is not None
    except ValueError:
        return False
    if has_password:
        return True
    long_enough = len(value) >= SHORTEST_UNNAMED and not re.search(r"\s", value)
    return long_enough and not WORDS.fullmatch(value) and not NUMBERS.fullmatch(value)
