"""The JSON of a folder: what is in it, texts, names, search, git."""

from typing import Literal

from recto.server.schemas.base import Schema


class Entry(Schema):
    """One name in a folder. A name that is not valid text has no path and can't be opened."""

    name: str
    path: str | None
    kind: Literal["file", "folder", "link", "other"]
    size: int | None
    modified_at: int | None
    ignored: bool


class FolderPage(Schema):
    """Some of what lies in a folder."""

    path: str
    items: list[Entry]
    next_cursor: str | None


class TextFacts(Schema):
    """How a text is stored."""

    path: str
    size: int
    hash: str
    encoding: str
    line_ending: Literal["lf", "crlf", "cr", "mixed", "none"]
    bom: bool
    indent: str | None = None
    """One step of indentation as the folder's `.editorconfig` wants it; null when nobody says."""


class TextFile(TextFacts):
    """A text and how it is stored."""

    text: str


class TextPart(Schema):
    """Some lines of a text, and which of its parts they are; parts and lines count from 1."""

    path: str
    text: str
    part: int
    parts: int
    first_line: int
    size: int
    hash: str


class FileNameMatch(Schema):
    """A file whose name fits, and which of its UTF-16 units do."""

    path: str
    positions: list[int]


class FileNames(Schema):
    """The files that fit best."""

    items: list[FileNameMatch]
    total: int
    truncated: bool


class SearchMatch(Schema):
    """A line that fits. `ranges` count as JavaScript does, in UTF-16 units."""

    path: str
    line: int
    column: int
    text: str
    ranges: list[tuple[int, int]]


class SearchResults(Schema):
    """The lines that fit."""

    items: list[SearchMatch]
    truncated: bool


GitMark = Literal["modified", "added", "conflict", "deleted", "renamed", "untracked"]


class GitState(Schema):
    """What git says of the folder."""

    repository: bool
    branch: str | None
    files: dict[str, GitMark]
    truncated: bool
    reason: str | None
