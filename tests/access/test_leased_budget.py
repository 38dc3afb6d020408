"""A budget on leases, on both engines: what it writes when, and that no limit is passed."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

import anyio
import pytest

from recto.access import BudgetHold, BudgetRefusal, LeasedBudget, Markup, Purpose, SpendingScope
from recto.access.lease_batches import LATE_SCOPE
from recto.access.lease_book import LeaseBook
from recto.access.leased_budget import LATE_S, MARGIN_S
from recto.access.leases import FIRST_REQUESTS, TERM_S, ScopeLease
from recto.access.prices import price_of
from recto.access.usage_meter import TokenBounds
from recto.clock import SystemIds
from recto.messages import Usage
from recto.storage import LeaseStore, Ledger, Storage, Unavailable, WriteTransaction
from tests.storage.conftest import (
    StepClock,
    address,
    clock,
    ids,
    postgres_server,
    postgres_tables,
    postgres_url,
    sqlite_path,
    storage,
)

__all__ = [
    "address",
    "clock",
    "ids",
    "postgres_server",
    "postgres_tables",
    "postgres_url",
    "sqlite_path",
    "storage",
]

pytestmark = pytest.mark.anyio

PRICE = price_of(input=Decimal(2), output=Decimal(10), source="test")
BOUNDS = TokenBounds(1_000, 800, 900)
"""A hundredth of a dollar at most."""
WORST = 10_000
USED = Usage(input=500, output=100)
COST = 2_000
LIMIT = 4_000_000
SCOPES = (
    SpendingScope("month", LIMIT * 10, "the gateway's limit", counts_markup=False),
    SpendingScope("key", LIMIT, "the key's limit"),
    SpendingScope("account", None, "the account's limit"),
)
PURPOSE = Purpose("gateway", "anthropic", "claude", scopes=SCOPES, account_id="a", key_id="k")


@dataclass
class CountedStorage:
    """A store that counts its commits, and may stop answering."""

    storage: Storage
    commits: list[str] = field(default_factory=list[str])
    stuck: anyio.Event | None = None
    """It does not answer until this is set."""
    is_away: bool = False

    @property
    def ledger(self) -> Ledger:
        return self.storage.ledger

    @property
    def leases(self) -> LeaseStore:
        return self.storage.leases

    @asynccontextmanager
    async def write(self) -> AsyncGenerator[WriteTransaction]:
        if self.stuck is not None:
            await self.stuck.wait()
        if self.is_away:
            raise Unavailable("The database does not answer.", "Wait.")
        async with self.storage.write() as write:
            yield write
        self.commits.append("commit")


@dataclass
class Working:
    """A budget whose tasks run."""

    budget: LeasedBudget
    counted: CountedStorage

    async def reserve(self, bounds: TokenBounds = BOUNDS) -> BudgetHold | BudgetRefusal:
        return await self.budget.reserve(PURPOSE, bounds, PRICE)

    async def call(self) -> None:
        hold = await self.reserve()
        assert isinstance(hold, BudgetHold)
        await self.budget.settle(hold, USED, outcome="finished", body={})

    async def until_written(self) -> None:
        """Until everything that has begun stands in the database."""
        with anyio.fail_after(120):
            await self.budget.written()


@asynccontextmanager
async def working(
    storage: Storage, clock: StepClock, *, markup: str = "0"
) -> AsyncGenerator[Working]:
    counted: Any = CountedStorage(storage)
    ids = SystemIds(clock)
    budget = LeasedBudget(counted, clock=clock, ids=ids, markup=Markup(Decimal(markup)))

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(budget.keep_books)
        yield Working(budget, counted)
        tasks.cancel_scope.cancel()


async def totals(storage: Storage, name: str = "key") -> tuple[int, int, int]:
    assert await storage.ledger.wrong_totals() == ()
    found = (await storage.ledger.spending([name]))[name]
    return found.settled_micros, found.held_micros, found.leased_micros


async def test_calls_go_on_without_a_transaction_before_them_until_the_lease_is_used_up(
    storage: Storage, clock: StepClock
) -> None:
    async with working(storage, clock) as work:
        first = await work.reserve()
        assert work.counted.commits == ["commit"], "the first one takes a lease"
        held = [await work.reserve() for _ in range(FIRST_REQUESTS - 1)]
        assert all(isinstance(one, BudgetHold) for one in (first, *held))
        assert len(work.counted.commits) == 1, "the others wait for nothing"
        await work.until_written()
        assert await totals(storage) == (0, FIRST_REQUESTS * WORST, 0)
        assert await totals(storage, "account") == (0, FIRST_REQUESTS * WORST, 0)
        for one in (first, *held):
            assert isinstance(one, BudgetHold)
            await work.budget.settle(one, USED, outcome="finished", body={})
        settled, held_micros, leased = await totals(storage)
        assert (settled, held_micros) == (FIRST_REQUESTS * COST, 0)
        assert settled + leased <= LIMIT
        await work.budget.close()
    assert await totals(storage) == (FIRST_REQUESTS * COST, 0, 0)
    assert await storage.leases.all() == {}


async def test_a_prompt_is_cut_into_tokens_once_it_may_be_sent(
    storage: Storage, clock: StepClock
) -> None:
    counts: list[int] = []

    def count() -> int:
        counts.append(900)
        return 900

    async with working(storage, clock) as work:
        hold = await work.reserve(TokenBounds(1_000, 800, count))
        assert isinstance(hold, BudgetHold)
        assert counts == [], "a long prompt would have kept the request waiting"
        await work.until_written()
        assert counts == [900], "what a crash leaves behind is booked with it"
        [held] = await storage.ledger.held()
        assert held.request["prompt"] == 900
        await work.budget.settle(hold, USED, outcome="finished", body={})


async def test_the_last_cent_can_be_spent_and_no_more(storage: Storage, clock: StepClock) -> None:
    spent = 0
    async with working(storage, clock) as work:
        while isinstance(hold := await work.reserve(TokenBounds(0, 10_000)), BudgetHold):
            output = hold.bounds.output
            await work.budget.settle(hold, Usage(output=output), outcome="finished", body={})
            spent += 10 * output
        assert hold.failure.code == "limit_reached"
        assert hold.failure.message.startswith("This would pass the key's limit of $4.00: $0.00")
    assert (spent, await totals(storage)) == (LIMIT, (LIMIT, 0, 0))


async def test_a_lower_limit_holds_at_once(storage: Storage, clock: StepClock) -> None:
    async with working(storage, clock) as work:
        await work.call()
        lower = (SpendingScope("key", 3 * COST, "the key's limit"),)
        purpose = Purpose("gateway", "anthropic", "claude", scopes=lower)
        hold = await work.budget.reserve(purpose, BOUNDS, PRICE)
        assert isinstance(hold, BudgetHold)
        assert hold.amount_micros <= 2 * COST
        nothing = (SpendingScope("key", 0, "the key's limit"),)
        none = Purpose("gateway", "anthropic", "claude", scopes=nothing)
        assert isinstance(await work.budget.reserve(none, BOUNDS, PRICE), BudgetRefusal)


async def test_the_mark_up_is_booked_beside_the_cost_and_counts_for_people_alone(
    storage: Storage, clock: StepClock
) -> None:
    async with working(storage, clock, markup="25") as work:
        await work.call()
        await work.budget.close()
    [row] = await storage.ledger.between(0, 1 << 60)
    assert (row.spend.cost_micros, row.spend.markup_micros) == (COST, COST // 4)
    found = await storage.ledger.spending(["key", "month"])
    assert found["key"].charged_micros == COST * 5 // 4
    assert found["key"].settled_micros == found["month"].settled_micros == COST
    # The key can spend 0.8 of its limit: the rest is the mark-up's.
    async with working(storage, clock, markup="25") as work:
        while isinstance(hold := await work.reserve(TokenBounds(0, 10_000)), BudgetHold):
            await work.budget.settle(
                hold, Usage(output=hold.bounds.output), outcome="finished", body={}
            )
        await work.budget.close()
    found = await storage.ledger.spending(["key"])
    left = LIMIT - found["key"].charged_micros
    assert 0 <= left < 16 * 10 * 5 // 4
    assert await totals(storage) == (found["key"].settled_micros, 0, 0)


async def test_while_rows_can_not_be_written_nothing_is_sent(
    storage: Storage, clock: StepClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("recto.access.leased_budget.PATIENCE_S", 0.01)
    async with working(storage, clock) as work:
        await work.call()
        work.counted.stuck = anyio.Event()
        hold = await work.reserve()
        assert isinstance(hold, BudgetHold), "for a moment nobody notices"
        clock.ms += round(LATE_S * 1000)
        refused = await work.reserve()
        assert isinstance(refused, BudgetRefusal)
        assert refused.failure.code == "books_closed"
        work.counted.stuck.set()
        await work.until_written()
        assert isinstance(await work.reserve(), BudgetHold)


async def test_whoever_waits_for_money_when_the_database_goes_away_is_told_so(
    storage: Storage, clock: StepClock
) -> None:
    counted: Any = CountedStorage(storage, is_away=True)
    budget = LeasedBudget(counted, clock=clock, ids=SystemIds(clock))
    refusals: list[BudgetHold | BudgetRefusal] = []

    async def ask() -> None:
        refusals.append(await budget.reserve(PURPOSE, BOUNDS, PRICE))

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(ask)
        with pytest.raises(Unavailable):
            await budget.keep_books()
    [refused] = refusals
    assert isinstance(refused, BudgetRefusal)
    assert refused.failure.code == "books_closed"


async def test_leases_that_nobody_needs_go_back_and_terms_are_lengthened(
    storage: Storage, clock: StepClock
) -> None:
    async with working(storage, clock) as work:
        await work.call()
        for _ in range(3):
            clock.ms += 5_000
            await work.budget.renew()
        assert (await totals(storage))[2] == 0
        await work.call()
        before = len(work.counted.commits)
        for _ in range(4):
            clock.ms += 20_000
            hold = await work.reserve()
            assert isinstance(hold, BudgetHold)
            await work.budget.settle(hold, USED, outcome="finished", body={})
            await work.budget.renew()
        # A term was never over: no call had to ask for a lease again.
        assert len(work.counted.commits) - before <= 4 * 3


async def test_whoever_is_cut_off_for_longer_than_its_term_passes_no_limit(
    postgres_url: str, clock: StepClock
) -> None:
    """Its lease is over and spent by another when the row of its call comes at last."""
    here = await Storage.open(postgres_url, clock=clock)
    there = await Storage.open(postgres_url, clock=clock)
    limit, bounds = 5 * WORST, TokenBounds(0, 100)
    purpose = Purpose("gateway", "p", "m", scopes=(SpendingScope("key", limit, "the limit"),))
    async with working(here, clock) as cut_off, working(there, clock) as other:
        first = await cut_off.budget.reserve(purpose, bounds, PRICE)
        assert isinstance(first, BudgetHold)
        await cut_off.budget.settle(first, Usage(output=100), outcome="finished", body={})
        cut_off.counted.stuck = anyio.Event()
        held = await cut_off.budget.reserve(purpose, bounds, PRICE)
        assert isinstance(held, BudgetHold), "out of the lease, with no row yet"
        clock.ms += round(TERM_S * 1000)
        async with here.write() as write:
            number = await here.leases.worker(write)
            assert await there.leases.take_back(write, {number}) == frozenset()
        while isinstance(
            hold := await other.budget.reserve(purpose, TokenBounds(0, 800), PRICE), BudgetHold
        ):
            used = Usage(output=hold.bounds.output)
            await other.budget.settle(hold, used, outcome="finished", body={})
        assert (await totals(there))[0] == limit
        cut_off.counted.stuck.set()
        await cut_off.budget.settle(held, Usage(output=100), outcome="finished", body={})
        assert await totals(there) == (limit, 0, 0)
        assert await totals(there, LATE_SCOPE) == (1_000, 0, 0)
        assert isinstance(await cut_off.budget.reserve(purpose, bounds, PRICE), BudgetRefusal)
    await there.close()
    await here.close()


def test_no_money_is_taken_out_of_a_lease_in_its_last_moments() -> None:
    book = LeaseBook({"key": ScopeLease(LIMIT, True, ends_at=TERM_S - MARGIN_S)})
    book.leases["key"].free_micros = 2 * WORST
    scopes = (SpendingScope("key", LIMIT, "the limit"),)
    assert book.hold(scopes, WORST, TERM_S - MARGIN_S - 0.001) is not None
    assert book.hold(scopes, WORST, TERM_S - MARGIN_S) is None


async def test_money_at_hand_is_set_aside_at_once_and_other_money_is_not(
    storage: Storage, clock: StepClock
) -> None:
    async with working(storage, clock) as work:
        assert work.budget.reserve_now(PURPOSE, BOUNDS, PRICE) is None
        await work.call()
        holds: list[BudgetHold] = []
        while (hold := work.budget.reserve_now(PURPOSE, BOUNDS, PRICE)) is not None:
            holds.append(hold)
        # As many as the lease was for, with what the first call left over.
        assert FIRST_REQUESTS - 1 <= len(holds) <= FIRST_REQUESTS
        assert {hold.amount_micros for hold in holds} == {WORST}
        assert work.budget.reserve_now(PURPOSE, BOUNDS, None) is None
        for hold in holds:
            await work.budget.settle(hold, USED, outcome="finished", body={})
    spent = await storage.ledger.spending(["key"])
    assert (spent["key"].settled_micros, spent["key"].held_micros) == (COST * (len(holds) + 1), 0)


async def test_while_rows_wait_too_long_nothing_is_set_aside_at_once(
    storage: Storage, clock: StepClock
) -> None:
    async with working(storage, clock) as work:
        await work.call()
        work.counted.is_away = True
        hold = work.budget.reserve_now(PURPOSE, BOUNDS, PRICE)
        assert hold is not None
        clock.ms += round(LATE_S * 1000)
        assert work.budget.reserve_now(PURPOSE, BOUNDS, PRICE) is None
        work.counted.is_away = False
        await work.until_written()
        await work.budget.settle(hold, USED, outcome="finished", body={})
