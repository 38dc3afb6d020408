"""Accepting and rejecting edits: exactly these edits, wherever they are now, and nothing else."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from recto.documents.splices import Splice
from recto.documents.tracking.hunks import Hunk, HunkGroup
from recto.documents.tracking.pieces import Piece, TrackedPieces, joined


@dataclass(frozen=True, slots=True)
class ReviewChoice:
    """Which edits are meant (None: all), and in which pieces (None: everywhere)."""

    edits: frozenset[str] | None = None
    pieces: frozenset[int] | None = None

    def means(self, edit: str) -> bool:
        """Whether an edit is meant."""
        return bool(edit) and (self.edits is None or edit in self.edits)

    def covers(self, index: int) -> bool:
        """Whether a piece is meant, if its edit is."""
        return self.pieces is None or index in self.pieces


def pieces_of(groups: Iterable[HunkGroup], pieces: Sequence[Piece]) -> frozenset[int]:
    """The pieces that hunks are made of; not what is only remembered among them."""
    return frozenset(
        index
        for group in groups
        for index in range(group.first, group.last + 1)
        if pieces[index].is_pending
    )


def split_at(tracked: TrackedPieces, places: Iterable[int]) -> TrackedPieces:
    """The same pieces, none of which reaches over one of these places of the text."""
    cuts = sorted(set(places))
    pieces: list[Piece] = []
    at = 0
    for piece in tracked.pieces:
        if piece.words:
            pieces.append(piece)
            continue
        inside = [cut - at for cut in cuts if at < cut < at + piece.length]
        bounds = [0, *inside, piece.length]
        pieces += [
            piece.part(start, end) if inside else piece
            for start, end in zip(bounds, bounds[1:], strict=False)
        ]
        at += piece.length
    return replace(tracked, pieces=tuple(pieces))


def left_out(
    tracked: TrackedPieces, hunks: Sequence[Hunk], spans: Sequence[tuple[int, int]]
) -> frozenset[int]:
    """The pieces that wait on when all but some places are accepted; split there already.

    Where a hunk replaces something, all of it waits: half of it would leave neither text whole.
    """
    places = [
        (hunk.start, hunk.end) if hunk.old else (max(start, hunk.start), min(end, hunk.end))
        for hunk in hunks
        for start, end in spans
        if start < hunk.end and hunk.start < end
    ]
    kept: set[int] = set()
    at = 0
    for index, piece in enumerate(tracked.pieces):
        end = at if piece.words else at + piece.length
        if any(first <= at and end <= last for first, last in places):
            kept.add(index)
        at = end
    return frozenset(kept)


def accepted(tracked: TrackedPieces, choice: ReviewChoice) -> TrackedPieces:
    """The pieces once edits are part of the text like everything else."""
    pieces = [
        accept(piece, choice) if choice.covers(index) else piece
        for index, piece in enumerate(tracked.pieces)
    ]
    return replace(tracked, pieces=tuple(joined(pieces)))


def accept(piece: Piece, choice: ReviewChoice) -> Piece:
    """A piece without the marks of edits, which what is only remembered has, too."""
    added = "" if choice.means(piece.added_by) else piece.added_by
    return replace(
        piece,
        added_by=added,
        removed_by="" if choice.means(piece.removed_by) else piece.removed_by,
        put_back="" if choice.means(piece.put_back) else piece.put_back,
        # Plain text again: without its number it can join its neighbours.
        serial=piece.serial if piece.words or added else 0,
    )


def retyped(tracked: TrackedPieces, text: str, end: int) -> TrackedPieces:
    """The pieces when somebody has just written, up to a place, what an edit had removed there.

    Then the old words stand in the text again, and their removal waits for nobody.
    """
    for at, ghosts in ghosts_of(tracked.pieces):
        words = "".join(tracked.pieces[index].words for index in ghosts)
        start = end - len(words)
        if (start == at or end == at) and start >= 0 and text[start:end] == words:
            return accepted(tracked, ReviewChoice(pieces=frozenset(ghosts)))
    return tracked


def ghosts_of(pieces: Sequence[Piece]) -> Iterator[tuple[int, list[int]]]:
    """The places where edits removed something, each with its ghosts."""
    at = 0
    found: list[int] = []
    for index, piece in enumerate(pieces):
        if piece.removed_by and not piece.added_by:
            found.append(index)
        if not piece.words:
            if found:
                yield at, found
            found = []
            at += piece.length
    if found:
        yield at, found


def rejected(
    tracked: TrackedPieces, choice: ReviewChoice, text: str
) -> tuple[TrackedPieces, tuple[Splice, ...]]:
    """The pieces without edits, and the changes to the text that make it so."""
    pieces: list[Piece] = []
    splices: list[Splice] = []
    at = 0
    for index, piece in enumerate(tracked.pieces):
        end = at if piece.words else at + piece.length
        after = reject(piece, text[at:end], choice) if choice.covers(index) else piece
        if bool(after.words) != bool(piece.words):
            # Only where a piece changes between alive and not does the text change.
            splices.append(Splice(at, end, "" if after.words else piece.words))
        pieces.append(after)
        at = end
    return replace(tracked, pieces=tuple(joined(pieces))), tuple(combined(splices))


def reject(piece: Piece, words: str, choice: ReviewChoice) -> Piece:
    """A piece as it would be without edits; what is gone by that is remembered."""
    if not piece.is_pending:
        return piece
    if choice.means(piece.added_by):
        # Remembered, not dropped: undoing the rejection finds its author again.
        return replace(piece, words=piece.words or words, removed_by="", put_back="")
    if choice.means(piece.removed_by):
        number = piece.serial if piece.added_by else 0
        return replace(piece, words="", removed_by="", put_back=piece.removed_by, serial=number)
    return piece


def combined(splices: Iterable[Splice]) -> list[Splice]:
    """Changes that are in order, those that touch as one."""
    result: list[Splice] = []
    for splice in splices:
        if result and result[-1].end == splice.start:
            last = result.pop()
            result.append(Splice(last.start, splice.end, last.new + splice.new))
        else:
            result.append(splice)
    return result
