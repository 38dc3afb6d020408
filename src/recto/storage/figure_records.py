"""Figures of the gateway's requests as plain values, summed by the database."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class FigureRange:
    """Which requests are meant: of everybody, or of some scopes, within two moments."""

    start_ms: int
    end_ms: int
    scopes: tuple[str, ...] | None = None
    """No request may be in two of them: it would count twice."""


@dataclass(frozen=True, slots=True)
class DayRun:
    """Days of one length, one after another: where clocks change, a day has 23 or 25 hours."""

    start_ms: int
    first_day: int
    """The number of its first day, counted from 0."""
    day_ms: int


@dataclass(frozen=True, slots=True)
class ModelDay:
    """What was asked of one model on one day, all together."""

    day: int
    provider: str
    model: str
    requests: int
    failed: int
    input_tokens: int
    cache_read_tokens: int
    cache_write_tokens: int
    output_tokens: int
    cost_micros: int
    unpriced: int


@dataclass(frozen=True, slots=True)
class RequestCount:
    """How many requests there were in a stretch of time, and how many failed."""

    at: int
    """Which stretch, counted from 0."""
    requests: int
    failed: int


@dataclass(frozen=True, slots=True)
class FirstTokens:
    """How long requests to one model took until there was something to show."""

    provider: str
    model: str
    requests: int
    median_ms: int
    p95_ms: int


@dataclass(frozen=True, slots=True)
class FailureCount:
    """How often requests ended in one way other than an answer."""

    cause: str
    requests: int


@dataclass(frozen=True, slots=True)
class DeploymentCount:
    """What one deployment was asked in a stretch of time."""

    deployment: str
    at: int
    requests: int
    failed: int


@dataclass(frozen=True, slots=True)
class DeploymentLatency:
    """How long a deployment took until there was something to show, in the middle."""

    deployment: str
    median_ms: int
