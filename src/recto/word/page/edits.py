"""What a person does to a document on its page, one change after the other.

A change names its paragraph by its number and says how that read when the change was made. If it
reads otherwise by now, both changes are merged by their words; where they can't be, it is left.
"""

from typing import Literal

import msgspec


class FormatSpan(msgspec.Struct, frozen=True, rename="camel"):
    """How letters shall look; None is as their style has it."""

    start: int
    end: int
    bold: bool | None = None
    italic: bool | None = None
    underline: bool | None = None
    strike: bool | None = None
    script: Literal["", "super", "sub"] = ""


class SetText(msgspec.Struct, frozen=True, tag="text", tag_field="do", rename="camel"):
    """A paragraph that shall read otherwise."""

    paragraph: int
    base: str
    text: str


class FormatText(msgspec.Struct, frozen=True, tag="format", tag_field="do", rename="camel"):
    """Letters that shall look so; those that do already stay as they are."""

    paragraph: int
    base: str
    spans: tuple[FormatSpan, ...]


class SplitParagraph(msgspec.Struct, frozen=True, tag="split", tag_field="do", rename="camel"):
    """A paragraph cut in two; the rest gets a number of its own, asked for by `new`."""

    paragraph: int
    base: str
    at: int
    new: int


class JoinParagraphs(msgspec.Struct, frozen=True, tag="join", tag_field="do", rename="camel"):
    """A paragraph that goes on in the one before it, and how both shall read together."""

    paragraph: int
    base: str
    following: int
    following_base: str
    text: str


class AddParagraph(msgspec.Struct, frozen=True, tag="add", tag_field="do", rename="camel"):
    """A new paragraph behind one; where there is none, before one."""

    after: int
    text: str
    style: str
    new: int
    before: int = 0


class BringBack(msgspec.Struct, frozen=True, tag="back", tag_field="do", rename="camel"):
    """What was taken away, put back behind a paragraph, or before one: somebody undid it.

    It is the paragraph with this number, or the row or the table that begins with it.
    """

    what: Literal["paragraph", "row", "table"]
    paragraph: int
    after: int
    before: int
    text: str
    style: str
    beside_table: bool = False
    """Whether it stands beside the table that the other paragraph is in."""


class RemoveParagraph(msgspec.Struct, frozen=True, tag="remove", tag_field="do", rename="camel"):
    """A paragraph that goes."""

    paragraph: int
    base: str


class StyleParagraph(msgspec.Struct, frozen=True, tag="style", tag_field="do", rename="camel"):
    """A paragraph in another style, which may be one for lists."""

    paragraph: int
    style: str
    list: Literal["", "keep", "bullet", "number"] = "keep"
    """In which kind of list it shall be; in none, or as it is."""
    level: int = 0


class AddRow(msgspec.Struct, frozen=True, tag="addRow", tag_field="do", rename="camel"):
    """A row below the one that a paragraph is in, with as many empty cells."""

    paragraph: int
    new: tuple[int, ...] = ()
    """What the paragraphs of its cells are asked for with."""


class RemoveRow(msgspec.Struct, frozen=True, tag="removeRow", tag_field="do", rename="camel"):
    """The row that a paragraph is in goes."""

    paragraph: int


class LinkText(msgspec.Struct, frozen=True, tag="link", tag_field="do", rename="camel"):
    """Words that lead somewhere; nowhere any more without an address."""

    paragraph: int
    base: str
    start: int
    end: int
    address: str


PageEdit = (
    SetText
    | FormatText
    | SplitParagraph
    | JoinParagraphs
    | AddParagraph
    | BringBack
    | RemoveParagraph
    | StyleParagraph
    | AddRow
    | RemoveRow
    | LinkText
)


class EditConflict(msgspec.Struct, frozen=True, rename="camel"):
    """A paragraph that both sides changed at the same words: it stays as it is in the file."""

    paragraph: int
    mine: str
    theirs: str
