"""Two people changed one text: what of the other's can be added to mine, or that it can't.

Changes in different lines go together. Changes in the same line, or two insertions at one place,
are a clash, unless they are the same change.
"""

from dataclasses import dataclass

from recto.documents.splices import Splice, by_words, line_difference


@dataclass(frozen=True, slots=True)
class Clash:
    """Both changed the same lines."""


@dataclass(frozen=True, slots=True)
class Reach:
    """The lines of the base that a change concerns; an insertion of whole lines concerns none."""

    start: int
    end: int

    def meets(self, other: "Reach") -> bool:
        """Whether two changes concern a common line, or the same place between lines."""
        return self == other or (self.start < other.end and other.start < self.end)


def merge(base: str, mine: str, theirs: str) -> tuple[Splice, ...] | Clash:
    """The changes to my text that add what they did to the base."""
    my_splices = line_difference(base, mine)
    their_splices = [one for one in line_difference(base, theirs) if one not in my_splices]
    my_reaches = [reach(base, one) for one in my_splices]
    for splice in their_splices:
        if any(reach(base, splice).meets(mine_too) for mine_too in my_reaches):
            return Clash()
    small = [part for one in their_splices for part in by_words(base, one)]
    return tuple(moved(one, my_splices) for one in small)


def reach(base: str, splice: Splice) -> Reach:
    """Which lines a change concerns."""
    first = base.rfind("\n", 0, splice.start) + 1
    at_line_start = first == splice.start
    if splice.start == splice.end and at_line_start and is_whole_lines(base, splice):
        return Reach(first, first)
    if splice.end > splice.start and base[splice.end - 1] == "\n" and at_line_start:
        return Reach(first, splice.end)
    end = base.find("\n", splice.end)
    return Reach(first, len(base) if end < 0 else end + 1)


def is_whole_lines(base: str, splice: Splice) -> bool:
    """Whether an insertion leaves the line at its place as it is."""
    return splice.new.endswith("\n") or splice.start == len(base)


def moved(splice: Splice, earlier: tuple[Splice, ...]) -> Splice:
    """A change to the base as a change to the text that has the other changes already."""
    by = sum(len(one.new) - (one.end - one.start) for one in earlier if one.end <= splice.start)
    return Splice(splice.start + by, splice.end + by, splice.new)
