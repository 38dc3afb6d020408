"""Draws the page of a document as JSON; what was drawn before is drawn anew only where it must."""

from collections.abc import Sequence
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
    """What a page was drawn of: the blocks of its document in their order."""

    elements: list[Element] = field(default_factory=list[Element])
    blocks: list[DrawnBlock] = field(default_factory=list[DrawnBlock])
    has_twins: bool = False
    """Whether two of its tracked changes had one id."""
    changes: BlockChanges = field(default_factory=BlockChanges)
    styles: tuple[PageStyle, ...] | None = None


class PageDrawer(PageReader):
    """One page, drawn once, on top of what is known of the same document."""

    def __init__(self, view: DocumentView, known: DrawnPage, alike: tuple[int, int]) -> None:
        """So many blocks at the start and at the end read as they did, under the same numbers."""
        self._known = known
        self._elements = [block for block, _ in view.blocks]
        self._start, self._behind = alike
        self._used: list[ShownParagraph] = []
        # Only what is still there is kept.
        for gone in set(known.elements[self._start : len(known.elements) - self._behind]):
            known.changes.pop(gone, None)
        super().__init__(view, known.changes)

    def draw(self) -> tuple[bytes, tuple[bytes, ...]]:
        """What is around the body, and its blocks."""
        known, start, behind = self._known, self._start, self._kept_behind()
        end, known_end = len(self._elements) - behind, len(known.blocks) - behind
        made = self._passed(self._elements[:start], known.blocks[:start])
        between = dict(
            zip(known.elements[start:known_end], known.blocks[start:known_end], strict=True)
        )
        for block in self._elements[start:end]:
            made.append(self._drawn(block, between.get(block)))
        made += self._passed(self._elements[end:], known.blocks[known_end:])
        known.elements, known.blocks = self._elements, made
        known.has_twins = self._has_twins
        return msgspec.json.encode(self.frame()), tuple(
            item for one in made for item in one.encoded
        )

    @property
    def _has_twins(self) -> bool:
        """Whether two tracked changes have one id: which is which is told by their order."""
        return any("." in key for key, _ in self._revisions)

    def _kept_behind(self) -> int:
        """How many blocks at the end have their tracked changes under the same keys.

        A change that goes on from one block to the next is named by where it begins.
        """
        if self._known.has_twins or self._has_twins:
            self._start = 0
            return 0
        known, behind = self._known.blocks, self._behind
        while behind and known[-behind].keys != self._keys_of(self._elements[-behind]):
            behind -= 1
        return behind

    def _passed(self, elements: Sequence[Element], known: Sequence[DrawnBlock]) -> list[DrawnBlock]:
        """Blocks that read as they did: drawn anew only where what is before them is other."""
        if known and known[0].open_before == tuple(self._pieces.open) and self._counts(known):
            self._pieces.open[:] = known[-1].open_behind
            return list(known)
        return [self._drawn(*pair) for pair in zip(elements, known, strict=True)]

    def _drawn(self, block: Element, known: DrawnBlock | None) -> DrawnBlock:
        made = known if known is not None and self._holds(block, known) else self._draw(block)
        self._pieces.open[:] = made.open_behind
        return made

    def _holds(self, block: Element, known: DrawnBlock) -> bool:
        """Whether a block that was drawn is the same still; if it is, its items are counted."""
        if known.open_before != tuple(self._pieces.open) or known.keys != self._keys_of(block):
            return False
        if any(
            item.number != number or self._shown.get(item.element) is not item
            for item, number in zip(known.paragraphs, known.numbers, strict=True)
        ):
            return False
        return self._counts((known,))

    def _counts(self, blocks: Sequence[DrawnBlock]) -> bool:
        """Count the items of blocks, unless something else stands before them by now."""
        counts = {name: list(found) for name, found in self._markers.counts.items()}
        for name, depth, made in (item for block in blocks for item in block.items):
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
