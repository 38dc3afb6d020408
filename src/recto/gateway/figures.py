"""Figures of a month or of the last days: what was asked, what it cost and how it ended."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime, timedelta, tzinfo
from itertools import pairwise

from recto.access import month_of, month_scope
from recto.clock import Clock
from recto.gateway.scopes import account_month
from recto.storage import (
    AccountRecord,
    DayRun,
    DeploymentCount,
    FailureCount,
    FigureRange,
    FirstTokens,
    ModelDay,
    RequestCount,
    ScopeSpending,
    Storage,
)

HOUR_MS = 60 * 60 * 1000
MINUTE_MS = 60 * 1000
RECENT_HOURS = 48
RECENT_MINUTES = 30
MOST_MONTHS = 36
LATE_MS = 24 * HOUR_MS
"""A request that began in a month is booked so much later at most."""


@dataclass(frozen=True, slots=True)
class RecentFigures:
    """What happened in the last two days."""

    start_ms: int
    hours: tuple[RequestCount, ...]
    first_tokens: tuple[FirstTokens, ...]


@dataclass(frozen=True, slots=True)
class Period:
    """What figures are asked for: a month such as 2026-11, or so many days until today."""

    month: str | None = None
    """None is this month."""
    days: int | None = None


THIS_MONTH = Period()


@dataclass(frozen=True, slots=True)
class PeriodFigures:
    """A month, or the last days, of the whole gateway or of one account."""

    month: str
    """The month that is meant, or the one of today."""
    is_month: bool
    months: tuple[str, ...]
    """Those that can be asked for, the latest first."""
    days: tuple[date, ...]
    models: tuple[ModelDay, ...]
    """For each day, counted from 0, what was asked of each model."""
    failures: tuple[FailureCount, ...]
    spending: ScopeSpending
    """Of the month."""
    limit_micros: int | None
    recent: RecentFigures | None
    """None for months that are over."""


@dataclass(frozen=True, slots=True)
class RecentDeployments:
    """What the deployments were asked in the last half hour, by every worker."""

    counts: tuple[DeploymentCount, ...]
    """In each minute, the oldest first."""
    median_ms: dict[str, int]


class GatewayFigures:
    """Has the database sum up the ledger."""

    def __init__(
        self,
        storage: Storage,
        *,
        clock: Clock,
        zone: tzinfo,
        gateway_micros: Callable[[], int | None],
    ) -> None:
        """`gateway_micros` is what all may spend in a month."""
        self._storage = storage
        self._clock = clock
        self._zone = zone
        self._gateway_micros = gateway_micros

    async def of_gateway(self, period: Period = THIS_MONTH) -> PeriodFigures:
        """What everybody did."""
        accounts = await self._storage.accounts.all()
        since_ms = min((one.created_ms for one in accounts), default=self._clock.now_ms())
        return await self._of(period, since_ms, None, self._gateway_micros())

    async def of_account(
        self, account: AccountRecord, period: Period = THIS_MONTH
    ) -> PeriodFigures:
        """What one account did."""
        limit_micros = account.limits.monthly_micros
        return await self._of(period, account.created_ms, account.id, limit_micros)

    async def of_deployments(self) -> RecentDeployments:
        """The last half hour."""
        now_ms = self._clock.now_ms()
        start_ms = now_ms - now_ms % MINUTE_MS - (RECENT_MINUTES - 1) * MINUTE_MS
        asked = FigureRange(start_ms, now_ms + MINUTE_MS)
        figures = self._storage.request_figures
        latency = await figures.deployment_latency(asked)
        return RecentDeployments(
            await figures.by_deployment(asked), {one.deployment: one.median_ms for one in latency}
        )

    async def _of(
        self, period: Period, since_ms: int, account_id: str | None, limit_micros: int | None
    ) -> PeriodFigures:
        now_ms = self._clock.now_ms()
        this_month = month_of(now_ms, self._zone)
        month = period.month or this_month
        days = days_of(month)
        if period.days is not None:
            days = days_until(datetime.fromtimestamp(now_ms / 1000, self._zone), period.days)
        runs = day_runs(days, self._zone)
        start_ms, end_ms = self._ms(days[0]), self._ms(days[-1] + timedelta(days=1))
        scope = month_scope(month)
        asked = FigureRange(start_ms, end_ms)
        if account_id is not None:
            scope = account_month(account_id, month)
            months = {f"{day:%Y-%m}" for day in days}
            if period.days is not None:
                # What began in the month before may have been booked within the days.
                months.add(month_of(start_ms - LATE_MS, self._zone))
            scopes = tuple(account_month(account_id, one) for one in sorted(months))
            late_ms = LATE_MS if period.days is None else 0
            asked = FigureRange(start_ms, end_ms + late_ms, scopes)
        figures = self._storage.request_figures
        return PeriodFigures(
            month=month,
            is_month=period.days is None,
            months=months_since(since_ms, now_ms, self._zone),
            days=days,
            models=await figures.by_day(asked, runs),
            failures=await figures.failures(asked),
            spending=(await self._storage.ledger.spending([scope]))[scope],
            limit_micros=limit_micros,
            recent=await self._recent(account_id) if month == this_month else None,
        )

    async def _recent(self, account_id: str | None) -> RecentFigures:
        now_ms = self._clock.now_ms()
        start_ms = now_ms - now_ms % HOUR_MS - (RECENT_HOURS - 1) * HOUR_MS
        asked = FigureRange(start_ms, now_ms + HOUR_MS)
        if account_id is not None:
            months = {month_of(moment, self._zone) for moment in (start_ms - LATE_MS, now_ms)}
            scopes = tuple(account_month(account_id, one) for one in sorted(months))
            asked = FigureRange(start_ms, now_ms + HOUR_MS, scopes)
        figures = self._storage.request_figures
        return RecentFigures(
            start_ms, await figures.by_hour(asked), await figures.first_tokens(asked)
        )

    def _ms(self, day: date) -> int:
        return midnight_ms(day, self._zone)


def midnight_ms(day: date, zone: tzinfo) -> int:
    """When a day begins somewhere."""
    return round(datetime(day.year, day.month, day.day, tzinfo=zone).timestamp() * 1000)


def days_of(month: str) -> tuple[date, ...]:
    """The days of a month such as 2026-11."""
    first = date.fromisoformat(f"{month}-01")
    following = (first + timedelta(days=32)).replace(day=1)
    return tuple(first + timedelta(days=number) for number in range((following - first).days))


def days_until(now: datetime, count: int) -> tuple[date, ...]:
    """So many days, the last one today."""
    return tuple(now.date() - timedelta(days=back) for back in reversed(range(count)))


def day_runs(days: tuple[date, ...], zone: tzinfo) -> tuple[DayRun, ...]:
    """Days that follow each other, with one entry for each change of their length."""
    starts = [midnight_ms(day, zone) for day in (*days, days[-1] + timedelta(days=1))]
    found: list[DayRun] = []
    for number, (start, following) in enumerate(pairwise(starts)):
        if not found or found[-1].day_ms != following - start:
            found.append(DayRun(start, number, following - start))
    return tuple(found)


def months_since(since_ms: int, now_ms: int, zone: tzinfo) -> tuple[str, ...]:
    """The months from one moment until now, the latest first; at most three years of them."""
    first = min(month_of(since_ms, zone), month_of(now_ms, zone))
    day = date.fromisoformat(f"{month_of(now_ms, zone)}-01")
    found: list[str] = []
    while len(found) < MOST_MONTHS and f"{day:%Y-%m}" >= first:
        found.append(f"{day:%Y-%m}")
        day = (day - timedelta(days=1)).replace(day=1)
    return tuple(found)
