"""What a run changed, as a diff, from what undoing it would do."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

HUNK = re.compile(r"@@ -(\d+(?:,(\d+))?) \+(\d+(?:,(\d+))?) @@(.*)")
WAS = {
    "restore": "changed",
    "merge": "changed",
    "remove": "created",
    "recreate": "deleted",
    "move": "moved",
}


def describe_changes(files: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """The changes in lines, from the preview of an undo; nothing for what left no trace."""
    for file in files:
        if file["action"] == "conflict":
            yield f"{file['path']}: {file['words']}"
        elif file["diff"]:
            yield from turned(file["diff"].split("\n"))
        elif file["action"] in WAS:
            yield f"{file['path']}: {WAS[file['action']]}"


def turned(diff: Sequence[str]) -> Iterator[str]:
    """A unified diff the other way round."""
    at = 0
    while at < len(diff):
        if hunk := HUNK.fullmatch(diff[at]):
            end = at + 1 + hunk_lines(diff[at + 1 :], size(hunk[2]), size(hunk[4]))
            yield f"@@ -{hunk[3]} +{hunk[1]} @@{hunk[5]}"
            yield from turned_hunk(diff[at + 1 : end])
            at = end
        elif diff[at].startswith("--- ") and at + 1 < len(diff):
            old, new = diff[at][4:], diff[at + 1][4:]
            yield f"--- {lettered('a', new)}"
            yield f"+++ {lettered('b', old)}"
            at += 2
        else:
            yield diff[at]
            at += 1


def size(count: str | None) -> int:
    """How many lines one side of a hunk has."""
    return 1 if count is None else int(count)


def hunk_lines(rest: Sequence[str], old: int, new: int) -> int:
    """How many of the lines belong to a hunk with so many lines on each side."""
    for at, line in enumerate(rest):
        if old <= 0 and new <= 0 and not line.startswith("\\"):
            return at
        old -= line.startswith((" ", "-"))
        new -= line.startswith((" ", "+"))
    return len(rest)


def turned_hunk(lines: Sequence[str]) -> Iterator[str]:
    """The lines of a hunk the other way round: what is taken away stands first."""
    gone: list[str] = []
    come: list[str] = []
    last = gone
    for line in lines:
        if line.startswith("-"):
            last = come
            come.append("+" + line[1:])
        elif line.startswith("+"):
            last = gone
            gone.append("-" + line[1:])
        elif line.startswith("\\") and (gone or come):
            last.append(line)
        else:
            yield from (*gone, *come, line)
            gone, come = [], []
    yield from (*gone, *come)


def lettered(letter: str, name: str) -> str:
    """A file's name with the letter of its side."""
    return name if name == "/dev/null" else f"{letter}{name[1:]}"
