"""What was used in a month: sums that the database makes of the ledger's rows each time."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta, tzinfo
from decimal import Decimal

from recto.access.limits import month_bounds, month_of
from recto.access.prices import read_price
from recto.clock import Clock
from recto.storage import CachedTokens, LedgerRow, Storage, StretchUsage, UsageCounts


@dataclass(slots=True)
class UsageSum:
    """Some requests together. `unpriced` counts those whose price nobody knows."""

    id: str
    requests: int = 0
    input_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0
    output_tokens: int = 0
    reasoning_tokens: int = 0
    cost_micros: int = 0
    unpriced: int = 0

    def add(self, counts: UsageCounts) -> None:
        """Count some requests."""
        self.requests += counts.requests
        self.input_tokens += counts.input_tokens
        self.cache_read_tokens += counts.cache_read_tokens
        self.cache_write_tokens += counts.cache_write_tokens
        self.output_tokens += counts.output_tokens
        self.reasoning_tokens += counts.reasoning_tokens
        self.cost_micros += counts.cost_micros
        self.unpriced += counts.unpriced


@dataclass(slots=True)
class DailyUsage:
    """One day's requests, and what each model cost on it."""

    date: date
    total: UsageSum
    models: dict[str, int] = field(default_factory=lambda: defaultdict[str, int](int))


@dataclass(frozen=True, slots=True)
class MonthlyUsage:
    """A month, seen from every side."""

    month: str
    months: tuple[str, ...]
    days: tuple[DailyUsage, ...]
    models: tuple[UsageSum, ...]
    features: tuple[UsageSum, ...]
    projects: tuple[UsageSum, ...]
    chats: tuple[UsageSum, ...]
    total: UsageSum
    cache_saved_micros: int


class UsageReports:
    """Reads the ledger for people."""

    def __init__(self, storage: Storage, *, clock: Clock, zone: tzinfo) -> None:
        self._storage = storage
        self._clock = clock
        self._zone = zone

    async def month(self, month: str | None = None) -> MonthlyUsage:
        """A month such as 2026-11; None is this one."""
        days = self._days(month)
        bounds = (*(start for _, start in days), self._bounds(month)[1])
        found = await self._storage.usage_sums.over(bounds)
        every = found.stretches
        return MonthlyUsage(
            month=month or month_of(self._clock.now_ms(), self._zone),
            months=await self._months(),
            days=by_day([day for day, _ in days], every),
            models=summed((model_id(one), one.counts) for one in every),
            features=summed((one.feature, one.counts) for one in every),
            projects=summed((one.project_id, one.counts) for one in every),
            chats=summed((chat.chat_id, chat.counts) for chat in found.chats),
            total=total(every),
            cache_saved_micros=round(sum(map(saved_by_cache, found.cached))),
        )

    async def rows(self, month: str | None = None) -> tuple[LedgerRow, ...]:
        """Every row of a month, the oldest first."""
        return await self._storage.ledger.between(*self._bounds(month))

    def time_of(self, row: LedgerRow) -> datetime:
        """When a row was booked, where the user lives."""
        return datetime.fromtimestamp(row.created_ms / 1000, self._zone)

    def model_of(self, row: LedgerRow) -> str:
        """The id of the model that a row is about."""
        return f"{row.spend.provider}/{row.spend.model}"

    def _bounds(self, month: str | None) -> tuple[int, int]:
        return month_bounds(self._moment(month), self._zone)

    def _days(self, month: str | None) -> tuple[tuple[date, int], ...]:
        """The days of a month, and when each one begins where the user lives."""
        start, end = self._bounds(month)
        first = datetime.fromtimestamp(start // 1000, self._zone).date()
        found = [(first, start)]
        while True:
            day = found[-1][0] + timedelta(days=1)
            midnight = datetime(day.year, day.month, day.day, tzinfo=self._zone)
            begins = round(midnight.timestamp() * 1000)
            if begins >= end:
                return tuple(found)
            found.append((day, begins))

    def _moment(self, month: str | None) -> int:
        """A moment in the month."""
        if month is None:
            return self._clock.now_ms()
        # The second day: no change of clocks moves it into another month.
        second = datetime.strptime(month, "%Y-%m").replace(day=2, tzinfo=self._zone)
        return round(second.timestamp() * 1000)

    async def _months(self) -> tuple[str, ...]:
        """The months that have rows, the latest first: one look for each, however many rows."""
        found: list[str] = []
        moment = await self._storage.ledger.first_since(0)
        while moment is not None:
            found.append(month_of(moment, self._zone))
            _, following = month_bounds(moment, self._zone)
            moment = await self._storage.ledger.first_since(following)
        return tuple(reversed(found))


def model_id(used: StretchUsage) -> str:
    """The id of the model that was used."""
    return f"{used.provider}/{used.model}"


def by_day(dates: Sequence[date], every: Iterable[StretchUsage]) -> tuple[DailyUsage, ...]:
    """The days on which something was asked."""
    days: dict[date, DailyUsage] = {}
    for used in every:
        day = dates[used.stretch]
        entry = days.setdefault(day, DailyUsage(day, UsageSum(day.isoformat())))
        entry.total.add(used.counts)
        entry.models[model_id(used)] += used.counts.cost_micros
    return tuple(days[day] for day in sorted(days))


def summed(counted: Iterable[tuple[str | None, UsageCounts]]) -> tuple[UsageSum, ...]:
    """Requests of the same name together, the dearest first; those without one are left out."""
    sums: dict[str, UsageSum] = {}
    for name, counts in counted:
        if name is not None:
            sums.setdefault(name, UsageSum(name)).add(counts)
    return tuple(sorted(sums.values(), key=lambda one: (-one.cost_micros, -one.requests, one.id)))


def total(every: Iterable[StretchUsage]) -> UsageSum:
    """All requests together."""
    found = UsageSum("total")
    for used in every:
        found.add(used.counts)
    return found


def saved_by_cache(tokens: CachedTokens) -> Decimal:
    """What reading from the cache saved, less what writing it cost more, in micro-dollars."""
    rates = read_price(tokens.price).at(tokens.prompt)
    short = tokens.written - tokens.written_long
    saved = tokens.read * (rates.input - rates.cache_read)
    extra = short * (rates.cache_write - rates.input)
    return saved - extra - tokens.written_long * (rates.cache_write_long - rates.input)
