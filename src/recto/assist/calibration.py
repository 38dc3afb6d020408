"""Calibration: how often people took what was offered, by how sure it was said to be."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from recto.storage import Proposal, Storage, Suggestion

BINS = 5
SOURCES = frozenset({"logprobs"})
"""What a confidence must rest on to be learned from. Suggestions that are asked to differ were once
scored by how far they agree, which says nothing."""


@dataclass(frozen=True, slots=True)
class Decision:
    """Something that was offered with a confidence, and whether it was taken."""

    source: str
    confidence: float
    is_accepted: bool


@dataclass(frozen=True, slots=True)
class Bin:
    """The decisions on what was said to be about so sure."""

    start: float
    end: float
    count: int
    accepted: int
    mean: float | None
    """The mean of what was said; None where there is nothing."""


@dataclass(frozen=True, slots=True)
class Curve:
    """The decisions on confidences of one kind."""

    source: str
    bins: tuple[Bin, ...]

    @property
    def count(self) -> int:
        """All decisions."""
        return sum(item.count for item in self.bins)

    @property
    def accepted(self) -> int:
        """How often it was taken."""
        return sum(item.accepted for item in self.bins)


class CalibrationReports:
    """Computes the curves from what is stored."""

    def __init__(self, storage: Storage) -> None:
        self._storage = storage

    async def curves(self) -> tuple[Curve, ...]:
        """A curve for each source of confidence."""
        suggested = await self._storage.suggestions.decided()
        proposed = await self._storage.proposals.decided()
        return curves_of([*on_suggestions(suggested), *on_proposals(proposed)])


def on_suggestions(rows: Iterable[Suggestion]) -> Iterator[Decision]:
    """What became of the suggestions that were looked at; a part taken is taken."""
    for row in rows:
        if row.chosen is not None and row.chosen < len(row.items):
            yield from decision(row.items[row.chosen], is_accepted=row.outcome != "dismissed")


def on_proposals(rows: Iterable[Proposal]) -> Iterator[Decision]:
    """What became of proposals."""
    for row in rows:
        item = {"confidence": row.confidence, "source": row.source}
        yield from decision(item, is_accepted=row.status == "applied")


def decision(item: Mapping[str, Any], *, is_accepted: bool) -> Iterator[Decision]:
    """A decision that says something: one on a known confidence."""
    confidence = item.get("confidence")
    if confidence is not None and item["source"] in SOURCES:
        yield Decision(str(item["source"]), float(confidence), is_accepted)


def curves_of(decisions: Sequence[Decision]) -> tuple[Curve, ...]:
    """The decisions by source, each in bins of the same width."""
    sources = sorted({item.source for item in decisions})
    return tuple(
        Curve(source, tuple(bins_of([item for item in decisions if item.source == source])))
        for source in sources
    )


def bins_of(decisions: Sequence[Decision]) -> Iterator[Bin]:
    """The decisions from 0 to 1; being wholly sure belongs to the last bin."""
    for number in range(BINS):
        inside = [
            item for item in decisions if min(int(item.confidence * BINS), BINS - 1) == number
        ]
        mean = sum(item.confidence for item in inside) / len(inside) if inside else None
        yield Bin(
            start=number / BINS,
            end=(number + 1) / BINS,
            count=len(inside),
            accepted=sum(item.is_accepted for item in inside),
            mean=None if mean is None else round(mean, 4),
        )
