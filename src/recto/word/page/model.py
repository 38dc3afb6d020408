"""A document as a page draws it: blocks, what is in them, styles, changes and comments.

The letters of a paragraph (`text`) are those that edits are counted in: what a tracked change took
away is shown and not counted; a picture or a note counts as the few letters that stand for it.
"""

from typing import Literal

import msgspec

PieceKind = Literal["text", "deleted", "kept", "picture", "break", "pageBreak", "note", "formula"]


class PagePiece(msgspec.Struct, frozen=True, omit_defaults=True, rename="camel"):
    """Letters of one format, or one thing that is no text."""

    text: str
    kind: PieceKind = "text"
    bold: bool | None = None
    italic: bool | None = None
    underline: bool | None = None
    strike: bool | None = None
    script: Literal["", "super", "sub"] = ""
    colour: str = ""
    highlight: str = ""
    size: float = 0
    """In points; 0 is the style's own."""
    style: str = ""
    """The character style."""
    link: str = ""
    change: str = ""
    """The tracked change that inserted or deleted it."""
    format_change: str = ""
    """The tracked change of its format."""
    comments: tuple[str, ...] = ()
    part: str = ""
    """Of a picture: the part of the package that holds it."""
    width: int = 0
    height: int = 0
    why: str = ""
    """Why it can't be changed."""


class PageParagraph(msgspec.Struct, frozen=True, omit_defaults=True, rename="camel"):
    """A paragraph; its number is 0 where it can only be read."""

    kind: Literal["paragraph"]
    number: int
    text: str = ""
    style: str = ""
    align: str = ""
    indent: int = 0
    """In points."""
    marker: str = ""
    level: int = 0
    pieces: tuple[PagePiece, ...] = ()
    change: str = ""
    """The tracked change that inserted or deleted its end."""
    end: Literal["", "inserted", "deleted"] = ""
    format_change: str = ""


class PageCell(msgspec.Struct, frozen=True, omit_defaults=True, rename="camel"):
    """A cell, and how many columns and rows it takes."""

    blocks: "tuple[PageBlock, ...]"
    columns: int = 1
    rows: int = 1


class PageRow(msgspec.Struct, frozen=True, omit_defaults=True, rename="camel"):
    """A row, perhaps one that a tracked change added or took away."""

    cells: tuple[PageCell, ...]
    change: str = ""
    what: Literal["", "inserted", "deleted"] = ""
    is_head: bool = False


class PageTable(msgspec.Struct, frozen=True, omit_defaults=True, rename="camel"):
    """A table."""

    kind: Literal["table"]
    rows: tuple[PageRow, ...]


PageBlock = PageParagraph | PageTable


class PageNote(msgspec.Struct, frozen=True, omit_defaults=True, rename="camel"):
    """A note at the foot of a page or at the end."""

    label: str
    blocks: tuple[PageBlock, ...]


class PageStyle(msgspec.Struct, frozen=True, omit_defaults=True, rename="camel"):
    """A style as it looks, with all that it takes from others."""

    id: str
    name: str
    kind: Literal["paragraph", "character"]
    level: int = 0
    """Of headings."""
    is_default: bool = False
    bold: bool = False
    italic: bool = False
    underline: bool = False
    strike: bool = False
    colour: str = ""
    size: float = 0
    align: str = ""
    before: float = 0
    after: float = 0
    indent: float = 0


class PageChange(msgspec.Struct, frozen=True, rename="camel"):
    """A tracked change; its place in the list is what settling is asked with."""

    key: str
    what: Literal["inserted", "deleted", "replaced", "moved", "format"]
    author: str
    date: str
    text: str


class PageRemark(msgspec.Struct, frozen=True, rename="camel"):
    """What one person said in a comment."""

    id: str
    author: str
    date: str
    text: str


class PageComment(msgspec.Struct, frozen=True, rename="camel"):
    """A thread of comments at its words."""

    id: str
    quoted: str
    is_resolved: bool
    remarks: tuple[PageRemark, ...]


class PageFrame(msgspec.Struct, frozen=True, rename="camel"):
    """All of a document but its blocks."""

    notices: tuple[str, ...]
    refusal: str
    """Why it can't be edited; empty if it can."""
    is_tracking: bool
    """Whether the document itself says that changes are tracked."""
    styles: tuple[PageStyle, ...]
    changes: tuple[PageChange, ...]
    comments: tuple[PageComment, ...]
    header: tuple[PageBlock, ...]
    footer: tuple[PageBlock, ...]
    notes: tuple[PageNote, ...]
    width: float
    """Of the text, in points."""
