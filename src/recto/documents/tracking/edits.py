"""What an edit does to the pieces of a text.

New text stands behind what it replaces; a mere insertion stands right behind its left neighbour.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import replace
from itertools import accumulate, chain, takewhile

from recto.documents.origins import EditOrigin, author_of
from recto.documents.splices import Splice
from recto.documents.tracking.deleted_pieces import (
    PiecePart,
    forgetting,
    gathered,
    remembered,
    split,
)
from recto.documents.tracking.pieces import Piece, TrackedPieces, joined

AROUND = 100  # so many pieces on each side are looked through for what an undo puts back


def edited(
    tracked: TrackedPieces, text: str, splices: Sequence[Splice], origin: EditOrigin
) -> TrackedPieces:
    """The pieces after changes that are in order and all meant for the text as it was."""
    work = PieceEditor(tracked, text, origin)
    if origin.way == "undone":  # it may take words away here and put them back there
        for splice in reversed(splices):
            if splice.start < splice.end:
                work.take(replace(splice, new=""))
        work.turn()
        splices = insertions(splices)
    for splice in reversed(splices):
        work.take(splice)
    return TrackedPieces(forgetting(work.pieces, since=tracked.serial), work.serial)


def insertions(splices: Sequence[Splice]) -> list[Splice]:
    """What changes put into a text from which they have taken away already."""
    found: list[Splice] = []
    gone = 0
    for splice in splices:
        found.append(Splice(splice.start - gone, splice.start - gone, splice.new))
        gone += splice.end - splice.start
    return [item for item in found if item.new]


class PieceEditor:
    """Pieces while an edit is taken in, from its last change to its first."""

    def __init__(self, tracked: TrackedPieces, text: str, origin: EditOrigin) -> None:
        self.pieces = list(tracked.pieces)
        self.serial = tracked.serial
        self._began = tracked.serial
        self._text = text
        self._origin = origin
        self._ends = ends(self.pieces)
        self._unknown: Piece | None = None

    def turn(self) -> None:
        """Begin again at the end: what follows is meant for the text as it is now."""
        self._ends = ends(self.pieces)

    def take(self, splice: Splice) -> None:
        """One change; those behind it are taken already."""
        if splice.start < splice.end:
            first = bisect_right(self._ends, splice.start)
            last = bisect_left(self._ends, splice.end, lo=first)
        elif splice.start:
            first = last = bisect_left(self._ends, splice.start)
        else:
            # At the very beginning there is no left neighbour: in front of everything.
            first, last = 0, -1
        before, behind = self._cut(splice, first, last)
        if splice.new and self._origin.way == "undone":
            # What was deleted here stands behind the place, unless the change ends inside a piece.
            gap = [] if behind else list(takewhile(is_deleted, self.pieces[last + 1 :]))
            back = self._put_back(splice.new, gap)
            self._replace(first, last + 1 + len(gap), [*before, *back, *behind])
            self._fetch(splice.new)
        else:
            fresh = [self._written(splice.new)] if splice.new else []
            self._replace(first, last + 1, [*before, *fresh, *behind])

    def _cut(self, splice: Splice, first: int, last: int) -> tuple[list[Piece], list[Piece]]:
        """The pieces of a range, what the change removes marked so: before and behind its place."""
        result: list[Piece] = []
        behind: list[Piece] = []
        for index in range(first, last + 1):
            piece = self.pieces[index]
            # Not in the text, so the change can't touch it; it only keeps its place.
            if piece.words:
                result.append(piece)
                continue
            begin = self._ends[index - 1] if index else 0
            start = max(splice.start - begin, 0)
            end = min(splice.end - begin, piece.length)
            if start:
                result.append(piece.part(0, start))
            if start < end:
                words = self._text[begin + start : begin + end]
                result.append(self._removed(piece.part(start, end), words))
            if end < piece.length:
                behind.append(piece.part(end, piece.length))
        return result, behind

    def _replace(self, start: int, end: int, pieces: list[Piece]) -> None:
        """Put pieces into the place of others, and join them with their neighbours."""
        low, high = max(start - 1, 0), end + 1
        around = [*self.pieces[low:start], *pieces, *self.pieces[end:high]]
        self.pieces[low:high] = joined(around)

    def _removed(self, piece: Piece, words: str) -> Piece:
        """What becomes of a piece that the edit takes out of the text."""
        origin = self._origin
        by = origin.name if origin.pending else ""
        if origin.way == "undone":
            # Undoing a rejection: the words become the ghost again that they were before it.
            by = piece.put_back
        # What an edit added and then removed itself was never there for the reviewer.
        if by and by == piece.added_by:
            by = ""
        return replace(
            piece, words=words, removed_by=by, put_back="", serial=self._numbers(len(words))
        )

    def _written(self, words: str) -> Piece:
        origin = self._origin
        by = origin.name if origin.pending else ""
        serial = self._numbers(len(words)) if by else 0
        return Piece(len(words), author_of(origin), added_by=by, serial=serial)

    def _put_back(self, words: str, gap: list[Piece]) -> list[Piece]:
        """What was deleted at a place, some of it alive again; or the words, still unknown."""
        found = remembered(gap, words, before=self._began)
        if found is None:
            self._unknown = replace(self._written(words), serial=self._numbers(0))
            return [self._unknown, *gap]
        return [self._alive(item) if part else item for item, part in split(gap, found)]

    def _fetch(self, words: str) -> None:
        """Look for unknown words around the place where they were put: others wrote there, too."""
        place = next((at for at, piece in enumerate(self.pieces) if piece is self._unknown), None)
        if place is None:
            return
        low, high = max(place - AROUND, 0), place + AROUND
        near = self.pieces[low:high]
        found = gathered(near, words, before=self._began)
        parts = list(split(near, tuple(item for item in found if isinstance(item, PiecePart))))
        alive = {part: self._alive(item) for item, part in parts if part}
        back = [self._written(item) if isinstance(item, str) else alive[item] for item in found]
        left = [[item] if item is not self._unknown else back for item, part in parts if not part]
        self.pieces[low:high] = joined(chain.from_iterable(left))
        self._ends = ends(self.pieces)

    def _alive(self, piece: Piece) -> Piece:
        """A piece that is in the text again."""
        serial = piece.serial if piece.added_by else 0
        back = piece.removed_by or piece.put_back
        return replace(piece, words="", removed_by="", put_back=back, serial=serial)

    def _numbers(self, count: int) -> int:
        first = self.serial
        self.serial += count + 1  # so that what changed by itself is never one piece with others
        return first


def is_deleted(piece: Piece) -> bool:
    """Whether a piece is not in the text."""
    return bool(piece.words)


def ends(pieces: Sequence[Piece]) -> list[int]:
    """Where in the text each piece ends."""
    return list(accumulate(0 if piece.words else piece.length for piece in pieces))
