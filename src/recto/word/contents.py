"""What a document says, all its tracked changes accepted: words with their looks, and comments.

What is no text (a formula, a picture, a note's mark) is one letter of its own, `OBJECT`.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

import msgspec

from recto.word.changes.revisions import resolve, revisions_in
from recto.word.ooxml.document import WordDocument
from recto.word.ooxml.names import parse
from recto.word.page.model import PageBlock, PageParagraph, PagePiece, PageTable
from recto.word.page.reader import PageReader
from recto.word.view import DocumentView

OBJECT = "\N{OBJECT REPLACEMENT CHARACTER}"
CODE = "verbatim char"
CUSTOM_PROPERTIES = "docProps/custom.xml"
CORE_PROPERTIES = "docProps/core.xml"
Where = Literal["body", "cell", "note", "margin"]


class ReadContents(msgspec.Struct, frozen=True):
    """A document's words; `mark` names the property that says where it comes from."""

    mark: str


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


@dataclass(slots=True)
class ContentReader:
    """Gathers the paragraphs of a document, and where comments are."""

    styles: dict[str, str]
    paragraphs: list[ContentParagraph] = field(default_factory=list[ContentParagraph])
    starts: dict[str, tuple[int, int]] = field(default_factory=dict[str, tuple[int, int]])
    ends: dict[str, tuple[int, int]] = field(default_factory=dict[str, tuple[int, int]])

    def add(self, blocks: Sequence[PageBlock], where: Where) -> None:
        """Blocks, in order."""
        for block in blocks:
            if isinstance(block, PageTable):
                for row in block.rows:
                    for cell in row.cells:
                        self.add(cell.blocks, "cell" if where == "body" else where)
            else:
                self.paragraphs.append(self._paragraph(block, where))

    def _paragraph(self, block: PageParagraph, where: Where) -> ContentParagraph:
        text, objects, looks = "", list[str](), list[ContentLook]()
        for piece in block.pieces:
            letters = letters_of(piece)
            if not letters:
                continue
            if letters == OBJECT:  # the number of a note is its place, and no more
                objects.append(piece.kind if piece.kind == "note" else f"{piece.kind}:{piece.text}")
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
            text, tuple(objects), tuple(looks), style, where, block.marker, block.level
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
        origin_of(accepted, asked.mark), tuple(found.paragraphs), tuple(comments), everybody
    )


def origin_of(document: WordDocument, mark: str) -> str:
    """What a property of the document says; empty without it."""
    return next(property_values(document, CUSTOM_PROPERTIES, mark), "")


def last_author(document: WordDocument) -> tuple[str, ...]:
    """Who saved the document last, if it says so."""
    name = document.package.find(CORE_PROPERTIES)
    if name is None:
        return ()
    root = parse(document.part(name), name)
    found = (item.text or "" for item in root if str(item.tag).endswith("}lastModifiedBy"))
    return tuple(text.strip() for text in found if text.strip())


def property_values(document: WordDocument, part: str, wanted: str) -> Iterator[str]:
    """The values of a property of one's own."""
    name = document.package.find(part)
    if name is None:
        return
    for item in parse(document.part(name), name):
        if item.get("name") == wanted:
            yield "".join(str(text) for text in item.itertext()).strip()
