"""Figures of the gateway's requests, summed by either database."""

import pytest

from recto.storage import (
    DayRun,
    DeploymentCount,
    DeploymentLatency,
    FailureCount,
    FigureRange,
    FirstTokens,
    ModelDay,
    RequestCount,
    RequestUsage,
    Storage,
)
from tests.storage.conftest import StepClock

pytestmark = pytest.mark.anyio

HOUR = 60 * 60 * 1000
DAY = 24 * HOUR
START = 100 * DAY
# The second day has 25 hours: the clocks are set back.
RUNS = (
    DayRun(START, 0, DAY),
    DayRun(START + DAY, 1, DAY + HOUR),
    DayRun(START + 2 * DAY + HOUR, 2, DAY),
)
ALL = FigureRange(START, START + 10 * DAY)
ANNS = FigureRange(START, START + 10 * DAY, ("account:ann", "account:nobody"))


class Books:
    """Books requests at chosen moments."""

    def __init__(self, storage: Storage, clock: StepClock) -> None:
        self._storage = storage
        self._clock = clock
        self._number = 0

    async def book(
        self,
        at_ms: int,
        who: str | None = "ann",
        *,
        model: str = "large",
        outcome: str = "finished",
        first_ms: int | None = 100,
        failure: str | None = None,
        cost: int | None = 10,
    ) -> None:
        self._clock.ms = at_ms
        self._number += 1
        name = f"r{self._number}"
        body = {"first_token_ms": first_ms, "deployment": f"{model}#0"}
        body |= {} if who is None else {"account": who}
        body |= {} if failure is None else {"failure": failure}
        spend = RequestUsage(
            id=name,
            feature="gateway",
            chat_id=None,
            project_id=None,
            provider="lab",
            model=model,
            input_tokens=1,
            cache_read_tokens=2,
            cache_write_tokens=3,
            output_tokens=4,
            reasoning_tokens=0,
            cost_micros=cost,
            outcome=outcome,
            body=body,
        )
        async with self._storage.write() as write:
            await self._storage.ledger.reserve(
                write, id=name, scopes=[f"account:{who}"], amount_micros=20, request={}
            )
            await self._storage.ledger.settle(write, name, spend)


@pytest.fixture
def books(storage: Storage, clock: StepClock) -> Books:
    return Books(storage, clock)


async def test_days_are_those_of_the_calendar_also_where_clocks_change(
    storage: Storage, books: Books
) -> None:
    moments = (START, START + DAY - 1, START + DAY, START + 2 * DAY + HOUR - 1)
    for moment in (*moments, START + 2 * DAY + HOUR):
        await books.book(moment)
    await books.book(START + DAY, "bob", model="small", outcome="failed", cost=None)
    await books.book(START + DAY, None)  # the workspace's own
    await books.book(START - 1)
    found = await storage.request_figures.by_day(ALL, RUNS)
    assert found == (
        ModelDay(0, "lab", "large", 2, 0, 2, 4, 6, 8, 20, 0),
        ModelDay(1, "lab", "large", 2, 0, 2, 4, 6, 8, 20, 0),
        ModelDay(1, "lab", "small", 1, 1, 1, 2, 3, 4, 0, 1),
        ModelDay(2, "lab", "large", 1, 0, 1, 2, 3, 4, 10, 0),
    )
    own = await storage.request_figures.by_day(ANNS, RUNS)
    assert [(one.day, one.model, one.requests) for one in own] == [
        (0, "large", 2),
        (1, "large", 2),
        (2, "large", 1),
    ]


async def test_hours_and_minutes_count_what_failed(storage: Storage, books: Books) -> None:
    await books.book(START + 5)
    await books.book(START + HOUR, outcome="failed", failure="overloaded")
    await books.book(START + HOUR + 61_000, "bob", outcome="interrupted")
    await books.book(START + HOUR + 61_001, "bob", outcome="cancelled")
    figures = storage.request_figures
    assert await figures.by_hour(ALL) == (RequestCount(0, 1, 0), RequestCount(1, 3, 2))
    assert await figures.by_hour(ANNS) == (RequestCount(0, 1, 0), RequestCount(1, 1, 1))
    assert await figures.failures(ALL) == (
        FailureCount("cancelled", 1),
        FailureCount("interrupted", 1),
        FailureCount("overloaded", 1),
    )
    assert await figures.failures(ANNS) == (FailureCount("overloaded", 1),)
    assert await figures.by_deployment(FigureRange(START + HOUR, START + DAY)) == (
        DeploymentCount("large#0", 0, 1, 1),
        DeploymentCount("large#0", 1, 2, 1),
    )


async def test_latency_is_a_time_that_really_was(storage: Storage, books: Books) -> None:
    for number in range(1, 21):
        await books.book(START + number, first_ms=number * 10)
    await books.book(START, first_ms=None, outcome="failed", failure="timeout")
    await books.book(START, "bob", model="small", first_ms=7)
    figures = storage.request_figures
    assert await figures.first_tokens(ALL) == (
        FirstTokens("lab", "large", 20, 100, 190),
        FirstTokens("lab", "small", 1, 7, 7),
    )
    assert await figures.first_tokens(ANNS) == (FirstTokens("lab", "large", 20, 100, 190),)
    assert await figures.deployment_latency(ALL) == (
        DeploymentLatency("large#0", 100),
        DeploymentLatency("small#0", 7),
    )


async def test_nothing_asked_is_nothing_found(storage: Storage) -> None:
    figures = storage.request_figures
    found = [
        await figures.by_day(ALL, RUNS),
        await figures.by_hour(ALL),
        await figures.failures(ALL),
        await figures.first_tokens(ALL),
        await figures.by_deployment(ALL),
        await figures.deployment_latency(ALL),
    ]
    assert found == [()] * 6
