"""Follows one text: takes in its edits, says who wrote what and what waits for review.

A document that is edited and one that is read from its journal go through the same steps.
"""

from collections.abc import Collection, Iterator, Sequence

from recto.documents.failures import NoSuchHunk
from recto.documents.origins import EditOrigin
from recto.documents.splices import Splice, spliced
from recto.documents.tracking.edits import edited
from recto.documents.tracking.hunks import Hunk, HunkGroup, groups
from recto.documents.tracking.pieces import TrackedPieces, WrittenSpan, written
from recto.documents.tracking.review import (
    ReviewChoice,
    accepted,
    left_out,
    pieces_of,
    rejected,
    retyped,
    split_at,
)
from recto.documents.words import Unit


class Tracker:
    """The pieces of a text that changes. It is told each text, and does not keep it."""

    def __init__(self, tracked: TrackedPieces, text: str, unit: Unit) -> None:
        self._unit: Unit = unit
        self._tracked = tracked
        self._groups = self._find(text)

    @property
    def tracked(self) -> TrackedPieces:
        """The pieces as they are."""
        return self._tracked

    @property
    def hunks(self) -> tuple[Hunk, ...]:
        """What waits for review, from front to back."""
        return tuple(_group.hunk for _group in self._groups)

    @property
    def pending(self) -> frozenset[str]:
        """The edits that wait for review."""
        return frozenset(edit for _group in self._groups for edit in _group.hunk.edits)

    def written(self) -> tuple[WrittenSpan, ...]:
        """Who wrote what."""
        return written(self._tracked.pieces)

    def reviewed(self, text: str) -> str:
        """The text without the edits that wait for review."""
        return spliced(text, [Splice(hunk.start, hunk.end, hunk.old) for hunk in self.hunks])

    def take(
        self, splices: Sequence[Splice], origin: EditOrigin, *, before: str, after: str
    ) -> None:
        """Take in an edit, as changes in order, with the text before and after it."""
        if not splices:
            return
        tracked = edited(self._tracked, before, splices, origin)
        # A run that writes the old words again made an edit; an undo restores marks by itself.
        if self._groups and origin.who != "run" and origin.way != "undone":
            for end in ends_of(splices):
                tracked = retyped(tracked, after, end)
        self.put(tracked, after)

    def put(self, tracked: TrackedPieces, text: str) -> None:
        """Take these pieces for the text."""
        self._tracked = tracked
        self._groups = self._find(text)
        if self._groups:
            self._settle(text)

    def would_keep(self, tracked: TrackedPieces, text: str) -> TrackedPieces:
        """What `put` would make of these pieces."""
        other = Tracker(tracked, text, self._unit)
        other.put(tracked, text)
        return other.tracked

    def choose(self, hunks: Collection[str] | None, edits: Collection[str] | None) -> ReviewChoice:
        """What is meant by hunks and edits: what is in both; None means all. Raises NoSuchHunk."""
        known = {_group.hunk.id: _group for _group in self._groups}
        missing = [hunk for hunk in hunks or () if hunk not in known]
        if missing:
            raise NoSuchHunk
        return ReviewChoice(
            None if edits is None else frozenset(edits),
            None if hunks is None else self._pieces_of([known[hunk] for hunk in hunks]),
        )

    def accepted(self, choice: ReviewChoice) -> TrackedPieces:
        """The pieces with edits accepted."""
        return accepted(self._tracked, choice)

    def accepted_but(
        self, edits: Collection[str], spans: Sequence[tuple[int, int]]
    ) -> TrackedPieces:
        """The pieces with edits accepted, but for what lies in some places of the text."""
        bounds = [place for span in spans for place in span]
        bounds += [place for hunk in self.hunks for place in (hunk.start, hunk.end)]
        split = split_at(self._tracked, bounds)
        waiting = left_out(split, self.hunks, spans)
        chosen = frozenset(range(len(split.pieces))) - waiting
        return accepted(split, ReviewChoice(frozenset(edits), chosen))

    def rejected(self, choice: ReviewChoice, text: str) -> tuple[TrackedPieces, tuple[Splice, ...]]:
        """The pieces with edits rejected, and how that changes the text."""
        return rejected(self._tracked, choice, text)

    def _pieces_of(self, chosen: Sequence[HunkGroup]) -> frozenset[int]:
        return pieces_of(chosen, self._tracked.pieces)

    def _find(self, text: str) -> tuple[HunkGroup, ...]:
        if any(piece.is_pending for piece in self._tracked.pieces):
            return groups(self._tracked.pieces, text, self._unit)
        return ()

    def _settle(self, text: str) -> None:
        """End the review of edits that together changed nothing: the text is as without them."""
        same = [_group for _group in self._groups if _group.hunk.old == _group.hunk.new]
        hunks = self.hunks
        balance = sum(len(hunk.new) - len(hunk.old) for hunk in hunks)
        # Lengths first: that is cheap, and most often tells that the texts differ.
        if not balance and self.reviewed(text) == text:
            same = list(self._groups)
        if same:
            choice = ReviewChoice(pieces=self._pieces_of(same))
            self._tracked, _ = rejected(self._tracked, choice, text)
            self._groups = self._find(text)


def ends_of(splices: Sequence[Splice]) -> Iterator[int]:
    """Where in the new text each written passage ends."""
    grown = 0
    for splice in splices:
        grown += len(splice.new) - (splice.end - splice.start)
        if splice.new:
            yield splice.end + grown
