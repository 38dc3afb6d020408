"""A month's figures are what the ledger's rows come to, and no row is read for them."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from datetime import date, datetime
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from sqlalchemy import Executable, Result

from recto.access import UsageReports, UsageSum
from recto.access.prices import read_price
from recto.storage import LedgerRow, RequestUsage, Storage
from recto.storage.transactions import ReadTransaction
from tests.storage.conftest import StepClock

pytestmark = pytest.mark.anyio

ZONE = ZoneInfo("Europe/Berlin")
HOUR = 60 * 60 * 1000
# Clocks are set back in this month: its 25th has 25 hours.
OCTOBER = round(datetime(2026, 10, 1, tzinfo=ZONE).timestamp() * 1000)
PLAIN = {"input": "3", "output": "15", "cacheRead": "0.3", "cacheWrite": "3.75"}
LONG = {"above": 1000, "input": "6", "output": "22.5", "cacheRead": "0.6", "cacheWrite": "7.5"}
PRICES: tuple[dict[str, Any] | None, ...] = (
    None,
    PLAIN,
    {**PLAIN, "tiers": [LONG]},
    {**PLAIN, "input": "4", "cacheWriteLong": "6", "tiers": [{**LONG, "above": 1500}]},
)


def usage(number: int, copy: int) -> RequestUsage:
    price = PRICES[number % 4]
    return RequestUsage(
        id=f"{copy}-{number}",
        feature=("chat", "ghost", "title")[number % 3],
        chat_id=f"c{number % 5}" if number % 3 == 0 else None,
        project_id=f"p{number % 2}" if number % 7 else None,
        provider="lab",
        model=f"m{number % 4}",
        input_tokens=number * 37 % 900,
        cache_read_tokens=number * 71 % 1300,
        cache_write_tokens=number * 13 % 400,
        output_tokens=number,
        reasoning_tokens=number % 3,
        cost_micros=None if price is None else number * 11,
        outcome="finished",
        body={"price": price, "cache_write_long": number * 5 % 13}
        if number % 2
        else {"price": price},
    )


@pytest.fixture
def rows_read(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many rows each statement that only reads answered."""
    counted: list[int] = []
    execute = ReadTransaction.execute

    async def counting(self: ReadTransaction, statement: Executable) -> Result[Any]:
        answer = (await execute(self, statement)).freeze()
        counted.append(len(list(answer())))
        return answer()

    monkeypatch.setattr(ReadTransaction, "execute", counting)
    return counted


async def book(storage: Storage, clock: StepClock, copies: Iterable[int]) -> None:
    """The same hundred requests, from the evening before the month to the day after it."""
    for number in range(100):
        clock.ms = OCTOBER + (number * 8 - 5) * HOUR
        async with storage.write() as write:
            for copy in copies:
                await storage.ledger.record(write, usage(number, copy))


async def test_a_month_is_what_its_rows_come_to_and_ten_times_the_rows_are_no_more_to_read(
    storage: Storage, clock: StepClock, rows_read: list[int]
) -> None:
    reports = UsageReports(storage, clock=clock, zone=ZONE)
    await book(storage, clock, [0])
    rows_read.clear()
    first = await reports.month("2026-10")
    read = sum(rows_read)
    assert first.total.requests == 93
    await book(storage, clock, range(1, 10))
    rows_read.clear()
    report = await reports.month("2026-10")
    assert sum(rows_read) == read
    assert report.total.requests == 10 * first.total.requests

    rows = await reports.rows("2026-10")
    assert report.total == counted("total", rows)
    assert report.models == sides(rows, lambda row: f"lab/{row.spend.model}")
    assert report.features == sides(rows, lambda row: row.spend.feature)
    assert report.projects == sides(rows, lambda row: row.spend.project_id)
    assert report.chats == sides(rows, lambda row: row.spend.chat_id)
    assert report.cache_saved_micros == round(sum(map(saved, rows)))
    days = {day: one for day, one in grouped(rows, local_day).items() if day is not None}
    assert {day.date.isoformat(): day.total for day in report.days} == {
        day: counted(day, those) for day, those in days.items()
    }
    assert [day.date for day in report.days] == sorted(map(date.fromisoformat, days))
    for day in report.days:
        models = grouped(days[day.date.isoformat()], lambda row: f"lab/{row.spend.model}")
        assert day.models == {
            model: counted("", those).cost_micros for model, those in models.items()
        }


def local_day(row: LedgerRow) -> str:
    return datetime.fromtimestamp(row.created_ms / 1000, ZONE).date().isoformat()


def grouped(
    rows: Iterable[LedgerRow], key: Callable[[LedgerRow], str | None]
) -> dict[str | None, list[LedgerRow]]:
    found: dict[str | None, list[LedgerRow]] = defaultdict(list)
    for row in rows:
        found[key(row)].append(row)
    return found


def sides(
    rows: Sequence[LedgerRow], key: Callable[[LedgerRow], str | None]
) -> tuple[UsageSum, ...]:
    groups = grouped(rows, key).items()
    sums = [counted(name, those) for name, those in groups if name is not None]
    return tuple(sorted(sums, key=lambda one: (-one.cost_micros, -one.requests, one.id)))


def counted(name: str, rows: Sequence[LedgerRow]) -> UsageSum:
    spends = [row.spend for row in rows]
    return UsageSum(
        name,
        len(spends),
        sum(spend.input_tokens for spend in spends),
        sum(spend.cache_read_tokens for spend in spends),
        sum(spend.cache_write_tokens for spend in spends),
        sum(spend.output_tokens for spend in spends),
        sum(spend.reasoning_tokens for spend in spends),
        sum(spend.cost_micros or 0 for spend in spends),
        sum(spend.cost_micros is None for spend in spends),
    )


def saved(row: LedgerRow) -> Decimal:
    """What the cache saved in one request, exactly."""
    spend, price = row.spend, row.spend.body["price"]
    if price is None:
        return Decimal(0)
    read, written = spend.cache_read_tokens, spend.cache_write_tokens
    rates = read_price(price).at(spend.input_tokens + read + written)
    long: int = spend.body.get("cache_write_long", 0)
    extra = (written - long) * (rates.cache_write - rates.input)
    extra += long * (rates.cache_write_long - rates.input)
    return read * (rates.input - rates.cache_read) - extra
