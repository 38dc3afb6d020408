"""What was deleted is remembered for a while, so that an undo gives it back to its author."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from recto.documents.tracking.pieces import Piece, joined

MAX_PIECES = 1_000
MAX_CHARACTERS = 1_000_000
MIN_SURE = 4  # fewer characters than these may be found by chance
MAX_PARTS = 50  # words of more parts than these are alike by chance
MAX_WAYS = 100  # words that could be put together in more ways were deleted again and again


@dataclass(frozen=True, slots=True)
class PiecePart:
    """Some characters of one of several pieces."""

    index: int
    start: int
    end: int


Parts = tuple[PiecePart, ...]
Known = Sequence[tuple[int, Piece]]


def forgetting(pieces: Sequence[Piece], *, since: int) -> tuple[Piece, ...]:
    """The pieces without the oldest deleted ones; what was deleted `since` stays in any case."""
    gone = [piece for piece in pieces if piece.words and not piece.removed_by]
    characters = sum(piece.length for piece in gone)
    forgotten: set[int] = set()
    left = len(gone)
    if left > MAX_PIECES or characters > MAX_CHARACTERS:
        for piece in sorted(gone, key=lambda one: one.serial):
            if (left <= MAX_PIECES and characters <= MAX_CHARACTERS) or piece.serial >= since:
                break
            forgotten.add(id(piece))
            left -= 1
            characters -= piece.length
    kept = [piece for piece in pieces if id(piece) not in forgotten] if forgotten else pieces
    if sum(bool(piece.put_back) for piece in kept) > MAX_PIECES:
        # Each such mark keeps neighbours from being joined, and the list would only grow.
        kept = [replace(piece, put_back="") for piece in kept]
    return tuple(kept if kept is pieces else joined(kept))


def remembered(gap: Sequence[Piece], words: str, *, before: int) -> Parts | None:
    """Which deleted characters of a place are these words, in order; None when they are not there.

    What was deleted `before` comes first, the latest first of all; then what was deleted since.
    """
    deleted = [(at, item) for at, item in enumerate(gap) if item.words]
    older = [(at, item) for at, item in deleted if item.serial < before]
    # What this very edit deletes comes last: an undo usually brings back something older.
    for known in (older, deleted):
        found = in_one(known, words) or in_several(known, words)
        if found is not None:
            return found
    return None


def in_one(known: Known, words: str) -> Parts | None:
    """The latest place where the words stand without a break, over one piece or more."""
    whole = "".join(piece.words for _, piece in known)
    serials = {index: piece.serial for index, piece in known}
    places = islice(occurrences(whole, words), MAX_WAYS)
    ways = [covered(known, at, at + len(words)) for at in places]
    return max(ways, key=lambda way: max(serials[part.index] for part in way), default=None)


def in_several(known: Known, words: str) -> Parts | None:
    """Whole pieces, in order, that together are the words; others may stand between them."""
    ways: dict[int, Parts] = {0: ()}
    for index, piece in known:
        for at, taken in sorted(ways.items(), reverse=True)[:MAX_WAYS]:
            if words.startswith(piece.words, at):
                ways[at + piece.length] = (*taken, PiecePart(index, 0, piece.length))
    return ways.get(len(words))


def gathered(pieces: Sequence[Piece], words: str, *, before: int) -> list[PiecePart | str]:
    """The words as what was deleted here and there, as far as that is unmistakable."""
    known = [(at, item) for at, item in enumerate(pieces) if item.words]
    # The latest deletion first, as undo goes; but what this edit itself deleted last of all.
    known.sort(key=lambda one: (one[1].serial >= before, -one[1].serial))
    found: list[PiecePart | str] = []
    at = 0
    while at < len(words) and known and len(found) < MAX_PARTS:
        lengths = [beginning(words, at, piece.words) for _, piece in known]
        length = max(lengths)
        part = words[at : at + length]
        index, piece = known[lengths.index(length)]
        if is_sure(part, piece, known):
            start = piece.words.index(part)
            found.append(PiecePart(index, start, start + length))
            known.remove((index, piece))
        else:
            found.append(words[at : at + max(length, 1)])
        at += max(length, 1)
    return [*found, words[at:]] if at < len(words) else found


def is_sure(part: str, piece: Piece, known: Known) -> bool:
    """Whether some words can only be those of that piece."""
    if len(part) >= MIN_SURE and part == piece.words:
        return True
    # Short words count only if they occur once: crediting the wrong author is worse than none.
    return bool(part) and sum(item.words.count(part) for _, item in known) == 1


def beginning(words: str, at: int, other: str) -> int:
    """How many characters from a place on stand together somewhere in another text, too."""
    low, high = 0, min(len(words) - at, len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if words[at : at + middle] in other:
            low = middle
        else:
            high = middle - 1
    return low


def occurrences(whole: str, words: str) -> Iterator[int]:
    """Where the words begin in a text, overlapping ones included."""
    at = whole.find(words)
    while at >= 0:
        yield at
        at = whole.find(words, at + 1)


def covered(known: Known, start: int, end: int) -> Parts:
    """The parts that a range of all words is made of."""
    result: list[PiecePart] = []
    at = 0
    for index, piece in known:
        low, high = max(start - at, 0), min(end - at, piece.length)
        if low < high:
            result.append(PiecePart(index, low, high))
        at += piece.length
    return tuple(result)


def split(pieces: Sequence[Piece], parts: Parts) -> Iterator[tuple[Piece, PiecePart | None]]:
    """The pieces cut at the parts, each with the part that it is."""
    chosen = {part.index: part for part in parts}
    for index, piece in enumerate(pieces):
        part = chosen.get(index)
        if part is None:
            yield piece, None
            continue
        for start, end in ((0, part.start), (part.start, part.end), (part.end, piece.length)):
            if start < end:
                yield piece.part(start, end), part if start == part.start else None
