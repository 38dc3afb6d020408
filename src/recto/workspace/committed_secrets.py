"""Secrets that were committed: git shows them to whoever asks, whatever hides the file."""

import os
import re
from collections.abc import Callable

import anyio

from recto.processes import ProcessFailure
from recto.workspace.git import git

MOST_FILES = 200
SHORTEST = 6
NAME = re.compile(rb"\s*(?:export\s+)?[A-Za-z_][\w.-]*\s*[=:]\s*")


async def committed_secrets(root: str, hides: Callable[[str], bool]) -> tuple[str, ...]:
    """The lines, and the values in them, of all committed files that are kept from the AI.

    The longest first, so that none is struck out in part. None where git tells of nothing.
    """
    try:
        listed = await git(root, "rev-list", "--objects", "--all")
        wanted = await anyio.to_thread.run_sync(hidden_objects, listed.stdout, hides)
        if not wanted:
            return ()
        shown = await git(root, "show", "--no-textconv", "--no-ext-diff", "--format=", *wanted)
    except ProcessFailure:
        return ()
    found = {value for line in shown.stdout.splitlines() for value in values_of(line)}
    return tuple(sorted(found, key=len, reverse=True))


def hidden_objects(listed: bytes, hides: Callable[[str], bool]) -> list[str]:
    """The ids of those files of a history that are kept from the AI."""
    rows = [line.partition(b" ") for line in listed.split(b"\n")]
    ids = [object_id.decode() for object_id, _, name in rows if name and hides(os.fsdecode(name))]
    return list(dict.fromkeys(ids))[:MOST_FILES]


def values_of(line: bytes) -> list[str]:
    """What of a line is a secret: all of it, and what stands behind its name."""
    value = NAME.sub(b"", line, count=1).strip().strip(b"\"'")
    texts = [part.decode("utf-8", "replace") for part in (line.strip(), value)]
    return [text for text in texts if len(text) >= SHORTEST and not text.startswith(("tree ", "#"))]
