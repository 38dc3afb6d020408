"""What a document says, all its tracked changes accepted: words with their looks, and comments.

What is no text (a formula, a picture, a note's mark) is one letter of its own, `OBJECT`.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal
from unicodedata import category

import msgspec

from recto.word.changes.revisions import resolve, revisions_in
from recto.word.ooxml.document import WordDocument
from recto.word.ooxml.names import parse
from recto.word.page.model import PageBlock, PageParagraph, PagePiece, PageTable
from recto.word.page.reader import PageReader
from recto.word.view import DocumentView

OBJECT = "\N{OBJECT REPLACEMENT CHARACTER}"
UNSEEN = ("Cf", "Zs", "Cc")
CODE = "verbatim char"
CUSTOM_PROPERTIES = "docProps/custom.xml"
CORE_PROPERTIES = "docProps/core.xml"
PROGRAM_PROPERTIES = "docProps/app.xml"
Where = Literal["body", "cell", "note", "margin"]


class ReadContents(msgspec.Struct, frozen=True):
    """A document's words; `mark` names the property that says where it comes from."""

    mark: str
    only_origin: bool = False
    """Whether nothing else is asked."""


class ContentLook(msgspec.Struct, frozen=True):
    """So many letters of one look: bold, italic, struck out, underlined, code, raised, lowered.

    These are `b`, `i`, `s`, `u`, `c`, `^` and `,`.
    """

    length: int
    marks: str = ""
    link: str = ""


class ContentParagraph(msgspec.Struct, frozen=True):
    """A paragraph."""

    text: str
    objects: tuple[str, ...] = ()
    looks: tuple[ContentLook, ...] = ()
    style: str = ""
    """The name of its style."""
    where: Where = "body"
    marker: str = ""
    level: int = 0
    row: int = 0
    """Of the paragraph of a cell: which row of all tables it is in, from 1."""


class ContentComment(msgspec.Struct, frozen=True):
    """A comment with its answers; the paragraph is -1 where it has no place in the text."""

    author: str
    text: str
    answers: tuple[tuple[str, str], ...]
    is_resolved: bool
    quoted: str
    paragraph: int = -1
    start: int = 0
    last: int = -1
    """The paragraph in which it ends, and where."""
    end: int = 0


class DocumentContents(msgspec.Struct, frozen=True):
    """All that a document says."""

    origin: str
    """What the mark says; empty without it."""
    paragraphs: tuple[ContentParagraph, ...]
    comments: tuple[ContentComment, ...]
    authors: tuple[str, ...]
    """Of its tracked changes; else whoever saved it last."""
    program: str = ""
    """What saved it last, as it names itself."""


@dataclass(slots=True)
class ContentReader:
    """Gathers the paragraphs of a document, and where comments are."""

    styles: dict[str, str]
    paragraphs: list[ContentParagraph] = field(default_factory=list[ContentParagraph])
    starts: dict[str, tuple[int, int]] = field(default_factory=dict[str, tuple[int, int]])
    ends: dict[str, tuple[int, int]] = field(default_factory=dict[str, tuple[int, int]])
    rows: int = 0

    def add(self, blocks: Sequence[PageBlock], where: Where, row: int = 0) -> None:
        """Blocks, in order."""
        for block in blocks:
            if isinstance(block, PageTable):
                for item in block.rows:
                    self.rows += 1
                    number = self.rows
                    for cell in item.cells:
                        self.add(cell.blocks, "cell" if where == "body" else where, number)
            else:
                self.paragraphs.append(self._paragraph(block, where, row))

    def _paragraph(self, block: PageParagraph, where: Where, row: int) -> ContentParagraph:
        text, objects, looks = "", list[str](), list[ContentLook]()
        for piece in block.pieces:
            letters = letters_of(piece)
            if not letters:
                continue
            if letters == OBJECT:  # the number of a note is its place, and no more
                objects.append(name_of(piece))
            for name in piece.comments:
                self.starts.setdefault(name, (len(self.paragraphs), len(text)))
                self.ends[name] = (len(self.paragraphs), len(text) + len(letters))
            is_code = self.styles.get(piece.style, piece.style).casefold() == CODE
            look = look_of(piece, len(letters), is_code=is_code)
            if looks and (looks[-1].marks, looks[-1].link) == (look.marks, look.link):
                look = msgspec.structs.replace(look, length=look.length + looks.pop().length)
            looks.append(look)
            text += letters
        style = self.styles.get(block.style, block.style)
        return ContentParagraph(
            text, tuple(objects), tuple(looks), style, where, block.marker, block.level, row
        )


def letters_of(piece: PagePiece) -> str:
    """What stands for a piece."""
    match piece.kind:
        case "text":
            return piece.text.replace(OBJECT, "")
        case "deleted":
            return ""
        case "break":
            return "\n"
        case "kept" if piece.text.isprintable() and OBJECT not in piece.text:
            return piece.text
        case _:
            return OBJECT


def name_of(piece: PagePiece) -> str:
    """What a letter of its own stands for.

    Formulas without what can't be seen: LibreOffice writes them anew, without spaces and the like.
    """
    match piece.kind:
        case "note":
            return "note"
        case "formula":
            seen = (letter for letter in piece.text if category(letter) not in UNSEEN)
            return f"formula:{''.join(seen)}"
        case _:
            return f"{piece.kind}:{piece.text}"


def look_of(piece: PagePiece, length: int, *, is_code: bool) -> ContentLook:
    """How letters look, as far as Markdown can say it."""
    script = {"super": "^", "sub": ",", "": ""}[piece.script]
    marks = "".join(
        sign
        for sign, is_on in (
            ("b", piece.bold), ("i", piece.italic), ("s", piece.strike), ("u", piece.underline),
            ("c", is_code),
        )
        if is_on
    )  # fmt: skip
    return ContentLook(length, marks + script, piece.link)


def read_contents(data: bytes, asked: ReadContents) -> DocumentContents:
    """A document's words."""
    document = WordDocument(data)
    if asked.only_origin:
        return DocumentContents(origin_of(document, asked.mark), (), (), ())
    authors = [item.author for story in document.stories() for item in revisions_in(story)]
    for story in document.stories():
        resolve(story, accept=True, chosen=lambda _: True)
    # Read anew: what was accepted left paragraphs joined.
    accepted = WordDocument(document.saved())
    reader = PageReader(DocumentView(accepted))
    blocks, frame = reader.blocks(), reader.frame()
    found = ContentReader({style.id: style.name for style in frame.styles})
    found.add(blocks, "body")
    for note in frame.notes:
        found.add(note.blocks, "note")
    found.add((*frame.header, *frame.footer), "margin")
    comments: list[ContentComment] = []
    for thread in frame.comments:
        first, *answers = thread.remarks
        start, end = found.starts.get(thread.id, (-1, 0)), found.ends.get(thread.id, (-1, 0))
        told = tuple((answer.author, answer.text) for answer in answers)
        comments.append(
            ContentComment(
                first.author, first.text, told, thread.is_resolved, thread.quoted, *start, *end
            )
        )
    everybody = tuple(dict.fromkeys(name for name in authors if name)) or last_author(accepted)
    return DocumentContents(
        origin_of(accepted, asked.mark),
        tuple(found.paragraphs),
        tuple(comments),
        everybody,
        next(fields_of(accepted, PROGRAM_PROPERTIES, "Application"), ""),
    )


def origin_of(document: WordDocument, mark: str) -> str:
    """What a property of the document says; empty without it."""
    return next(property_values(document, CUSTOM_PROPERTIES, mark), "")


def last_author(document: WordDocument) -> tuple[str, ...]:
    """Who saved the document last, if it says so."""
    return tuple(fields_of(document, CORE_PROPERTIES, "lastModifiedBy"))


def fields_of(document: WordDocument, part: str, wanted: str) -> Iterator[str]:
    """What a document says of itself, where it says something."""
    name = document.package.find(part)
    if name is None:
        return
    for item in parse(document.part(name), name):
        text = (item.text or "").strip()
        if text and str(item.tag).endswith(f"}}{wanted}"):
            yield text


def property_values(document: WordDocument, part: str, wanted: str) -> Iterator[str]:
    """The values of a property of one's own."""
    name = document.package.find(part)
    if name is None:
        return
    for item in parse(document.part(name), name):
        if item.get("name") == wanted:
            yield "".join(str(text) for text in item.itertext()).strip()
