"""Edits of a draft as it was sent, made on the draft as it is now."""

from bisect import bisect_right
from collections.abc import Sequence

from recto.documents import Splice, difference
from recto.publishing.returns.source_edits import SourceEdit


class MovedText:
    """Where the letters of a text are after changes."""

    def __init__(self, changes: Sequence[SourceEdit | Splice]) -> None:
        self.changes = sorted(changes, key=lambda item: (item.start, item.end))
        self._ends = [item.end for item in self.changes]
        self._shifts = [0]
        for item in self.changes:
            moved = len(item.new) - (item.end - item.start)
            self._shifts.append(self._shifts[-1] + moved)

    def start(self, place: int) -> int:
        """Where a passage begins now; one in a changed passage begins with that."""
        number = bisect_right(self._ends, place)
        shift = self._shifts[number]
        if number < len(self.changes) and self.changes[number].start < place:
            return self.changes[number].start + shift
        return place + shift

    def end(self, place: int) -> int:
        """Where a passage ends now; one in a changed passage ends with that."""
        number = bisect_right(self._ends, place)
        if number < len(self.changes) and self.changes[number].start < place:
            return self.changes[number].end + self._shifts[number + 1]
        return place + self._shifts[number]

    def touches(self, edit: SourceEdit) -> bool:
        """Whether a change is about letters of an edit, or next to it."""
        return any(item.start <= edit.end and edit.start <= item.end for item in self.changes)

    def has(self, edit: SourceEdit) -> bool:
        """Whether the same was done already."""
        return any((item.start, item.end, item.new) == tuple(edit) for item in self.changes)


def moved_since(sent: str, now: str) -> MovedText:
    """What became of a text since."""
    return MovedText(difference(sent, now))


def rebased(edit: SourceEdit, moved: MovedText) -> SourceEdit:
    """An edit of the text as it was, as one of the text as it is."""
    if edit.start == edit.end:
        place = moved.start(edit.start)
        return SourceEdit(place, place, edit.new)
    return SourceEdit(moved.start(edit.start), moved.end(edit.end), edit.new)
