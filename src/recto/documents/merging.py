"""Two people changed one text: what of the other's can be added to mine, or that it can't.

Changes in different lines go together. Changes in the same line, or two insertions at one place,
are a clash, unless they are the same change.
"""

from dataclasses import dataclass

from recto.documents.splices import Splice, by_words, line_difference


@dataclass(frozen=True, slots=True)
class MergeConflict:
    """Both changed the same lines."""


@dataclass(frozen=True, slots=True)
class ChangedLines:
    """The lines of the base that a change concerns; an insertion of whole lines concerns none."""

    start: int
    end: int

    def meets(self, other: "ChangedLines") -> bool:
        """Whether two changes concern a common line, or the same place between lines."""
        return self == other or (self.start < other.end and other.start < self.end)


def merge_texts(base: str, mine: str, theirs: str) -> tuple[Splice, ...] | MergeConflict:
    """The changes to my text that add what they did to the base."""
    my_splices = line_difference(base, mine)
    # The same change on both sides is no conflict, and must not be made twice.
    their_splices = [item for item in line_difference(base, theirs) if item not in my_splices]
    my_reaches = [reach(base, my_splice) for my_splice in my_splices]
    for splice in their_splices:
        if any(reach(base, splice).meets(mine_too) for mine_too in my_reaches):
            return MergeConflict()
    return tuple(
        moved(part, my_splices, is_between_lines=is_between_lines(base, splice))
        for splice in their_splices
        # Judged by lines, applied by words: cursors within an untouched word stay.
        for part in by_words(base, splice)
    )


def reach(base: str, splice: Splice) -> ChangedLines:
    """Which lines a change concerns."""
    first = base.rfind("\n", 0, splice.start) + 1
    at_line_start = first == splice.start
    if splice.start == splice.end and at_line_start and is_whole_lines(base, splice):
        # An empty range meets only an insertion at the very same place.
        return ChangedLines(first, first)
    if leaves_line_open(base, splice):
        # One more than the text has, so that it meets whatever somebody adds at the end.
        return ChangedLines(first, len(base) + 1)
    if splice.end > splice.start and base[splice.end - 1] == "\n" and at_line_start:
        return ChangedLines(first, splice.end)
    end = base.find("\n", splice.end)
    return ChangedLines(first, len(base) if end < 0 else end + 1)


def leaves_line_open(base: str, splice: Splice) -> bool:
    """Whether the text then ends within a line, where nobody else's lines can follow."""
    last = splice.new or base[: splice.start]
    return splice.end == len(base) and bool(last) and not last.endswith("\n")


def is_whole_lines(base: str, splice: Splice) -> bool:
    """Whether an insertion leaves the line at its place as it is."""
    return splice.new.endswith("\n") or splice.start == len(base)


def is_between_lines(base: str, splice: Splice) -> bool:
    """Whether a change only puts whole lines between two others."""
    concerned = reach(base, splice)
    return concerned.start == concerned.end


def moved(splice: Splice, earlier: tuple[Splice, ...], *, is_between_lines: bool) -> Splice:
    """A change to the base as a change to the text that has the other changes already."""
    before = [
        item
        for item in earlier
        # New lines go above the line in which somebody else has put something at its beginning.
        if item.end <= splice.start and not (is_between_lines and item.start == splice.start)
    ]
    by = sum(len(item.new) - (item.end - item.start) for item in before)
    return Splice(splice.start + by, splice.end + by, splice.new)
