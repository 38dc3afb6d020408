"""A text as a list of pieces, each with its author and its part in edits that wait for review.

A piece is alive (in the text), a ghost (removed by an edit that waits for review), or gone: what
was deleted is remembered at its place for a while, so that an undo finds its author again.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from recto.documents.origins import BEFORE, Author


@dataclass(frozen=True, slots=True)
class Piece:
    """Some characters that are all in the same state."""

    length: int
    author: Author
    words: str = ""
    """The characters, when they are not in the text."""
    added_by: str = ""
    """The edit that waits for review and wrote them."""
    removed_by: str = ""
    """The edit that waits for review and removed them: they are a ghost."""
    put_back: str = ""
    """The edit that had removed them, before that was rejected or undone."""
    serial: int = 0
    """The number of the first character among all that ever changed; the next has the next."""

    @property
    def is_alive(self) -> bool:
        """Whether it is in the text."""
        return not self.words

    @property
    def is_gone(self) -> bool:
        """Whether it is only remembered."""
        return bool(self.words) and not self.removed_by

    @property
    def is_pending(self) -> bool:
        """Whether it is part of an edit that waits for review."""
        return bool(self.removed_by or (self.added_by and not self.words))

    @property
    def is_reviewed(self) -> bool:
        """Whether it is in the text without the edits that wait for review."""
        return not self.added_by and (not self.words or bool(self.removed_by))

    def part(self, start: int, end: int) -> "Piece":
        """Some of its characters."""
        serial = self.serial + start if self.serial else 0
        return replace(self, length=end - start, words=self.words[start:end], serial=serial)


@dataclass(frozen=True, slots=True)
class TrackedPieces:
    """All pieces of a text, and the number that the next changed character gets."""

    pieces: tuple[Piece, ...]
    serial: int = 1


def begun(length: int, author: Author = BEFORE, *, added_by: str = "") -> TrackedPieces:
    """A text that was written all at once."""
    if not length:
        return TrackedPieces(())
    # Only what waits for review, or was deleted, needs numbers; 0 lets plain text join freely.
    serial = 1 if added_by else 0
    return TrackedPieces((Piece(length, author, added_by=added_by, serial=serial),), 1 + length)


def joined(pieces: Iterable[Piece]) -> list[Piece]:
    """The pieces with neighbours of one kind as one."""
    result: list[Piece] = []
    for piece in pieces:
        both = together(result[-1], piece) if result else None
        if both is None:
            result.append(piece)
        else:
            result[-1] = both
    return result


def together(one: Piece, other: Piece) -> Piece | None:
    """Two neighbours as one piece; None when they differ."""
    if bool(one.words) != bool(other.words) or not is_alike(one, other):
        return None
    # Numbers must go on, or splitting the joined piece again would number it wrongly.
    if one.serial and one.serial + one.length != other.serial:
        return None
    return replace(one, length=one.length + other.length, words=one.words + other.words)


def is_alike(one: Piece, other: Piece) -> bool:
    """Whether two pieces have the same author and part in edits."""
    return (
        one.author == other.author
        and one.added_by == other.added_by
        and one.removed_by == other.removed_by
        and one.put_back == other.put_back
        and bool(one.serial) == bool(other.serial)
    )


def length_of(pieces: Sequence[Piece]) -> int:
    """How many characters of the text they are."""
    return sum(piece.length for piece in pieces if not piece.words)


@dataclass(frozen=True, slots=True)
class WrittenSpan:
    """Who wrote the characters of the text from `start` up to `end`."""

    start: int
    end: int
    author: Author


def written(pieces: Iterable[Piece]) -> tuple[WrittenSpan, ...]:
    """Who wrote what, over the whole text, neighbours of one author as one."""
    result: list[WrittenSpan] = []
    at = 0
    for piece in pieces:
        if piece.words:
            continue
        start = at
        at += piece.length
        if result and result[-1].author == piece.author:
            start = result.pop().start
        result.append(WrittenSpan(start, at, piece.author))
    return tuple(result)
