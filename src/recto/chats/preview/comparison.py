"""Two requests of a chat side by side: what stays, what is new, what is gone."""

from collections import defaultdict, deque
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Literal

from recto.context import PromptSlice, SentPart

State = Literal["same", "new", "changed"]


@dataclass(frozen=True, slots=True)
class RequestComparison:
    """How a request differs from the one before."""

    states: tuple[State, ...]
    """Of each part of the later one."""
    same: int
    """With how many of the same parts both begin."""
    removed: tuple[PromptSlice, ...]
    """What only the earlier one has."""


def compare(before: Sequence[SentPart], now: Sequence[SentPart]) -> RequestComparison:
    """The later request, part for part, against the earlier one."""
    same = leading(before, now)
    left = [item.slice for item in before[same:]]
    by_text = places(left, lambda one: (one.origin, one.hash))
    states: list[State] = ["same"] * same
    taken: set[int] = set()
    unknown: list[int] = []
    for at, item in enumerate(now[same:], same):
        found = by_text[item.slice.origin, item.slice.hash]
        states.append("same" if found else "new")
        if found:
            taken.add(found.popleft())
        else:
            unknown.append(at)
    rest = [(at, item) for at, item in enumerate(left) if at not in taken]
    by_name = places([item for _, item in rest], identity)
    for at in unknown:
        if found := by_name[identity(now[at].slice)]:
            states[at] = "changed"
            taken.add(rest[found.popleft()][0])
    removed = tuple(item for at, item in rest if at not in taken)
    return RequestComparison(tuple(states), same, removed)


def leading(before: Sequence[SentPart], now: Sequence[SentPart]) -> int:
    """With how many of the same parts two requests begin."""
    for at, (old, new) in enumerate(zip(before, now, strict=False)):
        if (old.slice.origin, old.slice.hash) != (new.slice.origin, new.slice.hash):
            return at
    return min(len(before), len(now))


def remembered(before: Sequence[SentPart], same: int, *, at_marks: bool) -> int:
    """How many of the parts that stay a provider can remember.

    One that remembers where it was told to has nothing but what ends at such a place.
    """
    if not at_marks:
        return same
    return max((at + 1 for at in range(same) if before[at].ends), default=0)


def places(
    slices: Sequence[PromptSlice], key: Callable[[PromptSlice], Hashable]
) -> dict[Hashable, deque[int]]:
    """Where things stand, by what they are known by."""
    found: dict[Hashable, deque[int]] = defaultdict(deque)
    for at, item in enumerate(slices):
        found[key(item)].append(at)
    return found


def identity(slice: PromptSlice) -> tuple[str, ...]:
    """What makes two texts versions of one thing."""
    match slice.origin:
        case "system" | "tools" | "summary" | "kept":
            return (slice.origin,)
        case "file" | "skill":
            return (slice.origin, slice.name)
        case _:
            return (slice.origin, slice.name, slice.entry_id)
