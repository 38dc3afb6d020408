from collections.abc import AsyncGenerator
from dataclasses import replace
from datetime import UTC, date
from pathlib import Path

import pytest

from recto.access import UsageReports, UsageSum
from recto.storage import RequestUsage, Storage
from tests.fakes import FakeClock
from tests.stores import open_empty

pytestmark = pytest.mark.anyio

NOVEMBER = 1_794_700_000_000  # 2026-11-14
DAY_S = 24 * 60 * 60
PRICE = {"input": "3", "output": "15", "cacheRead": "0.3", "cacheWrite": "3.75", "source": "list"}


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock(NOVEMBER)


@pytest.fixture
async def storage(tmp_path: Path, clock: FakeClock) -> AsyncGenerator[Storage]:
    opened = await open_empty(tmp_path / "db", clock=clock)
    yield opened
    await opened.close()


def spend(
    number: int, *, model: str = "a", cost: int | None = 100, project: str = "p1"
) -> RequestUsage:
    return RequestUsage(
        id=str(number),
        feature="chat" if number % 2 else "ghost",
        chat_id=None,
        project_id=project,
        provider="anthropic",
        model=model,
        input_tokens=10,
        cache_read_tokens=1000,
        cache_write_tokens=100,
        output_tokens=5,
        reasoning_tokens=1,
        cost_micros=cost,
        outcome="finished",
        body={"price": None if cost is None else PRICE},
    )


async def book(storage: Storage, *spends: RequestUsage) -> None:
    async with storage.write() as write:
        for item in spends:
            await storage.ledger.record(write, item)


async def test_a_month_is_summed_from_every_side(storage: Storage, clock: FakeClock) -> None:
    # I9: the sums are computed from the ledger's rows.
    await book(storage, spend(1), spend(2, model="b", cost=300))
    clock.pass_time(DAY_S)
    await book(storage, spend(3, cost=None, project="p2"))
    report = await UsageReports(storage, clock=clock, zone=UTC).month()
    assert (report.month, report.months) == ("2026-11", ("2026-11",))
    assert [(model.id, model.cost_micros, model.unpriced) for model in report.models] == [
        ("anthropic/b", 300, 0),
        ("anthropic/a", 100, 1),
    ]
    assert [(feature.id, feature.requests) for feature in report.features] == [
        ("ghost", 1),
        ("chat", 2),
    ]
    assert [(project.id, project.requests) for project in report.projects] == [("p1", 2), ("p2", 1)]
    assert [(day.date, day.total.cost_micros) for day in report.days] == [
        (date(2026, 11, 14), 400),
        (date(2026, 11, 15), 0),
    ]
    assert report.total == UsageSum("total", 3, 30, 3000, 300, 15, 3, 400, 1)


async def test_what_the_cache_saved_counts_what_writing_it_cost(
    storage: Storage, clock: FakeClock
) -> None:
    await book(storage, spend(1))
    report = await UsageReports(storage, clock=clock, zone=UTC).month()
    assert report.cache_saved_micros == round(1000 * 2.7 - 100 * 0.75)


async def test_Q10_what_is_kept_for_longer_cost_more_to_write(
    storage: Storage, clock: FakeClock
) -> None:
    body = {"price": {**PRICE, "cacheWriteLong": "6"}, "cache_write_long": 40}
    await book(storage, replace(spend(1), body=body))
    report = await UsageReports(storage, clock=clock, zone=UTC).month()
    assert report.cache_saved_micros == round(1000 * 2.7 - 60 * 0.75 - 40 * 3)


async def test_what_the_cache_saved_is_counted_at_the_rates_of_a_long_prompt(
    storage: Storage, clock: FakeClock
) -> None:
    long = {"above": 500, "input": "6", "output": "22.5", "cacheRead": "0.6", "cacheWrite": "7.5"}
    await book(storage, replace(spend(1), body={"price": {**PRICE, "tiers": [long]}}))
    report = await UsageReports(storage, clock=clock, zone=UTC).month()
    assert report.cache_saved_micros == round(1000 * 5.4 - 100 * 1.5)


async def test_months_are_kept_apart(storage: Storage, clock: FakeClock) -> None:
    await book(storage, spend(1))
    clock.pass_time(30 * DAY_S)
    await book(storage, spend(2))
    reports = UsageReports(storage, clock=clock, zone=UTC)
    now, before = await reports.month(), await reports.month("2026-11")
    assert (now.month, now.total.requests, now.months) == ("2026-12", 1, ("2026-12", "2026-11"))
    assert (before.month, before.total.requests) == ("2026-11", 1)
    assert [row.spend.id for row in await reports.rows("2026-11")] == ["1"]


async def test_a_month_without_requests_is_empty(storage: Storage, clock: FakeClock) -> None:
    report = await UsageReports(storage, clock=clock, zone=UTC).month("2020-01")
    assert (report.days, report.models, report.total) == ((), (), UsageSum("total"))
