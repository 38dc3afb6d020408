"""Draws the page of a document as JSON; what was drawn before is drawn anew only where it must."""

from dataclasses import dataclass, field

import msgspec

from recto.word.ooxml.names import Element
from recto.word.page.model import PageStyle
from recto.word.page.reader import BlockChanges, PageReader
from recto.word.view import DocumentView, ShownParagraph


@dataclass(frozen=True, slots=True)
class DrawnBlock:
    """A block of the body as JSON, and what it was drawn from besides its own XML."""

    encoded: tuple[bytes, ...]
    paragraphs: tuple[ShownParagraph, ...]
    numbers: tuple[int, ...]
    keys: tuple[str, ...]
    """Of its tracked changes."""
    items: tuple[tuple[str, int, tuple[str, int]], ...]
    """Of lists, with what stands before them."""
    open_before: tuple[str, ...]
    """The comments whose words begin before it."""
    open_behind: tuple[str, ...]


@dataclass(slots=True)
class DrawnPage:
    """What a page was drawn of, by the blocks of its document."""

    blocks: dict[Element, DrawnBlock] = field(default_factory=dict[Element, DrawnBlock])
    changes: BlockChanges = field(default_factory=BlockChanges)
    styles: tuple[PageStyle, ...] | None = None


class PageDrawer(PageReader):
    """One page, drawn once, on top of what is known of the same document."""

    def __init__(self, view: DocumentView, known: DrawnPage) -> None:
        body = view.document.body
        self._known = known
        self._used: list[ShownParagraph] = []
        # Only what is still there is kept.
        blocks = {item for item in body.iterchildren() if item in known.changes}
        known.changes = {item: known.changes[item] for item in blocks}
        known.blocks = {item: known.blocks[item] for item in blocks if item in known.blocks}
        super().__init__(view, known.changes)

    def draw(self) -> tuple[bytes, tuple[bytes, ...]]:
        """What is around the body, and its blocks."""
        blocks = tuple(item for block in self._document.body for item in self._drawn(block))
        return msgspec.json.encode(self.frame()), blocks

    def _drawn(self, block: Element) -> tuple[bytes, ...]:
        known = self._known.blocks.get(block)
        if known is None or not self._holds(block, known):
            known = self._known.blocks[block] = self._draw(block)
        self._pieces.open[:] = known.open_behind
        return known.encoded

    def _holds(self, block: Element, known: DrawnBlock) -> bool:
        """Whether a block that was drawn is the same still; if it is, its items are counted."""
        if known.open_before != tuple(self._pieces.open) or known.keys != self._keys_of(block):
            return False
        if any(
            item.number != number or self._shown.get(item.element) is not item
            for item, number in zip(known.paragraphs, known.numbers, strict=True)
        ):
            return False
        counts = {name: list(found) for name, found in self._markers.counts.items()}
        for name, depth, made in known.items:
            if self._markers.counted(name, depth) != made:
                self._markers.counts = counts
                return False
        return True

    def _draw(self, block: Element) -> DrawnBlock:
        before = tuple(self._pieces.open)
        self._used, self._markers.given = [], []
        story = self._document.story(self._document.main)
        encoded = tuple(map(msgspec.json.encode, self._block(block, story)))
        return DrawnBlock(
            encoded,
            tuple(self._used),
            tuple(item.number for item in self._used),
            self._keys_of(block),
            tuple(self._markers.given),
            before,
            tuple(self._pieces.open),
        )

    def _keys_of(self, block: Element) -> tuple[str, ...]:
        changes = self._known.changes[block]
        return tuple(self._keys[mark] for item in changes for mark in item.marks)

    def _paragraph_of(self, element: Element) -> ShownParagraph | None:
        shown = super()._paragraph_of(element)
        if shown is not None:
            self._used.append(shown)
        return shown

    def _styles(self) -> tuple[PageStyle, ...]:
        if self._known.styles is None:
            self._known.styles = super()._styles()
        return self._known.styles
