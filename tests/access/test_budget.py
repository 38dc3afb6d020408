import asyncio
from dataclasses import replace
from datetime import UTC
from decimal import Decimal
from pathlib import Path

import anyio
import pytest

from recto.access import FREE, Budget, BudgetHold, BudgetRefusal, Price, SpendingLimits, TokenBounds
from recto.access.prices import price_of
from recto.clock import SystemIds
from recto.messages import Failure, Usage
from recto.storage import AlreadySettled, RequestUsage, ScopeSpending, Storage
from tests.access.world import PRICE, PURPOSE, ToldClock, bounds, limits, of_project
from tests.stores import statements_noted

pytestmark = pytest.mark.anyio

CENT = 10_000
NOVEMBER = "month:2026-11"


def budget_of(storage: Storage, clock: ToldClock, limits: SpendingLimits) -> Budget:
    return Budget(storage, clock=clock, ids=SystemIds(clock), zone=UTC, limits=lambda: limits)


async def held(
    budget: Budget, wanted: TokenBounds | None = None, price: Price | None = PRICE
) -> BudgetHold:
    hold = await budget.reserve(PURPOSE, wanted or bounds(), price)
    assert isinstance(hold, BudgetHold)
    return hold


async def month(storage: Storage) -> ScopeSpending:
    return (await storage.ledger.spending([NOVEMBER]))[NOVEMBER]


async def spends(storage: Storage) -> list[RequestUsage]:
    return [row.spend for row in (await storage.ledger.page()).items]


async def test_the_worst_case_is_set_aside_before_and_the_truth_is_booked_after(
    storage: Storage, clock: ToldClock
) -> None:
    budget = budget_of(storage, clock, limits(CENT * 100))
    hold = await held(budget, bounds(prompt=100, output=1_000))

    assert hold.amount_micros == 100 * 2 + 1_000 * 10
    assert await month(storage) == ScopeSpending(0, 10_200)

    await budget.settle(hold, Usage(input=90, output=10), outcome="finished", body={"n": 1})
    [spend] = await spends(storage)

    assert await month(storage) == ScopeSpending(280, 0)
    assert spend == RequestUsage(
        id=spend.id,
        feature="chat",
        chat_id=None,
        project_id=None,
        provider="anthropic",
        model="claude",
        input_tokens=90,
        cache_read_tokens=0,
        cache_write_tokens=0,
        output_tokens=10,
        reasoning_tokens=0,
        cost_micros=280,
        outcome="finished",
        body={"n": 1, "source": "final", "price": PRICE.record()},
    )


async def test_many_callers_at_once_take_few_statements_and_pass_no_limit(
    storage: Storage, clock: ToldClock
) -> None:
    budget = budget_of(storage, clock, limits(10_200 * 5))
    wanted = bounds(prompt=100, output=1_000)
    with statements_noted() as said:
        async with storage.write():
            # All of them wait for this one to end.
            calls = [
                asyncio.ensure_future(budget.reserve(PURPOSE, wanted, PRICE)) for _ in range(40)
            ]
            await anyio.wait_all_tasks_blocked()
        found = await asyncio.gather(*calls)
    assert sum(isinstance(item, BudgetHold) for item in found) == 5
    assert await month(storage) == ScopeSpending(0, 10_200 * 5)
    assert await storage.ledger.wrong_totals() == ()
    assert 0 < len(said) < 20


async def test_the_output_is_cut_to_what_is_left(storage: Storage, clock: ToldClock) -> None:
    hold = await held(budget_of(storage, clock, limits(CENT)), bounds(prompt=100, output=5_000))

    assert hold.bounds == TokenBounds(100, 980)
    assert hold.amount_micros == CENT


async def test_an_answer_that_would_be_too_short_is_refused_in_words(
    storage: Storage, clock: ToldClock
) -> None:
    budget = budget_of(storage, clock, limits(CENT))
    refusal = await budget.reserve(PURPOSE, bounds(prompt=4_930), PRICE)

    assert refusal == BudgetRefusal(
        Failure(
            "budget",
            "This would pass the monthly limit of $0.01: $0.01 are left. "
            "Raise the limit in the settings, or choose a cheaper model.",
            code="limit_reached",
        )
    )
    assert await storage.ledger.held() == ()


async def test_a_short_answer_that_was_wished_for_may_be_short(
    storage: Storage, clock: ToldClock
) -> None:
    hold = await held(budget_of(storage, clock, limits(CENT)), bounds(prompt=4_990, output=2))
    assert hold.bounds.output == 2


async def test_a_hundred_callers_on_one_cent_spend_at_most_that_cent(
    storage: Storage, clock: ToldClock
) -> None:
    budget = budget_of(storage, clock, limits(CENT))
    admitted: list[BudgetHold] = []

    async def call() -> None:
        found = await budget.reserve(PURPOSE, bounds(prompt=100, output=200), PRICE)
        if isinstance(found, BudgetHold):
            admitted.append(found)

    async with anyio.create_task_group() as group:
        for _ in range(100):
            group.start_soon(call)

    assert [hold.amount_micros for hold in admitted] == [2_200] * 4 + [1_200]
    assert (await month(storage)).total_micros == CENT


async def test_the_tightest_of_all_limits_counts(storage: Storage, clock: ToldClock) -> None:
    budget = budget_of(storage, clock, limits(CENT * 100, turn=3_000, p1=5_000))
    wanted = bounds(prompt=0, output=1_000)

    in_turn = await budget.reserve(of_project("p1", "t1"), wanted, PRICE)
    in_project = await budget.reserve(of_project("p1", "t2"), wanted, PRICE)
    full = await budget.reserve(of_project("p1", "t3"), wanted, PRICE)
    elsewhere = await budget.reserve(of_project("p2"), wanted, PRICE)

    assert isinstance(in_turn, BudgetHold)
    assert isinstance(in_project, BudgetHold)
    assert isinstance(full, BudgetRefusal)
    assert isinstance(elsewhere, BudgetHold)
    amounts = [hold.amount_micros for hold in (in_turn, in_project, elsewhere)]
    assert amounts == [3_000, 2_000, 10_000]
    assert full.failure.message.startswith("This would pass this project's monthly limit of $0.00")


async def test_a_limit_that_is_set_later_counts_what_was_spent_before(
    storage: Storage, clock: ToldClock
) -> None:
    wanted = bounds(prompt=0, output=100)
    await budget_of(storage, clock, limits(None)).reserve(of_project("p1"), wanted, PRICE)
    refusal = await budget_of(storage, clock, limits(None, p1=1_000)).reserve(
        of_project("p1"), wanted, PRICE
    )

    assert isinstance(refusal, BudgetRefusal)


async def test_an_unknown_price_is_refused_while_there_is_a_limit(
    storage: Storage, clock: ToldClock
) -> None:
    refusal = await budget_of(storage, clock, limits(CENT)).reserve(PURPOSE, bounds(), None)

    assert isinstance(refusal, BudgetRefusal)
    assert refusal.failure.kind == "budget"
    assert '"price": {"input": 1, "output": 5}' in refusal.failure.message


async def test_U5_without_a_limit_an_unknown_price_stays_unknown(
    storage: Storage, clock: ToldClock
) -> None:
    budget = budget_of(storage, clock, limits(None))
    hold = await held(budget, price=None)
    row = await budget.settle(hold, Usage(input=9, output=9), outcome="finished", body={})

    assert row.spend.cost_micros is None
    assert row.spend.output_tokens == 9


async def test_what_costs_nothing_is_allowed_beyond_any_limit(
    storage: Storage, clock: ToldClock
) -> None:
    await held(budget_of(storage, clock, limits(None)))
    hold = await held(budget_of(storage, clock, limits(0)), price=FREE)

    assert (hold.amount_micros, hold.bounds.output) == (0, 1_000)


@pytest.mark.parametrize(
    ("said", "booked"),
    [
        (Usage(input=10**12, output=10**12), Usage(input=100, output=1_000)),
        (Usage(input=-5, output=-5), Usage()),
        (
            Usage(input=90, cache_read=90, cache_write=30, cache_write_long=90, reasoning=5),
            Usage(input=0, cache_read=70, cache_write=30, cache_write_long=30),
        ),
        (Usage(output=10, reasoning=99), Usage(output=10, reasoning=10)),
    ],
)
async def test_a_report_that_can_not_be_true_is_cut_to_what_can(
    storage: Storage, clock: ToldClock, said: Usage, booked: Usage
) -> None:
    budget = budget_of(storage, clock, limits(CENT * 100))
    hold = await held(budget)
    row = await budget.settle(hold, said, outcome="finished", body={})

    tokens = (row.spend.input_tokens, row.spend.cache_read_tokens, row.spend.cache_write_tokens)
    assert tokens == (booked.input, booked.cache_read, booked.cache_write)
    assert row.spend.cost_micros == PRICE.cost(booked)
    assert (await month(storage)).total_micros <= hold.amount_micros


async def test_a_call_is_settled_once(storage: Storage, clock: ToldClock) -> None:
    budget = budget_of(storage, clock, limits(None))
    hold = await held(budget)
    await budget.settle(hold, Usage(input=1), outcome="finished", body={})

    with pytest.raises(AlreadySettled):
        await budget.settle(hold, Usage(input=1), outcome="finished", body={})


async def test_after_a_crash_the_least_is_booked_once(storage: Storage, clock: ToldClock) -> None:
    hold = await held(budget_of(storage, clock, limits(CENT * 100)))
    assert await month(storage) == ScopeSpending(0, hold.amount_micros)

    after = budget_of(storage, clock, limits(CENT * 100))
    alive = await held(after)
    assert [await after.recover(is_alone=True) for _ in range(2)] == [1, 0]

    [spend] = await spends(storage)
    least = 100 * 2 + 10
    assert (spend.outcome, spend.cost_micros, spend.input_tokens) == ("interrupted", least, 100)
    assert spend.body == {"source": "estimated", "price": PRICE.record()}
    assert await month(storage) == ScopeSpending(least, alive.amount_micros)


async def test_with_others_on_the_store_only_what_is_too_old_is_dead(
    storage: Storage, clock: ToldClock
) -> None:
    await held(budget_of(storage, clock, limits(None)))
    other = budget_of(storage, clock, limits(None))
    assert await other.recover(is_alone=False) == 0

    clock.ms += 3_600_001
    assert await other.recover(is_alone=False) == 1


async def test_a_new_month_has_the_whole_limit(storage: Storage, clock: ToldClock) -> None:
    budget = budget_of(storage, clock, limits(CENT))
    await held(budget, bounds(prompt=0, output=1_000))
    assert isinstance(await budget.reserve(PURPOSE, bounds(), PRICE), BudgetRefusal)

    clock.ms += 16 * 24 * 3_600_000
    assert (await held(budget, bounds(prompt=0, output=1_000))).amount_micros == CENT
    assert await month(storage) == ScopeSpending(0, CENT)


async def test_a_call_over_the_end_of_a_month_counts_where_it_was_admitted(
    storage: Storage, clock: ToldClock
) -> None:
    budget = budget_of(storage, clock, limits(CENT))
    hold = await held(budget, bounds(prompt=0, output=1_000))
    clock.ms += 16 * 24 * 3_600_000
    await budget.settle(hold, Usage(output=1_000), outcome="finished", body={})

    december = (await storage.ledger.spending(["month:2026-12"]))["month:2026-12"]
    assert (await month(storage), december) == (ScopeSpending(CENT, 0), ScopeSpending())


async def test_the_month_warns_at_its_share_and_stops_at_its_limit(
    storage: Storage, clock: ToldClock
) -> None:
    budget = budget_of(storage, clock, limits(CENT))
    seen: list[tuple[bool, bool]] = []
    for output in (799, 1, 200):
        await held(budget, bounds(prompt=0, output=output))
        status = await budget.month_status()
        seen.append((status.is_warning, status.is_stopped))

    assert seen == [(False, False), (True, False), (True, True)]
    status = await budget.month_status()
    assert (status.month, status.limit_micros, status.spending) == (
        "2026-11",
        CENT,
        ScopeSpending(0, CENT),
    )


async def test_without_a_limit_nothing_warns(storage: Storage, clock: ToldClock) -> None:
    budget = budget_of(storage, clock, limits(None))
    await held(budget)
    status = await budget.month_status()

    assert (status.limit_micros, status.is_warning, status.is_stopped) == (None, False, False)


async def test_a_caller_who_is_cancelled_while_reserving_leaves_nothing_held(
    storage: Storage, clock: ToldClock
) -> None:
    budget = budget_of(storage, clock, limits(None))
    for turns in range(0, 80, 2):
        task = asyncio.create_task(budget.reserve(PURPOSE, bounds(), PRICE))
        for _ in range(turns):
            await asyncio.sleep(0)
        task.cancel()
        await asyncio.wait([task])
        if not task.cancelled():
            hold = task.result()
            assert isinstance(hold, BudgetHold)
            await budget.settle(hold, Usage(), outcome="cancelled", body={})

        assert await storage.ledger.held() == ()


async def test_a_caller_who_is_cancelled_while_settling_has_settled(
    storage: Storage, clock: ToldClock
) -> None:
    budget = budget_of(storage, clock, limits(None))
    for _ in range(20):
        hold = await held(budget)
        settling = budget.settle(hold, Usage(input=1), outcome="finished", body={})
        task = asyncio.create_task(settling)
        await asyncio.sleep(0)
        task.cancel()
        await asyncio.wait([task])

        assert await storage.ledger.held() == ()


async def test_the_dearest_way_to_send_the_prompt_is_feared(
    storage: Storage, clock: ToldClock
) -> None:
    price = price_of(input=Decimal(2), output=Decimal(0), cache_write=Decimal("2.5"), source="test")
    hold = await held(budget_of(storage, clock, limits(CENT)), bounds(prompt=101), price)

    assert hold.amount_micros == 253


async def test_the_limit_may_change_while_the_program_runs(
    tmp_path: Path, clock: ToldClock
) -> None:
    storage = await Storage.open(tmp_path / "other.db", clock=clock)
    now = [limits(CENT)]
    budget = Budget(storage, clock=clock, ids=SystemIds(clock), zone=UTC, limits=lambda: now[0])
    assert (await held(budget, bounds(0, 5_000))).bounds.output == 1_000

    now[0] = replace(now[0], month_micros=3 * CENT)
    assert (await held(budget, bounds(0, 5_000))).bounds.output == 2_000
    await storage.close()
