"""Three-way merging by lines: what one side changed and what the other changed, both kept.

Where both changed the same lines, and not to the same, there is no merge: nobody is overruled.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

MOST_LINES = 5_000
"""Beyond so many lines that differ in one stretch, the stretch counts as one change."""


@dataclass(frozen=True, slots=True)
class Hunk:
    """Lines `start` to `end` of the base, which one side replaced by others."""

    start: int
    end: int
    lines: tuple[bytes, ...]


@dataclass(slots=True)
class Clash:
    """Hunks of both sides that touch the same lines of the base."""

    start: int
    end: int
    ours: list[Hunk]
    theirs: list[Hunk]


def merge(base: bytes, ours: bytes, theirs: bytes) -> bytes | None:
    """What both sides made of the base; None where they contradict each other."""
    if ours in (base, theirs):
        return theirs
    if theirs == base:
        return ours
    lines = split_lines(base)
    merged: list[bytes] = []
    at = 0
    for clash in clashes(hunks(lines, split_lines(ours)), hunks(lines, split_lines(theirs))):
        settled = settle(lines, clash)
        if settled is None:
            return None
        merged += lines[at : clash.start]
        merged += settled
        at = clash.end
    return b"".join([*merged, *lines[at:]])


def split_lines(data: bytes) -> list[bytes]:
    """The lines with their ends; a last line without one stays without."""
    *whole, last = data.split(b"\n")
    return [line + b"\n" for line in whole] + ([last] if last else [])


def hunks(base: Sequence[bytes], side: Sequence[bytes]) -> list[Hunk]:
    """What a side changed, in order."""
    first = common(base, side)
    last = common(base[first:][::-1], side[first:][::-1])
    old, new = base[first : len(base) - last], side[first : len(side) - last]
    if not old and not new:
        return []
    if not old or not new or max(len(old), len(new)) > MOST_LINES:
        return [Hunk(first, first + len(old), tuple(new))]
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    return [
        Hunk(first + start, first + end, tuple(new[from_:to]))
        for kind, start, end, from_, to in matcher.get_opcodes()
        if kind != "equal"
    ]


def common(one: Sequence[bytes], other: Sequence[bytes]) -> int:
    """With how many equal lines both begin."""
    pairs = zip(one, other, strict=False)
    return next((at for at, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))


def clashes(ours: Sequence[Hunk], theirs: Sequence[Hunk]) -> Iterator[Clash]:
    """The hunks in order, those that touch the same lines together."""
    found: Clash | None = None
    # Where both begin at one place, what is only put in comes before what is replaced.
    both = sorted(
        [(hunk, True) for hunk in ours] + [(hunk, False) for hunk in theirs],
        key=lambda one: (one[0].start, one[0].end),
    )
    for hunk, is_ours in both:
        if found is None or not overlap(found, hunk):
            if found is not None:
                yield found
            found = Clash(hunk.start, hunk.end, [], [])
        found.end = max(found.end, hunk.end)
        (found.ours if is_ours else found.theirs).append(hunk)
    if found is not None:
        yield found


def overlap(clash: Clash, hunk: Hunk) -> bool:
    """Whether a hunk touches the lines of a clash: neighbours don't, two insertions in one do."""
    if hunk.start == hunk.end == clash.start == clash.end:
        return True
    return hunk.start < clash.end


def settle(base: Sequence[bytes], clash: Clash) -> Sequence[bytes] | None:
    """What stands in the place of a clash; None when both sides want something else there."""
    if not clash.theirs:
        return applied(base, clash, clash.ours)
    if not clash.ours:
        return applied(base, clash, clash.theirs)
    ours, theirs = applied(base, clash, clash.ours), applied(base, clash, clash.theirs)
    return ours if ours == theirs else None


def applied(base: Sequence[bytes], clash: Clash, changes: Sequence[Hunk]) -> list[bytes]:
    """The lines of a clash as one side has them."""
    made: list[bytes] = []
    at = clash.start
    for hunk in changes:
        made += [*base[at : hunk.start], *hunk.lines]
        at = hunk.end
    return [*made, *base[at : clash.end]]
