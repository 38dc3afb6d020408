"""Random schedules against the budget: many callers, lies, cancelling, processes that die.

50 schedules by default. All of them: RECTO_SCHEDULES=10000 pytest tests/access/test_simulation.py
"""

import asyncio
import os
import random
import tempfile
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

import anyio
import pytest

from recto.access import Access, Budget, ModelGate, Price, Record, SpendingLimits, Tier
from recto.access.limits import month_of, scopes_of
from recto.access.prices import price_of
from recto.clock import SystemIds
from recto.messages import (
    Failure,
    Finished,
    Request,
    Started,
    StreamEvent,
    TextDelta,
    Usage,
    UsageReported,
    assistant,
    user,
)
from recto.storage import ChangeLog, Ledger, Storage, WriteTransaction
from tests.access.world import ToldClock, access
from tests.stores import open_empty

pytestmark = pytest.mark.anyio

SCHEDULES = int(os.environ.get("RECTO_SCHEDULES", "50"))
PER_STORE = 50
PROJECTS = ("p1", "p2", None)

PLAIN = price_of(input=Decimal(2), output=Decimal(10), source="test")
CACHED = price_of(
    input=Decimal("0.3"), output=Decimal("1.7"), cache_write=Decimal("0.9"), source="test"
)
TIERED = Price(CACHED.rates, (Tier(1_100, PLAIN.rates),), "test")


class Died(Exception):
    """The process is gone: whatever it still wanted to write is not written."""


@dataclass
class Watched:
    """A store as one process sees it. No write ends with a limit passed; none after death."""

    storage: Storage
    limits: SpendingLimits
    month: str
    turns: tuple[str | None, ...]
    is_dead: bool = False

    @property
    def ledger(self) -> Ledger:
        return self.storage.ledger

    @property
    def changes(self) -> ChangeLog:
        return self.storage.changes

    @asynccontextmanager
    async def write(self, *names: str) -> AsyncGenerator[WriteTransaction]:
        if self.is_dead:
            raise Died
        async with self.storage.write(*names) as write:
            yield write
            await self._check(write)
            if self.is_dead:
                raise Died

    async def _check(self, write: WriteTransaction) -> None:
        every = {
            scope.name: scope.limit_micros
            for project in PROJECTS
            for turn in self.turns
            for scope in scopes_of(self.limits, self.month, project_id=project, turn_id=turn)
            if scope.limit_micros is not None
        }
        for name, spending in (
            await self.storage.ledger.spending(list(every), within=write)
        ).items():
            assert spending.total_micros <= every[name], (name, spending)
        # I9: what limits are checked against is what the rows come to, after every write.
        assert await self.storage.ledger.wrong_totals(within=write) == ()


class Liar:
    """A model that answers anyhow and reports anything."""

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance

    async def __call__(
        self, at: Access, request: Request, record: Record | None
    ) -> AsyncGenerator[StreamEvent]:
        await self._dawdle()
        if self._chance.random() < 0.2:
            yield Finished("error", assistant(), None, Failure("overloaded", "Busy."))
            return
        yield Started("m", "claude")
        for _ in range(self._chance.randrange(4)):
            await self._dawdle()
            yield self._chance.choice([TextDelta("some words"), UsageReported(self._usage())])
        failure = Failure("network", "Lost.") if self._chance.random() < 0.2 else None
        said = self._chance.choice([None, self._usage()])
        yield Finished("error" if failure else "end_turn", assistant(), said, failure)

    async def _dawdle(self) -> None:
        for _ in range(self._chance.randrange(6)):
            await asyncio.sleep(0)

    def _usage(self) -> Usage:
        count = self._chance.choice([0, 1, 40, 900, 10**9, -(10**9)])
        other = self._chance.choice([0, 7, 5_000])
        return Usage(input=count, cache_read=other, cache_write=other, output=count)


@dataclass
class Schedule:
    """One run of the world: some processes, one after the other, each with callers at once."""

    storage: Storage
    clock: ToldClock
    chance: random.Random

    async def run(self) -> None:
        chance = self.chance
        self.limits = SpendingLimits(
            chance.choice([20_000, 60_000, 300_000, None]),
            turn_micros=chance.choice([None, 12_000]),
            project_micros=chance.choice([{}, {"p1": 15_000}]),
        )
        self.price = chance.choice([PLAIN, CACHED, TIERED])
        # Months keep schedules apart; turns have no month.
        self.turns = (f"{self.clock.ms}-1", f"{self.clock.ms}-2", None)
        for _ in range(chance.choice([1, 1, 2])):
            await self.process(may_die=True)
        await self.process(may_die=False)

    async def process(self, *, may_die: bool) -> None:
        """Start, recover what the one before left, answer some callers, end or die."""
        seen = Watched(self.storage, self.limits, month_of(self.clock.ms, UTC), self.turns)
        ids = SystemIds(self.clock)
        store: Storage = seen  # pyright: ignore[reportAssignmentType] - has all that a budget uses
        budget = Budget(store, clock=self.clock, ids=ids, zone=UTC, limits=lambda: self.limits)
        await budget.recover(is_alone=True)
        assert await self.storage.ledger.held() == ()
        gate = ModelGate(
            Liar(self.chance), budget, clock=self.clock, chance=lambda: 0.0, sleep=self.no_sleep
        )
        calls = [asyncio.create_task(self.call(gate)) for _ in range(self.chance.randrange(1, 6))]
        if may_die:
            await self.die(seen, calls)
        await asyncio.wait(calls)
        for call in calls:
            if not call.cancelled() and not isinstance(call.exception(), Died):
                call.result()
        if not seen.is_dead:
            assert await self.storage.ledger.held() == ()

    async def call(self, gate: ModelGate) -> None:
        chance = self.chance
        words = "x" * chance.randrange(400)
        request = Request("claude", (user(words),), chance.choice([8, 300, 4_000]))
        stream = gate.stream(
            access(self.price),
            request,
            feature="chat",
            project_id=chance.choice(PROJECTS),
            turn_id=chance.choice(self.turns),
        )
        patience = chance.choice([1, 2, 99, 99])
        try:
            async for _ in stream:
                patience -= 1
                if patience == 0:
                    break
        finally:
            await stream.aclose()

    async def die(self, seen: Watched, calls: list[asyncio.Task[None]]) -> None:
        """Cancel some callers; perhaps die, so that nothing of the rest is booked."""
        for _ in range(self.chance.randrange(60)):
            await asyncio.sleep(0)
        seen.is_dead = self.chance.random() < 0.6
        for call in calls:
            if seen.is_dead or self.chance.random() < 0.3:
                call.cancel()

    async def no_sleep(self, seconds: float) -> None:
        await asyncio.sleep(0)


def month(number: int) -> int:
    """A month that no other schedule has, so that all can share a store."""
    return round(datetime(2000 + number // 12, number % 12 + 1, 15, tzinfo=UTC).timestamp() * 1000)


@pytest.mark.parametrize("batch", range(0, SCHEDULES, PER_STORE))
async def test_whatever_happens_no_limit_is_passed_and_all_is_settled_once(batch: int) -> None:
    # I7: every call has its reservation.
    clock = ToldClock()
    with tempfile.TemporaryDirectory(dir=memory()) as folder:
        storage = await open_empty(Path(folder) / "recto.db", clock=clock)
        for seed in range(batch, min(batch + PER_STORE, SCHEDULES)):
            clock.ms = month(seed - batch)
            with anyio.fail_after(60):
                await Schedule(storage, clock, random.Random(seed)).run()
        rows = 0
        cursor: str | None = None
        reservations: set[str | None] = set()
        while True:
            page = await storage.ledger.page(cursor)
            rows += len(page.items)
            reservations |= {row.reservation_id for row in page.items}
            if (cursor := page.next_cursor) is None:
                break
        await storage.close()

    assert None not in reservations
    assert len(reservations) == rows > 0


def memory() -> str | None:
    """A folder in memory where there is one: the disk is not what is tested here."""
    return "/dev/shm" if Path("/dev/shm").is_dir() else None
