"""What changes on a page took away, so that undoing them brings back the very same."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import msgspec
from lxml import etree

from recto.word.changes.paragraph_ends import is_by
from recto.word.changes.revisions import DELETED, resolve
from recto.word.ooxml.names import Element, kind, parse
from recto.word.ooxml.segments import letters
from recto.word.ooxml.story import Story
from recto.word.page.edits import JoinParagraphs, PageEdit, RemoveParagraph, RemoveRow, SetText
from recto.word.page.reader import page_text
from recto.word.view import ShownParagraph, rows_of

MOST_KEPT = 400
MOST_KEPT_BYTES = 4_000_000


class KeptBlock(msgspec.Struct, frozen=True):
    """A paragraph, a row or a table as it was: its XML, and the numbers of its paragraphs."""

    numbers: tuple[int, ...]
    text: str
    """Of a paragraph: its letters."""
    xml: bytes


def about_to_go(
    edits: Sequence[PageEdit], paragraphs: dict[int, ShownParagraph]
) -> list[KeptBlock]:
    """What some edits may take away."""
    found: dict[Element, KeptBlock] = {}
    numbers = {item.element: number for number, item in paragraphs.items()}
    rows: set[Element] = set()
    for edit in edits:
        match edit:
            case RemoveParagraph(paragraph=number) | JoinParagraphs(following=number):
                keep(found, paragraphs.get(number), numbers)
            case RemoveRow(paragraph=number) if number in paragraphs:
                rows.update(around(paragraphs[number].element, "tr")[:1])
            case SetText(paragraph=number) if number in paragraphs:
                if any(not item.is_text for item in paragraphs[number].segments):
                    keep(found, paragraphs[number], numbers)
            case _:
                pass
    for row in rows:
        tables = around(row, "tbl")[:1]
        whole = [table for table in tables if set(rows_of(table)) <= rows]
        for block in whole or [row]:
            found[block] = block_of(block, "", numbers)
    return list(found.values())


def keep(
    found: dict[Element, KeptBlock],
    item: ShownParagraph | None,
    numbers: dict[Element, int],
) -> None:
    """Keep one paragraph."""
    if item is not None:
        found[item.element] = block_of(item.element, page_text(item), numbers)


def block_of(element: Element, text: str, numbers: dict[Element, int]) -> KeptBlock:
    """A block as it is; paragraphs without a number have 0."""
    inside = tuple(numbers.get(item, 0) for item in paragraphs_in(element))
    return KeptBlock(inside, text, etree.tostring(element, with_tail=False))


def around(element: Element, name: str) -> list[Element]:
    """What of this name an element lies in, the nearest first."""
    return [item for item in element.iterancestors() if kind(item) == name]


def paragraphs_in(element: Element) -> list[Element]:
    """The paragraphs of a block, in order."""
    return [item for item in element.iter() if kind(item) == "p"]


def bounded(kept: Iterable[KeptBlock]) -> tuple[KeptBlock, ...]:
    """The newest that find room."""
    found: list[KeptBlock] = []
    left = MOST_KEPT_BYTES
    for block in reversed(list(kept)):
        left -= len(block.xml)
        if left < 0 or len(found) == MOST_KEPT:
            break
        found.append(block)
    return tuple(reversed(found))


@dataclass(slots=True)
class KeptBlocks:
    """What was taken away before."""

    blocks: Sequence[KeptBlock] = field(default_factory=tuple[KeptBlock, ...])

    def find(self, number: int) -> KeptBlock | None:
        """The newest one that begins with a paragraph of this number."""
        return next((item for item in reversed(self.blocks) if first_of(item) == number), None)

    def as_it_read(self, number: int, text: str) -> Element | None:
        """A paragraph as it was when it read so."""
        for item in reversed(self.blocks):
            if item.numbers[:1] == (number,) and item.text == text:
                return parse(item.xml, "a paragraph")
        return None


def first_of(block: KeptBlock) -> int:
    """The first number in a block."""
    return next((number for number in block.numbers if number), 0)


def put_back_inside(item: ShownParagraph, was: Element) -> None:
    """A paragraph with all that was in it."""
    item.story.touch(item.element)
    for inside in list(item.element):
        item.element.remove(inside)
    for inside in list(was):
        item.element.append(inside)


def deletion_of(story: Story, was: Element, name: str) -> Element | None:
    """The block that one marked as deleted and that was this one, if it is still there."""
    wanted = all_letters(was)
    for item in story.root.iter():
        if kind(item) != kind(was) or all_letters(item) != wanted:
            continue
        if any(is_by(mark, name) for mark in ends_of(item)):
            return item
    return None


def ends_of(block: Element) -> list[Element]:
    """The marks that say that a block as a whole is deleted."""
    holders = ("rPr",) if kind(block) == "p" else ("trPr",)
    return [
        item for item in block.iter()
        if kind(item) in DELETED and kind(item.getparent()) in holders  # pyright: ignore[reportArgumentType]
    ]  # fmt: skip


def forget_deletion(story: Story, block: Element, name: str) -> None:
    """A block is no longer deleted."""
    marks = {item for item in block.iter() if kind(item) in DELETED and is_by(item, name)}
    resolve(story, accept=False, chosen=lambda mark: mark in marks)


def all_letters(block: Element) -> str:
    """All letters of a block, deleted ones, too."""
    return "".join(letters(item) for item in block.iter() if kind(item) in ("t", "delText"))
