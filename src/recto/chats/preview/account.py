"""The next request beside the one before: each part with its reason, its price and its news."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from recto.access import Access
from recto.chats.history.entries import ChatEntry
from recto.chats.preview.cache_breaks import why_broken
from recto.chats.preview.comparison import RequestComparison, State, compare, remembered
from recto.chats.preview.costs import cost_of, extra_cost, part_costs, remembers
from recto.chats.preview.reasons import reason_for
from recto.chats.turns.built_request import BuiltRequest
from recto.context import PromptSlice, text_of


@dataclass(frozen=True, slots=True)
class PreviewPart:
    """One part of the next request."""

    slice: PromptSlice
    reason: str
    cost_micros: int | None
    state: State
    is_cached: bool

    @property
    def text(self) -> str:
        """As a person can read it."""
        return text_of(self.slice.part)


@dataclass(frozen=True, slots=True)
class PreviewBreak:
    """From which part on the cache is of no use, why, and what that costs more."""

    part: int
    why: str
    tokens: int
    cost_micros: int | None


@dataclass(frozen=True, slots=True)
class PreviewLeftOut:
    """Something that is not sent."""

    what: str
    why: str
    tokens: int
    entry_id: str | None


@dataclass(frozen=True, slots=True)
class Preview:
    """The next request."""

    access: Access
    tokens: int
    cost_micros: int | None
    cost_if_cached_micros: int | None
    cached_tokens: int
    parts: tuple[PreviewPart, ...]
    removed: tuple[PromptSlice, ...]
    cache_break: PreviewBreak | None
    left_out: tuple[PreviewLeftOut, ...]
    too_long: str | None


def preview_of(
    now: BuiltRequest,
    before: BuiltRequest | None,
    entries: Sequence[ChatEntry],
    pins: Collection[str],
    unagreed: tuple[PreviewLeftOut, ...],
) -> Preview:
    """The next request beside the one before."""
    parts = before.parts if before is not None else ()
    found = compare(parts, now.parts)
    cached = 0
    if can_remember(now, before):
        cached = remembered(parts, found.same, at_marks=now.access.traits.cache_marks)
    costs = part_costs(now, cached)
    spoken = entries[-1].id
    shown = tuple(
        PreviewPart(
            item.slice,
            reason_for(
                item.slice,
                is_now=item.slice.entry_id == spoken,
                is_pinned=item.slice.entry_id in pins,
            ),
            cost,
            state,
            at < cached,
        )
        for at, (item, cost, state) in enumerate(zip(now.parts, costs, found.states, strict=True))
    )
    left_out = tuple(
        PreviewLeftOut(item.what, item.why, item.tokens, item.entry_id or None)
        for item in now.left_out
    )
    return Preview(
        access=now.access,
        tokens=now.tokens,
        cost_micros=cost_of(now, 0),
        cost_if_cached_micros=cost_of(now, cached),
        cached_tokens=sum(part.slice.tokens for part in now.parts[:cached]),
        parts=shown,
        removed=found.removed,
        cache_break=break_of(now, before, found, cached, [entry.id for entry in entries]),
        left_out=(*left_out, *unagreed),
        too_long=now.too_long.failure.message if now.too_long else None,
    )


def can_remember(now: BuiltRequest, before: BuiltRequest | None) -> bool:
    """Whether the model may still have something of the request before."""
    is_known = before is not None and before.access.origin == now.access.origin
    return is_known and remembers(now.access) and not now.too_long


def break_of(
    now: BuiltRequest,
    before: BuiltRequest | None,
    found: RequestComparison,
    cached: int,
    entries: Sequence[str],
) -> PreviewBreak | None:
    """Where what was remembered ends too early; None when the request only grows."""
    if before is None or now.too_long or not remembers(now.access):
        return None
    is_other = before.access.origin != now.access.origin
    if not is_other and found.same == len(before.parts):
        return None
    at = 0 if is_other else found.same
    # All that stood in the request before, as it is now or in another version.
    again = sum(
        item.slice.tokens
        for number, (item, state) in enumerate(zip(now.parts, found.states, strict=True))
        if number >= cached and state != "new"
    )
    why = why_broken(before, now, at, entries)
    return PreviewBreak(at, why, again, extra_cost(now, again))
