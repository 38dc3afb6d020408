"""The JSON of Word documents as pages."""

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from recto.server.schemas.base import ResourceId, Schema, Text
from recto.server.schemas.file_operations import FilePath

Number = Annotated[int, Field(ge=-1_000_000_000, le=1_000_000_000)]
Letters = Annotated[Text, StringConstraints(max_length=2_000_000)]
Place = Annotated[int, Field(ge=0, le=10_000_000)]
TabName = Annotated[Text, StringConstraints(min_length=1, max_length=100)]
StyleName = Annotated[Text, StringConstraints(max_length=300)]
CommentText = Annotated[Text, StringConstraints(min_length=1, max_length=100_000)]
PieceKind = Literal["text", "deleted", "kept", "picture", "break", "pageBreak", "note", "formula"]


class WordPiece(Schema):
    """Letters of one format, or one thing that is no text. What is left out is as usual."""

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
    style: str = ""
    link: str = ""
    change: str = ""
    format_change: str = ""
    comments: list[str] = []
    part: str = ""
    width: int = 0
    height: int = 0
    why: str = ""


class WordParagraph(Schema):
    """A paragraph; its number is 0 where it can only be read."""

    kind: Literal["paragraph"]
    number: int
    text: str = ""
    style: str = ""
    align: str = ""
    indent: int = 0
    marker: str = ""
    level: int = 0
    pieces: list[WordPiece] = []
    change: str = ""
    end: Literal["", "inserted", "deleted"] = ""
    format_change: str = ""


class WordCell(Schema):
    """A cell of a table."""

    blocks: list["WordParagraph | WordTable"]
    columns: int = 1
    rows: int = 1


class WordRow(Schema):
    """A row of a table."""

    cells: list[WordCell]
    change: str = ""
    what: Literal["", "inserted", "deleted"] = ""
    is_head: bool = False


class WordTable(Schema):
    """A table."""

    kind: Literal["table"]
    rows: list[WordRow]


class WordNote(Schema):
    """A footnote or endnote."""

    label: str
    blocks: list[WordParagraph | WordTable]


class WordStyle(Schema):
    """A style as it looks."""

    id: str
    name: str
    kind: Literal["paragraph", "character"]
    level: int = 0
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


class WordChange(Schema):
    """A tracked change; settling asks by its place in the list."""

    key: str
    what: Literal["inserted", "deleted", "replaced", "moved", "format"]
    author: str
    date: str
    text: str


class WordRemark(Schema):
    """What one person said."""

    id: str
    author: str
    date: str
    text: str


class WordCommentThread(Schema):
    """A comment with its answers."""

    id: str
    quoted: str
    is_resolved: bool
    remarks: list[WordRemark]


class WordFrame(Schema):
    """All of a document but its blocks."""

    notices: list[str]
    refusal: str
    is_tracking: bool
    styles: list[WordStyle]
    changes: list[WordChange]
    comments: list[WordCommentThread]
    header: list[WordParagraph | WordTable]
    footer: list[WordParagraph | WordTable]
    notes: list[WordNote]
    width: float


class WordBlocks(Schema):
    """A page if `is_whole`, else what is other on it: from `start` to `end` are these blocks."""

    hash: str
    is_whole: bool
    start: int
    end: int
    frame: WordFrame
    blocks: list[WordParagraph | WordTable]


class WordPageView(WordBlocks):
    """A document as a page draws it."""

    opened_by: str
    """Another program that has it open."""
    is_elsewhere: bool
    """Whether another tab edits it."""
    author: str
    """In whose name what is typed here is tracked."""


class WordConflict(Schema):
    """A paragraph that both sides changed."""

    paragraph: int
    mine: str
    theirs: str


class WordNumber(Schema):
    """The number that a new paragraph got."""

    asked: int
    number: int


class WordSplice(WordBlocks):
    """What an edit made of a page."""

    made: list[WordNumber]
    conflicts: list[WordConflict]


class WordFormatSpan(Schema):
    """How letters shall look."""

    start: Place
    end: Place
    bold: bool | None = None
    italic: bool | None = None
    underline: bool | None = None
    strike: bool | None = None
    script: Literal["", "super", "sub"] = ""


class TextEdit(Schema):
    """A paragraph that shall read otherwise."""

    do: Literal["text"]
    paragraph: Number
    base: Letters
    text: Letters


class FormatEdit(Schema):
    """Letters that shall look otherwise."""

    do: Literal["format"]
    paragraph: Number
    base: Letters
    spans: Annotated[list[WordFormatSpan], Field(max_length=10_000)]


class SplitEdit(Schema):
    """A paragraph cut in two."""

    do: Literal["split"]
    paragraph: Number
    base: Letters
    at: Place
    new: Number


class JoinEdit(Schema):
    """Two paragraphs as one."""

    do: Literal["join"]
    paragraph: Number
    base: Letters
    following: Number
    following_base: Letters
    text: Letters


class AddEdit(Schema):
    """A new paragraph."""

    do: Literal["add"]
    after: Number
    text: Letters
    style: StyleName
    new: Number
    before: Number = 0


class BackEdit(Schema):
    """What was taken away, put back: a paragraph, or what begins with it."""

    do: Literal["back"]
    what: Literal["paragraph", "row", "table"]
    paragraph: Number
    after: Number
    before: Number
    text: Letters
    style: StyleName
    beside_table: bool = False


class RemoveEdit(Schema):
    """A paragraph that goes."""

    do: Literal["remove"]
    paragraph: Number
    base: Letters


class StyleEdit(Schema):
    """A paragraph in another style or list."""

    do: Literal["style"]
    paragraph: Number
    style: StyleName
    list: Literal["", "keep", "bullet", "number"] = "keep"
    level: Annotated[int, Field(ge=0, le=8)] = 0


class AddRowEdit(Schema):
    """A row below that of a paragraph."""

    do: Literal["addRow"]
    paragraph: Number
    new: Annotated[list[Number], Field(max_length=100)] = []


class RemoveRowEdit(Schema):
    """The row of a paragraph goes."""

    do: Literal["removeRow"]
    paragraph: Number


class LinkEdit(Schema):
    """Words that lead somewhere, or nowhere any more."""

    do: Literal["link"]
    paragraph: Number
    base: Letters
    start: Place
    end: Place
    address: Annotated[Text, StringConstraints(max_length=2000)]


WordEdit = Annotated[
    TextEdit
    | FormatEdit
    | SplitEdit
    | JoinEdit
    | AddEdit
    | BackEdit
    | RemoveEdit
    | StyleEdit
    | AddRowEdit
    | RemoveRowEdit
    | LinkEdit,
    Field(discriminator="do"),
]


class WordTaken(Schema):
    """Words that a person did not type: pasted, or taken over from a suggestion."""

    text: Letters
    suggestion: ResourceId | None = None


class WordEdits(Schema):
    """What a person changed on the page that shows the document with this hash."""

    path: FilePath
    hash: Text
    tab: TabName
    is_tracked: bool
    edits: Annotated[list[WordEdit], Field(max_length=5_000)]
    taken: Annotated[list[WordTaken], Field(max_length=1_000)] = []


class NewWordComment(Schema):
    """Something to say about words of a paragraph."""

    path: FilePath
    paragraph: Annotated[int, Field(ge=1, le=1_000_000_000)]
    start: Place
    end: Place
    text: CommentText


class WordAnswer(Schema):
    """The answer to a comment."""

    path: FilePath
    comment: Annotated[Text, StringConstraints(min_length=1, max_length=40)]
    text: CommentText


class WordResolution(Schema):
    """A comment that is done, or open again."""

    path: FilePath
    comment: Annotated[Text, StringConstraints(min_length=1, max_length=40)]
    is_resolved: bool


class WordCommentMade(Schema):
    """The id of a new comment."""

    id: str


class WordTab(Schema):
    """A tab that takes over a document, or leaves it."""

    path: FilePath
    tab: TabName
    takes: bool


class WordFile(Schema):
    """A Word document of the folder."""

    path: FilePath


class ForeignText(Schema):
    """A document of another word processor as Markdown."""

    text: str
