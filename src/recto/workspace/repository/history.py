"""Who wrote a line, which commits changed a file, and what it was then."""

import os
import re
from dataclasses import dataclass

from recto.workspace.failures import BinaryFile, GitRefused, TooLarge
from recto.workspace.git_commits import Committing
from recto.workspace.text import decode

MOST_COMMITS = 200
MAX_LOG = 4_000_000
MAX_TEXT = 10_000_000
COMMIT = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
SECONDS = re.compile(r"-?[0-9]{1,12}")
FORMAT = "--format=%x1e%H%x1f%an%x1f%at%x1f%s%x1f"


@dataclass(frozen=True, slots=True)
class LineOrigin:
    """The commit that a line comes from; none for one that is not committed."""

    commit: str | None
    author: str = ""
    at_ms: int = 0
    subject: str = ""


@dataclass(frozen=True, slots=True)
class FileCommit:
    """A commit that changed a file, and what the file was called in it."""

    commit: str
    author: str
    at_ms: int
    subject: str
    path: str


async def blame(work: Committing, name: str, line: int) -> LineOrigin | None:
    """Where a line of the file on disk comes from; None when git does not know the file or line."""
    where = f"{line},{line}"
    output = await work.git("blame", "--porcelain", "-L", where, "--", name)
    if output.code != 0:
        return None
    head, *lines = output.stdout.decode("utf-8", "replace").split("\n")
    commit = head.partition(" ")[0]
    if not COMMIT.fullmatch(commit):
        return None
    if not commit.strip("0"):
        return LineOrigin(None)
    facts: dict[str, str] = {}
    for item in lines:
        key, _, value = item.partition(" ")
        facts.setdefault(key, value)
    at_ms = time_ms(facts.get("author-time", ""))
    return LineOrigin(commit, facts.get("author", ""), at_ms, facts.get("summary", ""))


async def history(work: Committing, name: str, prefix: str) -> tuple[FileCommit, ...]:
    """The commits that changed a file, the newest first, also those before it was renamed."""
    # Only names: following one file is what git offers for a single path.
    flags = ("--follow", "--name-only", "-z", f"--max-count={MOST_COMMITS}", FORMAT)
    output = await work.git("log", *flags, "--", name, max_bytes=MAX_LOG)
    if output.code != 0:
        return ()
    found: list[FileCommit] = []
    for record in os.fsdecode(output.stdout).split("\x1e")[1:]:
        fields = record.split("\x1f")
        if len(fields) < 5 or not COMMIT.fullmatch(fields[0]):
            continue
        path = fields[-1].strip("\0\n").rpartition("\0")[2]
        if path.startswith(prefix):
            subject = "".join(fields[3:-1])
            at_ms = time_ms(fields[2])
            found.append(
                FileCommit(fields[0], fields[1], at_ms, subject, path.removeprefix(prefix))
            )
    return tuple(found)


def time_ms(seconds: str) -> int:
    """A commit's time as git says it; 0 for one whose time git can't read either."""
    return int(seconds) * 1000 if SECONDS.fullmatch(seconds) else 0


async def text_at(work: Committing, commit: str, name: str, path: str) -> str | None:
    """A file's text in a commit; None when it was not in it. Raises BinaryFile, TooLarge."""
    if not COMMIT.fullmatch(commit):
        raise GitRefused("That is no commit.", "Choose one of the file's history.")
    output = await work.git("cat-file", "blob", f"{commit}:{name}", max_bytes=MAX_TEXT)
    if output.truncated:
        raise TooLarge(path, f"{MAX_TEXT // 1_000_000} MB")
    if output.code != 0:
        return None
    found = decode(output.stdout)
    if found is None:
        raise BinaryFile(path)
    return found[0]
