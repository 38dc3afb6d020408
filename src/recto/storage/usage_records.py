"""What was used in a while as plain values, summed by the database."""

from collections.abc import Collection
from dataclasses import dataclass

from recto.storage.records import JsonObject


@dataclass(frozen=True, slots=True)
class UsageCounts:
    """Some requests together. `unpriced` counts those whose price nobody knows."""

    requests: int
    input_tokens: int
    cache_read_tokens: int
    cache_write_tokens: int
    output_tokens: int
    reasoning_tokens: int
    cost_micros: int
    unpriced: int


@dataclass(frozen=True, slots=True)
class StretchUsage:
    """What one model was asked for one purpose and project in a stretch of time."""

    stretch: int
    """Which one of those that were asked for, counted from 0."""
    provider: str
    model: str
    feature: str
    project_id: str | None
    counts: UsageCounts


@dataclass(frozen=True, slots=True)
class ChatCounts:
    """What the requests of one chat used in a while."""

    chat_id: str
    counts: UsageCounts


@dataclass(frozen=True, slots=True)
class CachedTokens:
    """Tokens that were read from a cache or written to it at the same rates."""

    price: JsonObject
    prompt: int
    """The length of a prompt for which the price has these rates."""
    read: int
    written: int
    written_long: int
    """Those of `written` that are kept for longer."""


@dataclass(frozen=True, slots=True)
class UsageFigures:
    """A while, seen from every side."""

    stretches: tuple[StretchUsage, ...]
    chats: tuple[ChatCounts, ...]
    cached: tuple[CachedTokens, ...]


@dataclass(frozen=True, slots=True)
class NewReservation:
    """Money that is to be set aside for a request; it counts in each of the scopes."""

    id: str
    scopes: Collection[str]
    amount_micros: int
    request: JsonObject
