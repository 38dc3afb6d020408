"""What is to be done to the Markdown for each thing that was changed, and ways to do it."""

from dataclasses import dataclass, field
from typing import Literal

from recto.publishing.returns.blocks import HEADING, above_all, below, releveled, without
from recto.publishing.returns.source_edits import (
    MADE,
    ChangedParagraph,
    Side,
    SourceEdit,
    with_empty_signs,
)
from recto.publishing.returns.source_map import SourceMap
from recto.publishing.returns.table_rows import A_ROW, rows_below, without_row
from recto.publishing.returns.words import ParagraphHunk
from recto.publishing.returns.writing import SIGNS, Escaping, MarkdownWriter, NoPlace, WordLook
from recto.word import ContentParagraph

Kind = Literal["words", "look", "level", "removed", "added"]
WAYS: tuple[tuple[Escaping, Side, bool], ...] = (
    ("few", "left", True),
    ("typed", "left", True),
    ("all", "left", True),
    ("few", "right", True),
    ("none", "left", True),
    ("few", "left", False),
    ("typed", "left", False),
)
"""How words are escaped, on which side of signs they go, and whether looks have to be right."""


@dataclass(slots=True, eq=False)
class ReturnProposal:
    """One thing that was changed."""

    kind: Kind
    sent: int
    """The paragraph that was sent; of a new one, that above it, or -1."""
    back: int = -1
    hunk: ParagraphHunk = ParagraphHunk(0, 0, 0, 0)
    marks: str = ""
    """Of a look: the sign that came, or went behind a minus."""
    way: int = 0
    rows: tuple[tuple[int, ...], ...] = ()
    """Of a cell: the cells of the rows that came or went together with it, by their numbers."""
    why: str = ""
    """Why it has no place; empty as long as it may have one."""

    @property
    def is_led(self) -> bool:
        """Whether another cell's proposal stands for this one, too."""
        return bool(self.rows) and self.rows[0][0] != (
            self.sent if self.kind == "removed" else self.back
        )


@dataclass(slots=True, eq=False)
class ProposalGroup:
    """The proposals of one paragraph, tried together, then one by one."""

    trying: list[ReturnProposal]
    accepted: list[ReturnProposal] = field(default_factory=list[ReturnProposal])
    refused: list[ReturnProposal] = field(default_factory=list[ReturnProposal])
    _queue: list[ReturnProposal] = field(default_factory=list[ReturnProposal])
    _way: int = 0

    @property
    def proposals(self) -> list[ReturnProposal]:
        """Those that are made now."""
        return [*self.accepted, *self.trying]

    def passed(self) -> None:
        """What was tried is as it shall be."""
        self.accepted += self.trying
        self._next()

    def failed(self, why: str) -> None:
        """What was tried is not as it shall be: it is tried in another way, or alone."""
        self._way += 1
        if self._way < len(WAYS):
            for item in self.trying:
                item.way = self._way
        elif len(self.trying) > 1:
            self._queue = self.trying
            self._next()
        else:
            self.refuse(why)

    def refuse(self, why: str) -> None:
        """What was tried has no place."""
        for item in self.trying:
            item.why = why
        self.refused += self.trying
        self._next()

    def drop(self, item: ReturnProposal, why: str) -> None:
        """One of them has no place, whichever way."""
        item.why = why
        for kept in (self.trying, self.accepted):
            if item in kept:
                kept.remove(item)
        self.refused.append(item)
        if not self.trying:
            self._next()

    def _next(self) -> None:
        self._way = 0
        self.trying = self._queue[:1]
        self._queue = self._queue[1:]
        for item in self.trying:
            item.way = 0


@dataclass(frozen=True, slots=True)
class Drafted:
    """The draft as it was sent: its Markdown, its paragraphs and where these come from."""

    source: str
    sent: tuple[ContentParagraph, ...]
    maps: tuple[SourceMap | None, ...]
    known: dict[str, str]

    def edits(self, item: ReturnProposal, back: tuple[ContentParagraph, ...]) -> list[SourceEdit]:
        """What a proposal does to the Markdown. Raises NoPlace."""
        escaping, side, _ = WAYS[item.way]
        writer = MarkdownWriter(self.known, escaping)
        if item.rows:
            return [] if item.is_led else self._rows(item, back, writer)
        if item.kind == "added":
            return [self._added(item, back[item.back], writer)]
        found = self.maps[item.sent]
        if item.kind == "removed" and self.sent[item.sent].where == "note":
            return []  # it goes with its mark
        if found is None:
            raise NoPlace(MADE)
        if item.kind == "removed":
            if self.sent[item.sent].where != "body":
                raise NoPlace(A_ROW)
            return [without(self.source, found)]
        if item.kind == "level":
            level = HEADING.match(back[item.back].style)
            if level is None:
                raise NoPlace("another style")
            return [releveled(self.source, found, int(level[1]))]
        if item.kind == "look":
            return self._looked(item, found)
        changed = ChangedParagraph(self.sent[item.sent], back[item.back], found, self.source)
        return [changed.edit(item.hunk, writer, side)]

    def _rows(
        self, item: ReturnProposal, back: tuple[ContentParagraph, ...], writer: MarkdownWriter
    ) -> list[SourceEdit]:
        """Whole rows of a table that came or went."""
        if item.kind == "removed":
            return [without_row(self.source, [self.maps[at] for at in row]) for row in item.rows]
        above = self.maps[item.sent] if item.sent >= 0 else None
        row = [at for at, one in enumerate(self.sent) if one.row == self.sent[item.sent].row]
        known = above or next((found for at in row if (found := self.maps[at])), None)
        if known is None or self.sent[item.sent].where != "cell":
            raise NoPlace(A_ROW)
        new = [[write_cell(writer, back[at]) for at in cells] for cells in item.rows]
        return [rows_below(self.source, known, new)]

    def _added(
        self, item: ReturnProposal, new: ContentParagraph, writer: MarkdownWriter
    ) -> SourceEdit:
        if new.where != "body":
            raise NoPlace("a footnote" if new.where == "note" else A_ROW)
        above = next((found for found in reversed(self.maps[: item.sent + 1]) if found), None)
        if item.sent >= 0 and above is not None:
            return below(self.source, above, new, writer)
        first = next((found for found in self.maps if found is not None), None)
        if first is None:
            raise NoPlace("a place that is not known")
        return above_all(self.source, first, new, writer)

    def _looked(self, item: ReturnProposal, found: SourceMap) -> list[SourceEdit]:
        """Letters that look otherwise."""
        spans = found.spans[item.hunk.start : item.hunk.end]
        if not spans or any(span.made for span in (spans[0], spans[-1])):
            raise NoPlace(MADE)
        start, end = spans[0].start, spans[-1].end
        sign = SIGNS.get(item.marks[-1], "")
        if not sign:
            raise NoPlace("a look that Markdown has no sign for")
        if item.marks.startswith("-"):
            outer, last = with_empty_signs(self.source, start, end)
            if (outer, last) == (start, end):
                raise NoPlace("a look of words that look so together with others")
            return [SourceEdit(outer, start, ""), SourceEdit(end, last, "")]
        return [SourceEdit(start, start, sign), SourceEdit(end, end, sign)]


def write_cell(writer: MarkdownWriter, cell: ContentParagraph) -> str:
    """A cell's words in Markdown."""
    return writer.write(cell, 0, len(cell.text), WordLook(), opens=False)
