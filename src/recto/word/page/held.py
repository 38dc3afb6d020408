"""A document that stays read between what is done with it: only what is other is read anew."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

import msgspec

from recto.alike import same_end, same_start
from recto.word.failures import EditRefused
from recto.word.numbering import NumberedTexts
from recto.word.ooxml.document import WordDocument
from recto.word.page.drawing import DrawnPage, PageDrawer
from recto.word.view import BodyBlocks, DocumentView, Line, ReadBlocks

Row = TypeVar("Row", str, tuple[Any, ...])
OTHER_PARAGRAPHS = "The document has other paragraphs by now. Open it again."


class ShownPage(msgspec.Struct, frozen=True, tag=True):
    """A page as JSON: what is around the body, and each block of the body."""

    frame: bytes
    blocks: tuple[bytes, ...]
    text: str
    numbered: NumberedTexts


class RowSplice(msgspec.Struct, frozen=True, array_like=True):
    """What is other in a row of things: from one place to another stands this now."""

    start: int
    end: int
    new: Any


class NumbersChange(msgspec.Struct, frozen=True):
    """What is other in the numbers of paragraphs, and in their texts."""

    numbers: RowSplice
    texts: RowSplice
    next: int


class PageDifference(msgspec.Struct, frozen=True, tag=True):
    """What is other on a page than on the one that was told before."""

    frame: bytes
    blocks: RowSplice
    text: RowSplice
    numbered: NumbersChange


class AskedNumbers(msgspec.Struct, frozen=True):
    """The numbers that whoever asks knows: all of them, or since the page that was told last."""

    known: NumberedTexts | None = None
    since: NumbersChange | None = None


@dataclass(frozen=True, slots=True)
class ReadBody:
    """How a body was read: its blocks, the numbers in them, and its lines."""

    blocks: BodyBlocks = field(default_factory=BodyBlocks)
    numbers: tuple[int, ...] = ()
    texts: list[str] = field(default_factory=list[str])


class HeldDocument:
    """One document, and the page of it that was told last; nothing of another one."""

    def __init__(self) -> None:
        self._document: WordDocument | None = None
        self._lines: ReadBlocks = {}
        self._drawn = DrawnPage()
        self._body = ReadBody()
        self._told: ShownPage | None = None

    def read(self, data: bytes) -> DocumentView:
        """The document that these bytes are. Raises NotWord."""
        document = self._document
        if document is None or not document.renew(data):
            self.forget()
            document = WordDocument(data)
        view = DocumentView(document, self._lines)
        self._document, self._lines = document, view.read
        return view

    def forget(self) -> None:
        """Read it as a whole next time; what was told is still known."""
        self._document, self._lines, self._drawn, self._body = None, {}, DrawnPage(), ReadBody()

    def numbered(self, asked: AskedNumbers) -> NumberedTexts:
        """The numbers that whoever asks knows."""
        if asked.known is not None:
            return asked.known
        if self._told is None or asked.since is None:
            raise EditRefused(OTHER_PARAGRAPHS)
        return renumbered_by(self._told.numbered, asked.since)

    def page(
        self, view: DocumentView, numbered: NumberedTexts, *, whole: bool
    ) -> ShownPage | PageDifference:
        """A page with these numbers: whole, or what is other on it than on the last one."""
        if len(numbered.numbers) != len(view.paragraphs):
            raise EditRefused(OTHER_PARAGRAPHS)
        view.number(numbered.numbers)
        behind = sum(len(line.paragraphs) for line in view.behind_body)
        numbers = numbered.numbers[: len(numbered.numbers) - behind]
        alike = blocks_alike(self._body, view.blocks, numbers)
        frame, blocks = PageDrawer(view, self._drawn, alike).draw()
        texts = body_texts(view, self._body, alike)
        self._body = ReadBody(view.blocks, numbers, texts)
        text = "\n".join((*texts_of(view.before_body), *texts, *texts_of(view.behind_body)))
        before, self._told = self._told, ShownPage(frame, blocks, text, numbered)
        return self._told if whole or before is None else changed(before, self._told)


def blocks_alike(was: ReadBody, blocks: BodyBlocks, numbers: tuple[int, ...]) -> tuple[int, int]:
    """How many blocks at the start and at the end read as they did, under the same numbers."""
    start = same_start(was.blocks, blocks)
    behind = same_end(was.blocks, blocks, min(len(was.blocks), len(blocks)) - start)
    if numbers != was.numbers:
        most = min(len(was.numbers), len(numbers))
        start = blocks_within(blocks[:start], same_start(was.numbers, numbers))
        last = blocks[len(blocks) - behind :][::-1]
        behind = blocks_within(last, same_end(was.numbers, numbers, most))
    return start, behind


def blocks_within(blocks: BodyBlocks, count: int) -> int:
    """How many blocks have at most so many paragraphs together."""
    for at, (_, lines) in enumerate(blocks):
        count -= sum(len(line.paragraphs) for line in lines)
        if count < 0:
            return at
    return len(blocks)


def body_texts(view: DocumentView, was: ReadBody, alike: tuple[int, int]) -> list[str]:
    """The lines of a body as text; of blocks that read as they did as they were."""
    start, behind = alike
    first = sum(len(lines) for _, lines in view.blocks[:start])
    last = sum(len(lines) for _, lines in view.blocks[len(view.blocks) - behind :])
    between = texts_of(view.body_lines[first : len(view.body_lines) - last])
    return [*was.texts[:first], *between, *was.texts[len(was.texts) - last :]]


def texts_of(lines: Sequence[Line]) -> Iterator[str]:
    """Lines as text."""
    return (line.text for line in lines)


def changed(before: ShownPage, after: ShownPage) -> PageDifference:
    """What is other on a page than on the one before."""
    return PageDifference(
        after.frame,
        splice(before.blocks, after.blocks),
        splice(before.text, after.text),
        numbers_since(before.numbered, after.numbered),
    )


def applied(page: ShownPage, change: PageDifference) -> ShownPage:
    """The page that another one became."""
    return ShownPage(
        change.frame,
        spliced(page.blocks, change.blocks),
        spliced(page.text, change.text),
        renumbered_by(page.numbered, change.numbered),
    )


def numbers_since(was: NumberedTexts, now: NumberedTexts) -> NumbersChange:
    """What is other in numbers."""
    return NumbersChange(splice(was.numbers, now.numbers), splice(was.texts, now.texts), now.next)


def renumbered_by(was: NumberedTexts, change: NumbersChange) -> NumberedTexts:
    """The numbers with what is other in them."""
    return NumberedTexts(
        spliced(was.numbers, change.numbers), spliced(was.texts, change.texts), change.next
    )


def splice(was: Row, now: Row) -> RowSplice:
    """What makes a row of another one."""
    start = same_start(was, now)
    behind = same_end(was, now, min(len(was), len(now)) - start)
    return RowSplice(start, len(was) - behind, now[start : len(now) - behind])


def spliced(row: Row, splice: RowSplice) -> Row:
    """A row with a splice in it."""
    return row[: splice.start] + type(row)(splice.new) + row[splice.end :]
