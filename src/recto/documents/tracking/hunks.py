"""The edits that wait for review, as a person sees them: passages, each old against new.

Neighbouring changes are one hunk, widened to whole words (prose) or whole lines (the rest). No hunk
touches the next: putting each `old` into the place of its `new` gives the text without the edits.
"""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from recto.documents.tracking.pieces import Piece
from recto.documents.words import Unit, has_word, joins, word_end, word_start

MAX_BETWEEN = 20  # so few characters in common part no two changes that are longer


@dataclass(frozen=True, slots=True)
class Hunk:
    """A passage of the text, from `start` up to `end`, and what stood there before the edits.

    Its id is made of what is in it, and stays while that stays.
    """

    id: str
    start: int
    end: int
    old: str
    new: str
    edits: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class HunkGroup:
    """A hunk, and the first and the last piece of its edits."""

    hunk: Hunk
    first: int
    last: int


@dataclass(slots=True)
class OpenHunk:
    """A hunk that is being put together."""

    start: int
    end: int
    old: str
    first: int
    last: int

    @property
    def size(self) -> int:
        """How many characters it shows, old or new."""
        return max(len(self.old), self.end - self.start)

    def take(self, other: "OpenHunk", text: str) -> None:
        """Make another one, further on, part of this."""
        self.old += text[self.end : other.start] + other.old
        self.end, self.last = other.end, other.last

    def widen(self, start: int, end: int, text: str) -> None:
        """Take in some of the text on both sides."""
        self.old = text[start : self.start] + self.old + text[self.end : end]
        self.start, self.end = start, end


def groups(pieces: Sequence[Piece], text: str, unit: Unit) -> tuple[HunkGroup, ...]:
    """All hunks of a text, from front to back."""
    found: list[OpenHunk] = []
    runs = list(changed(pieces))
    for index, run in enumerate(runs):
        # No hunk grows into the next one: what both would show could be rejected twice.
        ceiling = runs[index + 1].start if index + 1 < len(runs) else len(text)
        floor = found[-1].end if found else 0
        run.widen(BEGIN[unit](run, text, floor), run.end, text)
        if found and is_one(found[-1], run, text, unit):
            found[-1].take(run, text)
        else:
            found.append(run)
        whole = found[-1]
        whole.widen(whole.start, FINISH[unit](whole, text, ceiling), text)
    return tuple(group(passage, pieces, text) for passage in found)


def changed(pieces: Sequence[Piece]) -> Iterator[OpenHunk]:
    """The runs of pieces that wait for review."""
    at = 0
    run: OpenHunk | None = None
    for index, piece in enumerate(pieces):
        length = 0 if piece.words else piece.length
        if piece.removed_by or (piece.added_by and not piece.words):
            run = run or OpenHunk(at, at, "", index, index)
            run.end, run.last = at + length, index
            # What one pending edit added and another removed is in neither text.
            run.old += piece.words if piece.removed_by and not piece.added_by else ""
        elif length and run is not None:
            yield run
            run = None
        at += length
    if run is not None:
        yield run


def is_one(one: OpenHunk, other: OpenHunk, text: str, unit: Unit) -> bool:
    """Whether two passages are better shown as one: hardly anything is the same between them."""
    between = text[one.end : other.start]
    # Lines that nobody changed always part two hunks, so that each can be judged alone.
    if unit == "line" or "\n" in between:
        return not between
    return len(between) <= min(MAX_BETWEEN, one.size, other.size) or not has_word(between)


def begin_of_word(run: OpenHunk, text: str, floor: int) -> int:
    """Where a passage must begin so that no word is cut, in the old text and in the new."""
    start = run.start
    left = text[start - 1 : start] if start > floor else ""
    firsts = (run.old[:1] or text[run.end : run.end + 1], text[start : start + 1])
    is_cut = left and any(first and joins(left, first) for first in firsts)
    return word_start(text, start - 1, floor) if is_cut else start


def end_of_word(run: OpenHunk, text: str, ceiling: int) -> int:
    """Where a passage must end so that no word is cut."""
    end = run.end
    right = text[end : end + 1] if end < ceiling else ""
    lasts = (run.old[-1:] or before(text, run.start), before(text, end))
    is_cut = right and any(last and joins(last, right) for last in lasts)
    return word_end(text, end + 1, ceiling) if is_cut else end


def before(text: str, place: int) -> str:
    """The character before a place, if there is one."""
    return text[place - 1] if place else ""


def begin_of_line(run: OpenHunk, text: str, floor: int) -> int:
    """Where the passage's first line begins."""
    return max(text.rfind("\n", floor, run.start) + 1, floor)


def end_of_line(run: OpenHunk, text: str, ceiling: int) -> int:
    """Where a passage that begins a line must end to be whole lines, in both texts."""
    if is_lines(run.old) and is_lines(text[run.start : run.end]):
        return run.end
    return text.find("\n", run.end, ceiling) + 1 or ceiling


def is_lines(passage: str) -> bool:
    """Whether a passage that begins a line is whole lines."""
    return not passage or passage.endswith("\n")


BEGIN = {"word": begin_of_word, "line": begin_of_line}
FINISH = {"word": end_of_word, "line": end_of_line}


def group(passage: OpenHunk, pieces: Sequence[Piece], text: str) -> HunkGroup:
    """A passage as a hunk."""
    mine = [piece for piece in pieces[passage.first : passage.last + 1] if piece.is_pending]
    edits = tuple(
        dict.fromkeys(edit for item in mine for edit in (item.removed_by, item.added_by) if edit)
    )
    new = text[passage.start : passage.end]
    # Without the position: typing above a hunk must not make the reader's click miss.
    made_of = repr((edits, ranges(mine), passage.old, new))
    name = hashlib.sha256(made_of.encode()).hexdigest()[:16]
    hunk = Hunk(name, passage.start, passage.end, passage.old, new, edits)
    return HunkGroup(hunk, passage.first, passage.last)


def ranges(pieces: Sequence[Piece]) -> list[list[int]]:
    """The numbers of the characters of pieces, as few ranges as can be."""
    result: list[list[int]] = []
    for piece in pieces:
        if result and result[-1][1] == piece.serial:
            result[-1][1] += piece.length
        else:
            result.append([piece.serial, piece.serial + piece.length])
    return result
