"""The JSON of a git repository: changes, diffs, staging, commits, history."""

from typing import Annotated, Literal

from pydantic import Field

from recto.server.schemas.base import Body, Schema, Text
from recto.server.schemas.files import GitMark

FilePath = Annotated[Text, Field(min_length=1, max_length=4096)]
CommitId = Annotated[Text, Field(pattern=r"^([0-9a-f]{40}|[0-9a-f]{64})$")]


class ChangedFile(Schema):
    """A file that differs from the last commit: what is staged of it, and what is not."""

    path: str
    staged: GitMark | None
    unstaged: GitMark | None
    from_path: str | None
    is_submodule: bool


class GitChanges(Schema):
    """What differs from the last commit, and what git is in the middle of."""

    repository: bool
    branch: str | None
    head: str | None
    under_way: str | None
    files: list[ChangedFile]
    staged_elsewhere: int
    truncated: bool
    reason: str | None


class DiffLine(Schema):
    """A line of a diff without its sign."""

    kind: Literal["same", "added", "removed", "note"]
    text: str


class DiffHunk(Schema):
    """A passage that differs; without an id it can only be staged with its file."""

    id: str
    old_start: int
    new_start: int
    lines: list[DiffLine]


class FileDifference(Schema):
    """How a file differs; `isCut` when there is more than is shown."""

    path: str
    hunks: list[DiffHunk]
    is_binary: bool
    is_cut: bool


class Staging(Body):
    """Files to stage, or to take out; with `hunks` only those of the one file that is named."""

    paths: list[FilePath] = Field(min_length=1, max_length=5000)
    hunks: list[Annotated[Text, Field(max_length=64)]] | None = Field(
        default=None, min_length=1, max_length=5000
    )


class CommitMessage(Body):
    """What a commit says."""

    message: Annotated[Text, Field(min_length=1, max_length=20_000)]


class Commit(Schema):
    """A commit that was made."""

    id: str


class LineOrigin(Schema):
    """Where a line comes from; `commit` is null for one that is not committed."""

    commit: str | None
    author: str
    at_ms: int = Field(serialization_alias="at")
    subject: str


class LineOriginAnswer(Schema):
    """Where a line comes from; null when git does not know it."""

    origin: LineOrigin | None


class FileCommit(Schema):
    """A commit that changed a file, and what the file was called then."""

    commit: str
    author: str
    at_ms: int = Field(serialization_alias="at")
    subject: str
    path: str


class FileCommits(Schema):
    """The commits that changed a file, the newest first."""

    items: list[FileCommit]


class CommitRestore(Body):
    """The file that is to be as it was in a commit, and what it was called then."""

    path: FilePath
    old_path: FilePath


class CommittedText(Schema):
    """A file's text in a commit; null when it was not in it."""

    text: str | None
