"""I9: the totals that limits are checked against are what the rows come to, whatever happens."""

from datetime import UTC
from decimal import Decimal
from random import Random

import anyio
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from recto.access import Budget, BudgetHold, Purpose, SpendingLimits, TokenBounds
from recto.access.limits import month_of, month_scope, scopes_of
from recto.access.prices import price_of
from recto.clock import SystemIds
from recto.messages import Usage
from recto.storage import AlreadySettled, ScopeSpending, Storage
from tests.storage.conftest import StepClock
from tests.storage.test_ledger import spend

pytestmark = pytest.mark.anyio

PRICE = price_of(input=Decimal(2), output=Decimal(10), source="test")
LIMITS = SpendingLimits(30_000, turn_micros=12_000, project_micros={"p1": 15_000})
STEPS = ("reserve", "reserve", "settle", "settle", "release", "record", "fail", "die", "end turn")
PROJECTS = ("p1", "p2", None)
MONTH_MS = 31 * 24 * 60 * 60 * 1000
random_steps = settings(
    max_examples=10,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


class Broken(Exception):
    """Something fails before its write is committed."""


class Books:
    """A ledger that several processes write to, one after the other, and what is still held."""

    def __init__(self, storage: Storage, clock: StepClock, seed: int) -> None:
        self._storage = storage
        self._clock = clock
        self._ids = SystemIds(clock)
        self._chance = Random(seed)
        self._turns = (self._ids.new(), self._ids.new(), None)
        self._holds: list[BudgetHold] = []
        self._booked: set[str | None] = set()
        self._is_limited = True
        self._budget = self._process()

    def _process(self) -> Budget:
        return Budget(
            self._storage,
            clock=self._clock,
            ids=self._ids,
            zone=UTC,
            limits=lambda: LIMITS if self._is_limited else SpendingLimits(None),
        )

    async def take(self, step: str) -> None:
        """Do something to the books."""
        match step:
            case "reserve":
                await self._reserve()
            case "record":
                async with self._storage.write() as write:
                    await self._storage.ledger.record(write, spend(self._ids.new(), 3))
            case "die":
                self._budget = self._process()
                assert await self._budget.recover(is_alone=True) == len(self._holds)
                self._booked |= {_hold.id for _hold in self._holds}
                self._holds.clear()
            case "end turn":
                ended = self._turns[0]
                async with self._storage.write() as write:
                    await self._budget.recover_turn(write, ended)
                self._booked |= {
                    _hold.id for _hold in self._holds if _hold.purpose.turn_id == ended
                }
                self._holds = [_hold for _hold in self._holds if _hold.purpose.turn_id != ended]
            case _ if self._holds:
                await self._end(step, self._chance.choice(self._holds))
            case _:
                pass

    async def _reserve(self) -> None:
        chance = self._chance
        project, turn = chance.choice(PROJECTS), chance.choice(self._turns)
        purpose = Purpose("chat", "anthropic", "claude", "c1", project, turn)
        bounds = TokenBounds(chance.randrange(900), chance.randrange(900))
        # A price is only needed while there is a limit.
        self._is_limited = chance.random() < 0.8
        price = PRICE if self._is_limited else None
        held = await self._budget.reserve(purpose, bounds, price)
        if isinstance(held, BudgetHold):
            self._holds.append(held)

    async def _end(self, step: str, hold: BudgetHold) -> None:
        ledger = self._storage.ledger
        if step == "fail":
            with pytest.raises(Broken):
                await self._settle_and_fail(hold)
            return
        self._holds.remove(hold)
        if step == "settle":
            used = Usage(input=self._chance.randrange(999), output=self._chance.randrange(999))
            await self._budget.settle(hold, used, outcome="finished", body={})
            self._booked.add(hold.id)
        else:
            async with self._storage.write() as write:
                await ledger.release(write, hold.id)
        with pytest.raises(AlreadySettled):
            await self._budget.settle(hold, Usage(), outcome="finished", body={})

    async def _settle_and_fail(self, hold: BudgetHold) -> None:
        async with self._storage.write() as write:
            await self._storage.ledger.settle(write, hold.id, spend(self._ids.new()))
            raise Broken

    async def check(self) -> None:
        """The totals are the sums of the rows, by SQL and by hand, and no limit is passed."""
        ledger = self._storage.ledger
        assert await ledger.wrong_totals() == ()
        month = month_of(self._clock.ms, UTC)
        rows = await ledger.between(self._clock.ms, self._clock.ms + 1)
        assert {row.reservation_id for row in rows} - {None} == self._booked
        costs = [row.spend.cost_micros for row in rows if row.reservation_id is not None]
        held = sum(item.amount_micros for item in await ledger.held())
        scope = month_scope(month)
        booked = sum(cost or 0 for cost in costs)
        assert (await ledger.spending([scope]))[scope] == ScopeSpending(
            booked, held, sum(cost is None for cost in costs)
        )
        every = {
            item.name: item.limit_micros
            for project in PROJECTS
            for turn in self._turns
            for item in scopes_of(LIMITS, month, project_id=project, turn_id=turn)
        }
        for name, spending in (await ledger.spending(list(every))).items():
            limit = every[name]
            assert limit is None or spending.total_micros <= limit


@random_steps
@given(st.lists(st.sampled_from(STEPS), min_size=5, max_size=25), st.integers(0, 1 << 30))
async def test_after_every_step_the_totals_are_what_the_rows_come_to(
    storage: Storage, clock: StepClock, steps: list[str], seed: int
) -> None:
    # The examples share a store: each has a month and turns of its own.
    clock.ms += MONTH_MS
    books = Books(storage, clock, seed)
    for step in ["reserve", *steps, "die"]:
        await books.take(step)
        await books.check()


async def test_two_processes_that_reserve_at_once_pass_no_limit_and_wait_for_no_deadlock(
    postgres_url: str, clock: StepClock
) -> None:
    """Each reserves in both scopes, named in another order."""
    limit, amount = 10_000, 300
    admitted: list[str] = []

    async def reserve(storage: Storage, name: str, scopes: list[str]) -> None:
        async with storage.write() as write:
            spending = await storage.ledger.spending(scopes, within=write)
            if max(item.total_micros for item in spending.values()) + amount > limit:
                return
            await storage.ledger.reserve(
                write, id=name, scopes=scopes, amount_micros=amount, request={}
            )
        admitted.append(name)

    one, two = [await Storage.open(postgres_url, clock=clock) for _ in range(2)]
    with anyio.fail_after(60):
        async with anyio.create_task_group() as group:
            for number in range(30):
                group.start_soon(reserve, one, f"one{number}", ["month", "project"])
                group.start_soon(reserve, two, f"two{number}", ["project", "month"])
    spending = await one.ledger.spending(["month", "project"])
    wrong = await two.ledger.wrong_totals()
    await one.close()
    await two.close()

    assert len(admitted) == limit // amount
    assert {name[:3] for name in admitted} == {"one", "two"}
    assert spending == {"month": ScopeSpending(0, 9_900), "project": ScopeSpending(0, 9_900)}
    assert wrong == ()
