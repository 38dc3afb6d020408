"""What was used in a month, computed from the ledger's rows each time it is asked for."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, tzinfo
from typing import Any

from recto.access.limits import month_bounds, month_of
from recto.access.prices import read_price
from recto.clock import Clock
from recto.storage import LedgerRow, Storage


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

    def add(self, row: LedgerRow) -> None:
        """Count one request."""
        spend = row.spend
        self.requests += 1
        self.input_tokens += spend.input_tokens
        self.cache_read_tokens += spend.cache_read_tokens
        self.cache_write_tokens += spend.cache_write_tokens
        self.output_tokens += spend.output_tokens
        self.reasoning_tokens += spend.reasoning_tokens
        if spend.cost_micros is None:
            self.unpriced += 1
        else:
            self.cost_micros += spend.cost_micros


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
        rows = await self.rows(month)
        return MonthlyUsage(
            month=month or month_of(self._clock.now_ms(), self._zone),
            months=await self._months(),
            days=self._days(rows),
            models=grouped(rows, self.model_of),
            features=grouped(rows, lambda row: row.spend.feature),
            projects=grouped(rows, lambda row: row.spend.project_id),
            chats=grouped(rows, lambda row: row.spend.chat_id),
            total=total(rows),
            cache_saved_micros=sum(saved_by_cache(row) for row in rows),
        )

    async def rows(self, month: str | None = None) -> tuple[LedgerRow, ...]:
        """Every row of a month, the oldest first."""
        start, end = month_bounds(self._moment(month), self._zone)
        return await self._storage.ledger.between(start, end)

    def time_of(self, row: LedgerRow) -> datetime:
        """When a row was booked, where the user lives."""
        return datetime.fromtimestamp(row.created_ms / 1000, self._zone)

    def model_of(self, row: LedgerRow) -> str:
        """The id of the model that a row is about."""
        return f"{row.spend.provider}/{row.spend.model}"

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

    def _days(self, rows: Iterable[LedgerRow]) -> tuple[DailyUsage, ...]:
        days: dict[date, DailyUsage] = {}
        for row in rows:
            day = self.time_of(row).date()
            entry = days.setdefault(day, DailyUsage(day, UsageSum(day.isoformat())))
            entry.total.add(row)
            entry.models[self.model_of(row)] += row.spend.cost_micros or 0
        return tuple(days[day] for day in sorted(days))


def grouped(
    rows: Iterable[LedgerRow], key: Callable[[LedgerRow], str | None]
) -> tuple[UsageSum, ...]:
    """Rows summed by what `key` says, the dearest first; rows without it are left out."""
    sums: dict[str, UsageSum] = {}
    for row in rows:
        name = key(row)
        if name is not None:
            sums.setdefault(name, UsageSum(name)).add(row)
    return tuple(sorted(sums.values(), key=lambda one: (-one.cost_micros, -one.requests, one.id)))


def total(rows: Iterable[LedgerRow]) -> UsageSum:
    """All rows together."""
    found = UsageSum("total")
    for row in rows:
        found.add(row)
    return found


def saved_by_cache(row: LedgerRow) -> int:
    """What reading from the cache saved, less what writing it cost more; 0 if nobody knows."""
    price: Mapping[str, Any] | None = row.spend.body.get("price")
    if price is None:
        return 0
    spend = row.spend
    rates = read_price(price).at(
        spend.input_tokens + spend.cache_read_tokens + spend.cache_write_tokens
    )
    kept_long: int = spend.body.get("cache_write_long", 0)
    short = spend.cache_write_tokens - kept_long
    saved = spend.cache_read_tokens * (rates.input - rates.cache_read)
    extra = short * (rates.cache_write - rates.input)
    return round(saved - extra - kept_long * (rates.cache_write_long - rates.input))
