"""The JSON of links between texts: who links to one, what leads nowhere, tags."""

from recto.server.schemas.base import Schema


class Backlink(Schema):
    """A link to a file, in the line of a text."""

    path: str
    line: int
    text: str


class UnresolvedLink(Schema):
    """A link that leads nowhere; a note of that name can be made for a wiki link."""

    name: str
    line: int
    is_note: bool


class FileLinks(Schema):
    """What links to a file, what it links to in vain, and its tags."""

    backlinks: list[Backlink]
    unresolved: list[UnresolvedLink]
    tags: list[str]
    truncated: bool


class NotePlace(Schema):
    """The file that a wiki link names; null for none."""

    path: str | None


class TagCount(Schema):
    """A tag, and how often it stands in the notes of a folder."""

    tag: str
    count: int


class TagList(Schema):
    """The tags of a folder, the most used first."""

    items: list[TagCount]
    truncated: bool


class TaggedNote(Schema):
    """A text with a tag: the line where it stands first, and how often it does."""

    path: str
    line: int
    text: str
    count: int


class TaggedNotes(Schema):
    """The texts with a tag, by their paths."""

    items: list[TaggedNote]
    truncated: bool
