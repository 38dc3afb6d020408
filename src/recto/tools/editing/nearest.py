"""The lines of a text that are most like a passage that is not in it. Linear in the text."""

from collections.abc import Sequence
from dataclasses import dataclass

MAX_LETTERS = 2_000_000
MAX_LINE = 400
LIKE_ENOUGH = 0.35


@dataclass(frozen=True, slots=True)
class Candidate:
    """A place that may be meant: its first line, from 1, and its lines."""

    line: int
    lines: tuple[str, ...]


def nearest(lines: Sequence[str], wanted: Sequence[str], *, limit: int = 3) -> list[Candidate]:
    """The places most like the wanted lines, best first, without those that overlap a better one.

    Each line is compared with the wanted passage's longest by the groups of three letters they
    have in common.
    """
    anchor = max(range(len(wanted)), key=lambda at: len(wanted[at].strip()))
    aim = threes(wanted[anchor])
    if not aim:
        return []
    scored: list[tuple[float, int]] = []
    left = MAX_LETTERS
    for at, line in enumerate(lines):
        left -= len(line)
        if left < 0:
            break
        score = likeness(aim, threes(line))
        if score >= LIKE_ENOUGH:
            scored.append((-score, at))
    return choose(lines, sorted(scored), anchor, len(wanted), limit)


def choose(
    lines: Sequence[str],
    scored: Sequence[tuple[float, int]],
    anchor: int,
    height: int,
    limit: int,
) -> list[Candidate]:
    """The best places, each of as many lines as were wanted."""
    chosen: list[Candidate] = []
    taken: set[int] = set()
    for _, at in scored:
        first = max(0, at - anchor)
        if at in taken:
            continue
        found = tuple(lines[first : first + height])
        taken.update(range(first, first + height))
        chosen.append(Candidate(first + 1, found))
        if len(chosen) == limit:
            break
    return chosen


def threes(line: str) -> set[str]:
    """The groups of three letters in a line, without case and outer white space."""
    plain = line.strip()[:MAX_LINE].casefold()
    return {plain[at : at + 3] for at in range(max(1, len(plain) - 2))} - {""}


def likeness(one: set[str], other: set[str]) -> float:
    """How much two lines have in common: 0 nothing, 1 all."""
    return 2 * len(one & other) / (len(one) + len(other)) if one and other else 0.0
