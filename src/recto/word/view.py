"""A document as lines of Markdown, each paragraph behind its number (¶12).

Rows of tables are one line each, comments stand below what they are about, notes at the end.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from recto.word.ooxml.comments import CommentThread, comment_threads
from recto.word.ooxml.document import WordDocument, is_note
from recto.word.ooxml.names import FALLBACK, Element, attribute, child, kind, within
from recto.word.ooxml.segments import Segment, Surroundings, segments_of
from recto.word.ooxml.story import Story

PILCROW = "\N{PILCROW SIGN}"
PASSED_BLOCKS = ("sdt", "sdtContent", "customXml", "ins", "moveTo")
BOX = "txbxContent"


@dataclass(slots=True, eq=False)
class ShownParagraph:
    """A paragraph with a number."""

    element: Element
    story: Story
    prefix: str
    segments: list[Segment]
    in_cell: bool = False
    number: int = 0

    @property
    def text(self) -> str:
        """Its letters."""
        return "".join(segment.text for segment in self.segments)

    @property
    def head(self) -> str:
        """What stands before its letters."""
        return f"{PILCROW}{self.number} {self.prefix}"


@dataclass(slots=True, eq=False)
class Line:
    """One line: words of ours, and paragraphs."""

    pieces: list[str | ShownParagraph] = field(default_factory=list[str | ShownParagraph])

    @property
    def paragraphs(self) -> list[ShownParagraph]:
        """The paragraphs in it: one, or those of a row."""
        return [piece for piece in self.pieces if isinstance(piece, ShownParagraph)]

    @property
    def text(self) -> str:
        """The line as it is shown."""
        return "".join(
            piece if isinstance(piece, str) else piece.head + piece.text for piece in self.pieces
        ).rstrip(" ")


ReadBlocks = dict[Element, list[Line]]
BodyBlocks = list[tuple[Element, list[Line]]]
"""Each block of a body, and its lines: the very same ones where it reads as it did."""


class DocumentView:
    """The lines of a document, and its paragraphs in order."""

    def __init__(self, document: WordDocument, known: ReadBlocks | None = None) -> None:
        self.document = document
        self._known = known or {}
        self.read: ReadBlocks = {}
        """The blocks of the body that read so for as long as they are the same."""
        self.blocks: BodyBlocks = []
        self._notes = document.note_labels()
        self._threads = comment_threads(document)
        self.before_body = [Line([notice]) for notice in document.notices()]
        self.body_lines: list[Line] = []
        self.behind_body: list[Line] = []
        for story in document.stories():
            around = document.surroundings(self._notes, story)
            if story.name == document.main:
                self.body_lines += self._body(story, around)
            else:
                self.behind_body += self._blocks(story.root, story, around)
        self.lines = [*self.before_body, *self.body_lines, *self.behind_body]
        self.paragraphs = [item for line in self.lines for item in line.paragraphs]
        for number, paragraph in enumerate(self.paragraphs, 1):
            paragraph.number = number

    def number(self, numbers: Sequence[int]) -> None:
        """Give the paragraphs other numbers."""
        for paragraph, number in zip(self.paragraphs, numbers, strict=True):
            paragraph.number = number

    def untouched(self) -> ReadBlocks:
        """The blocks of the body that nothing was changed in since they were read."""
        story = self.document.story(self.document.main)
        changed = story.changed_spans
        return {
            block: self.read[block]
            for start, end, block in story.spans_in(self.document.body)
            if block in self.read and not any(start < to and at < end for at, to in changed)
        }

    @property
    def text(self) -> str:
        """All lines."""
        return "\n".join(line.text for line in self.lines)

    def _body(self, story: Story, around: Surroundings) -> Iterator[Line]:
        for block in self.document.body.iterchildren():
            # A field that goes on from one block to the next changes how both read.
            is_alone = not around.fields
            lines = self._known.get(block) if is_alone else None
            if lines is None:
                lines = list(self._block(block, story, around))
                # What is said beside it may change while it does not.
                is_alone = is_alone and not around.fields and not has_remarks(block)
            if is_alone:
                self.read[block] = lines
            self.blocks.append((block, lines))
            yield from lines

    def _blocks(self, holder: Element, story: Story, around: Surroundings) -> Iterator[Line]:
        for block in holder.iterchildren():
            yield from self._block(block, story, around)

    def _block(self, block: Element, story: Story, around: Surroundings) -> Iterator[Line]:
        match kind(block):
            case "p":
                yield from self._paragraph(block, story, around)
            case "tbl":
                yield from self._table(block, story, around)
            case "footnote" | "endnote" if is_note(block):
                yield from self._note(block, story, around)
            case name if name in PASSED_BLOCKS:
                yield from self._blocks(block, story, around)
            case _:
                pass

    def _paragraph(
        self, element: Element, story: Story, around: Surroundings, label: str = ""
    ) -> Iterator[Line]:
        shown = self._shown(element, story, around)
        if shown is None:
            return
        shown.prefix = label or shown.prefix
        yield Line([shown])
        yield from self._beside(element)

    def _shown(self, element: Element, story: Story, around: Surroundings) -> ShownParagraph | None:
        """A paragraph; None for one that a tracked change takes away whole."""
        segments = segments_of(element, around)
        if not segments and mark_is(element, "del", "moveFrom"):
            return None
        return ShownParagraph(element, story, self.document.styles.prefix(element), segments)

    def _note(self, note: Element, story: Story, around: Surroundings) -> Iterator[Line]:
        label = f"[^{self._notes[kind(note), attribute(note, 'id')]}]: "
        for line in self._blocks(note, story, around):
            if label and line.paragraphs:
                line.paragraphs[0].prefix, label = label, ""
            yield line

    def _table(self, table: Element, story: Story, around: Surroundings) -> Iterator[Line]:
        rows = [row for row in rows_of(table) if not row_is(row, "del")]
        for at, row in enumerate(rows):
            line, below, cells = Line(["|"]), list[Line](), 0
            for cell in cells_of(row):
                cells += 1
                self._cell(cell, story, around, line, below)
            yield line
            if at == 0:
                yield Line(["|" + " --- |" * cells])
            yield from below

    def _cell(
        self, cell: Element, story: Story, around: Surroundings, line: Line, below: list[Line]
    ) -> None:
        before = " "
        for found in self._blocks(cell, story, around):
            if len(found.paragraphs) == 1 and found.pieces[0] is found.paragraphs[0]:
                found.paragraphs[0].in_cell = True
                found.paragraphs[0].prefix = ""
                line.pieces += [before, found.paragraphs[0]]
                before = "<br>"
            else:
                below.append(found)
        line.pieces.append(" |")

    def _beside(self, element: Element) -> Iterator[Line]:
        """Text boxes that hang on a paragraph, and comments that end in it."""
        for box in boxes_of(element):
            for found in self._blocks(box, self.document.story(self.document.main), Surroundings()):
                # A box is there twice, for old and new Words: it is shown, and not numbered.
                text = "".join(item.text for item in found.paragraphs)
                if text:
                    yield Line([f"[text box] {text}"])
        for item in element.iter():
            if kind(item) == "commentReference":
                thread = self._threads.get(attribute(item, "id"))
                if thread is not None:
                    yield from map(one_line, thread_lines(thread))


def has_remarks(block: Element) -> bool:
    """Whether comments end in a block."""
    return next(within(block, "commentReference"), None) is not None


def one_line(text: str) -> Line:
    """A line of words."""
    return Line([text])


def thread_lines(thread: CommentThread) -> Iterator[str]:
    """A comment with its answers."""
    done = ", resolved" if thread.is_resolved else ""
    quoted = f' on "{thread.quoted}"' if thread.quoted else ""
    for at, comment in enumerate(thread.comments):
        what = f"[comment {comment.id} by {comment.author}{quoted}{done}]"
        indent = "" if at == 0 else f"[answer {comment.id} by {comment.author}]"
        yield f"    {indent or what} {comment.text}"


def mark_is(paragraph: Element, *names: str) -> bool:
    """Whether a paragraph's mark was inserted, deleted or moved."""
    properties = child(paragraph, "pPr")
    run = child(properties, "rPr") if properties is not None else None
    return run is not None and any(child(run, name) is not None for name in names)


def row_is(row: Element, name: str) -> bool:
    """Whether a row was inserted or deleted."""
    properties = child(row, "trPr")
    return properties is not None and child(properties, name) is not None


def rows_of(table: Element) -> Iterator[Element]:
    """The rows of a table, also those in content controls."""
    for item in table.iterchildren():
        if kind(item) == "tr":
            yield item
        elif kind(item) in PASSED_BLOCKS:
            yield from rows_of(item)


def cells_of(row: Element) -> Iterator[Element]:
    """The cells of a row, also those in content controls."""
    for item in row.iterchildren():
        if kind(item) == "tc":
            yield item
        elif kind(item) in PASSED_BLOCKS:
            yield from cells_of(item)


def boxes_of(paragraph: Element) -> Iterator[Element]:
    """The text boxes in a paragraph's runs, each once."""
    for item in paragraph.iter():
        if kind(item) == BOX and not any(above.tag == FALLBACK for above in item.iterancestors()):
            nearest = next((up for up in item.iterancestors() if kind(up) == "p"), None)
            if nearest is paragraph:
                yield item
