"""Follows one text: takes in its edits, says who wrote what and what waits for review.

A document that is edited and one that is read from its journal go through the same steps.
"""

from collections.abc import Collection, Iterator, Sequence

from recto.documents.failures import NoSuchHunk
from recto.documents.origins import Origin
from recto.documents.splices import Splice, spliced
from recto.documents.tracking.edits import edited
from recto.documents.tracking.hunks import Group, Hunk, groups
from recto.documents.tracking.pieces import Tracked, Written, written
from recto.documents.tracking.reviewing import Choice, accepted, pieces_of, rejected, retyped
from recto.documents.words import Unit


class Tracker:
    """The pieces of a text that changes. It is told each text, and does not keep it."""

    def __init__(self, tracked: Tracked, text: str, unit: Unit) -> None:
        self._unit: Unit = unit
        self._tracked = tracked
        self._groups = self._find(text)

    @property
    def tracked(self) -> Tracked:
        """The pieces as they are."""
        return self._tracked

    @property
    def hunks(self) -> tuple[Hunk, ...]:
        """What waits for review, from front to back."""
        return tuple(one.hunk for one in self._groups)

    @property
    def pending(self) -> frozenset[str]:
        """The edits that wait for review."""
        return frozenset(edit for one in self._groups for edit in one.hunk.edits)

    def written(self) -> tuple[Written, ...]:
        """Who wrote what."""
        return written(self._tracked.pieces)

    def reviewed(self, text: str) -> str:
        """The text without the edits that wait for review."""
        return spliced(text, [Splice(one.start, one.end, one.old) for one in self.hunks])

    def take(self, splices: Sequence[Splice], origin: Origin, *, before: str, after: str) -> None:
        """Take in an edit, as changes in order, with the text before and after it."""
        if not splices:
            return
        tracked = edited(self._tracked, before, splices, origin)
        if self._groups and origin.who != "run" and origin.way != "undone":
            for end in ends_of(splices):
                tracked = retyped(tracked, after, end)
        self.put(tracked, after)

    def put(self, tracked: Tracked, text: str) -> None:
        """Take these pieces for the text."""
        self._tracked = tracked
        self._groups = self._find(text)
        if self._groups:
            self._settle(text)

    def choose(self, hunks: Collection[str] | None, edits: Collection[str] | None) -> Choice:
        """What is meant by hunks and edits: what is in both; None means all. Raises NoSuchHunk."""
        known = {one.hunk.id: one for one in self._groups}
        missing = [one for one in hunks or () if one not in known]
        if missing:
            raise NoSuchHunk
        return Choice(
            None if edits is None else frozenset(edits),
            None if hunks is None else self._pieces_of([known[one] for one in hunks]),
        )

    def accepted(self, choice: Choice) -> Tracked:
        """The pieces with edits accepted."""
        return accepted(self._tracked, choice)

    def rejected(self, choice: Choice, text: str) -> tuple[Tracked, tuple[Splice, ...]]:
        """The pieces with edits rejected, and how that changes the text."""
        return rejected(self._tracked, choice, text)

    def _pieces_of(self, chosen: Sequence[Group]) -> frozenset[int]:
        return pieces_of(chosen, self._tracked.pieces)

    def _find(self, text: str) -> tuple[Group, ...]:
        if any(one.is_pending for one in self._tracked.pieces):
            return groups(self._tracked.pieces, text, self._unit)
        return ()

    def _settle(self, text: str) -> None:
        """End the review of edits that together changed nothing: the text is as without them."""
        same = [one for one in self._groups if one.hunk.old == one.hunk.new]
        hunks = self.hunks
        balance = sum(len(one.new) - len(one.old) for one in hunks)
        if not balance and self.reviewed(text) == text:
            same = list(self._groups)
        if same:
            choice = Choice(pieces=self._pieces_of(same))
            self._tracked, _ = rejected(self._tracked, choice, text)
            self._groups = self._find(text)


def ends_of(splices: Sequence[Splice]) -> Iterator[int]:
    """Where in the new text each written passage ends."""
    grown = 0
    for one in splices:
        grown += len(one.new) - (one.end - one.start)
        if one.new:
            yield one.end + grown
