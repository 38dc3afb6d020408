import anyio
import pytest

from recto.storage import (
    AlreadyExists,
    AlreadySettled,
    LedgerRow,
    NotFound,
    Page,
    Reservation,
    Spend,
    Spent,
    Standing,
    Storage,
)
from recto.storage.schema import bring_up_to_date
from tests.storage.conftest import StepClock, add_chat, run_sql
from tests.storage.test_schema import engine_at

pytestmark = pytest.mark.anyio


def spend(name: str, cost_micros: int | None = 70, chat_id: str | None = None) -> Spend:
    return Spend(
        id=name,
        feature="chat",
        chat_id=chat_id,
        project_id=None,
        provider="anthropic",
        model="claude",
        input_tokens=1,
        cache_read_tokens=2,
        cache_write_tokens=3,
        output_tokens=4,
        reasoning_tokens=5,
        cost_micros=cost_micros,
        outcome="finished",
        body={"request_id": "q"},
    )


async def hold(storage: Storage, name: str, micros: int = 100, *scopes: str) -> Reservation:
    async with storage.write() as write:
        return await storage.ledger.reserve(
            write, id=name, scopes=scopes, amount_micros=micros, request={"model": "claude"}
        )


async def test_a_reservation_is_held_until_it_is_settled(storage: Storage) -> None:
    held = await hold(storage, "r1")
    assert held == Reservation("r1", 1_000_000, 100, "held", {"model": "claude"})
    assert await storage.ledger.held() == (held,)
    assert await storage.ledger.held_micros() == 100

    async with storage.write() as write:
        row = await storage.ledger.settle(write, "r1", spend("l1"))

    assert row == LedgerRow(1_000_000, "r1", spend("l1"))
    assert await storage.ledger.page() == Page((row,), None)
    assert await storage.ledger.held_micros() == 0
    assert await storage.ledger.spent_since(0) == Spent(70, 0)


async def test_a_released_reservation_costs_nothing(storage: Storage) -> None:
    await hold(storage, "r1")
    async with storage.write() as write:
        await storage.ledger.release(write, "r1")

    assert await storage.ledger.held() == ()
    assert await storage.ledger.spent_since(0) == Spent(0, 0)
    with pytest.raises(AlreadySettled, match="r1 is already released"):
        async with storage.write() as write:
            await storage.ledger.settle(write, "r1", spend("l1"))


async def test_an_unknown_reservation_is_not_found(storage: Storage) -> None:
    async with storage.write() as write:
        with pytest.raises(NotFound):
            await storage.ledger.settle(write, "r1", spend("l1"))
        with pytest.raises(NotFound):
            await storage.ledger.release(write, "r1")


async def test_of_many_who_settle_at_once_one_does(storage: Storage) -> None:
    await hold(storage, "r1")
    outcomes: list[str] = []

    async def settle(number: int) -> None:
        try:
            async with storage.write() as write:
                await storage.ledger.settle(write, "r1", spend(f"l{number}"))
        except AlreadySettled as failure:
            outcomes.append(failure.state)
        else:
            outcomes.append("mine")

    async with anyio.create_task_group() as group:
        for number in range(20):
            group.start_soon(settle, number)

    assert sorted(outcomes) == ["mine", *["settled"] * 19]
    assert await storage.ledger.spent_since(0) == Spent(70, 0)


async def test_a_hundred_callers_on_the_last_cent_never_pass_the_limit(storage: Storage) -> None:
    limit = 10_000
    admitted: list[str] = []

    async def call(number: int) -> None:
        async with storage.write() as write:
            standing = await storage.ledger.standing(["month"], within=write)
            if standing["month"].total_micros + 3_000 > limit:
                return
            await storage.ledger.reserve(
                write, id=f"r{number}", scopes=["month"], amount_micros=3_000, request={}
            )
        admitted.append(f"r{number}")

    async with anyio.create_task_group() as group:
        for number in range(100):
            group.start_soon(call, number)

    assert len(admitted) == 3
    assert await storage.ledger.held_micros() == 9_000


async def test_a_reservation_counts_in_each_of_its_scopes(storage: Storage) -> None:
    await hold(storage, "r1", 5, "month", "project")
    await hold(storage, "r2", 7, "month")
    await hold(storage, "r3", 11, "month", "turn")
    async with storage.write() as write:
        await storage.ledger.settle(write, "r1", spend("l1", 3))
        await storage.ledger.release(write, "r2")

    assert await storage.ledger.standing(["month", "project", "turn", "never"]) == {
        "month": Standing(3, 11),
        "project": Standing(3, 0),
        "turn": Standing(0, 11),
        "never": Standing(0, 0),
    }


async def test_an_unknown_price_weighs_nothing_in_a_scope(storage: Storage) -> None:
    await hold(storage, "r1", 5, "month")
    async with storage.write() as write:
        await storage.ledger.settle(write, "r1", spend("l1", None))

    assert await storage.ledger.standing(["month"]) == {"month": Standing(0, 0)}


async def test_sums_are_kept_apart_by_time(storage: Storage, clock: StepClock) -> None:
    await hold(storage, "r1", 5)
    await hold(storage, "r2", 7)
    await hold(storage, "r3", 11)
    async with storage.write() as write:
        await storage.ledger.settle(write, "r1", spend("l1", 1))
    clock.ms += 10
    async with storage.write() as write:
        await storage.ledger.settle(write, "r2", spend("l2", 2))
        await storage.ledger.record(write, spend("l3", 4))

    assert await storage.ledger.held_micros() == 11
    assert await storage.ledger.spent_since(0) == Spent(7, 0)
    assert await storage.ledger.spent_since(1_000_010) == Spent(6, 0)


async def test_an_unknown_price_is_counted_as_unknown(storage: Storage) -> None:
    async with storage.write() as write:
        await storage.ledger.record(write, spend("l1", None))
        await storage.ledger.record(write, spend("l2", 0))

    assert await storage.ledger.spent_since(0) == Spent(0, 1)


async def test_ledger_rows_outlive_their_chat(storage: Storage) -> None:
    async with storage.write() as write:
        await add_chat(storage, write)
        row = await storage.ledger.record(write, spend("l1", chat_id="c1"))
    async with storage.write() as write:
        await storage.projects.remove(write, "project-of-c1")

    assert await storage.ledger.page() == Page((row,), None)


async def test_a_ledger_row_is_written_once(storage: Storage) -> None:
    async with storage.write() as write:
        await storage.ledger.record(write, spend("l1", 1))
    with pytest.raises(AlreadyExists):
        async with storage.write() as write:
            await storage.ledger.record(write, spend("l1", 2))

    assert await storage.ledger.spent_since(0) == Spent(1, 0)


async def test_nobody_reserves_less_than_nothing(storage: Storage) -> None:
    with pytest.raises(ValueError, match="negative"):
        await hold(storage, "r1", -1)


async def test_a_reservation_with_one_scope_of_old_keeps_it(address: str, clock: StepClock) -> None:
    engine = await engine_at(address)
    await bring_up_to_date(engine, head="m0001")
    await engine.close()
    await run_sql(
        address,
        "INSERT INTO reservations (id, created_ms, limit_scope, amount_micros, state, request) "
        "VALUES ('r1', 1, 'month', 70, 'held', '{}')",
    )

    storage = await Storage.open(address, clock=clock)
    held = await storage.ledger.held()
    standing = await storage.ledger.standing(["month"])
    await storage.close()

    assert held == (Reservation("r1", 1, 70, "held", {}),)
    assert standing == {"month": Standing(0, 70)}
