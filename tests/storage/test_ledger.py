import anyio
import pytest

from recto.storage import (
    AlreadySettled,
    LedgerRow,
    Page,
    RecordExists,
    RecordNotFound,
    RequestUsage,
    Reservation,
    ScopeSpending,
    Storage,
)
from recto.storage.schema import bring_up_to_date
from tests.storage.conftest import StepClock, add_chat, run_sql
from tests.storage.test_schema import engine_at

pytestmark = pytest.mark.anyio


def spend(name: str, cost_micros: int | None = 70, chat_id: str | None = None) -> RequestUsage:
    return RequestUsage(
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


async def costs(storage: Storage, since_ms: int = 0) -> list[int | None]:
    rows = await storage.ledger.between(since_ms, 1 << 60)
    return [row.spend.cost_micros for row in rows]


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
    assert await costs(storage) == [70]


async def test_a_released_reservation_costs_nothing(storage: Storage) -> None:
    await hold(storage, "r1")
    async with storage.write() as write:
        await storage.ledger.release(write, "r1")

    assert await storage.ledger.held() == ()
    assert await costs(storage) == []
    with pytest.raises(AlreadySettled, match="r1 is already released"):
        async with storage.write() as write:
            await storage.ledger.settle(write, "r1", spend("l1"))


async def test_an_unknown_reservation_is_not_found(storage: Storage) -> None:
    async with storage.write() as write:
        with pytest.raises(RecordNotFound):
            await storage.ledger.settle(write, "r1", spend("l1"))
        with pytest.raises(RecordNotFound):
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
    assert await costs(storage) == [70]


async def test_a_hundred_callers_on_the_last_cent_never_pass_the_limit(storage: Storage) -> None:
    limit = 10_000
    admitted: list[str] = []

    async def call(number: int) -> None:
        async with storage.write() as write:
            spending = await storage.ledger.spending(["month"], within=write)
            if spending["month"].total_micros + 3_000 > limit:
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

    assert await storage.ledger.spending(["month", "project", "turn", "never"]) == {
        "month": ScopeSpending(3, 11),
        "project": ScopeSpending(3, 0),
        "turn": ScopeSpending(0, 11),
        "never": ScopeSpending(0, 0),
    }


async def test_an_unknown_price_weighs_nothing_in_a_scope(storage: Storage) -> None:
    await hold(storage, "r1", 5, "month")
    async with storage.write() as write:
        await storage.ledger.settle(write, "r1", spend("l1", None))

    assert (await storage.ledger.spending(["month"]))["month"].total_micros == 0


async def test_rows_are_kept_apart_by_time(storage: Storage, clock: StepClock) -> None:
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
    assert await costs(storage) == [1, 2, 4]
    assert await costs(storage, 1_000_010) == [2, 4]


async def test_an_unknown_price_is_counted_as_unknown(storage: Storage) -> None:
    for name, cost in (("1", None), ("2", 0)):
        await hold(storage, f"r{name}", 5, "month")
        async with storage.write() as write:
            await storage.ledger.settle(write, f"r{name}", spend(f"l{name}", cost))

    assert await storage.ledger.spending(["month"]) == {"month": ScopeSpending(0, 0, 1)}


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
    with pytest.raises(RecordExists):
        async with storage.write() as write:
            await storage.ledger.record(write, spend("l1", 2))

    assert await costs(storage) == [1]


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
    spending = await storage.ledger.spending(["month"])
    await storage.close()

    assert held == (Reservation("r1", 1, 70, "held", {"turn": None}),)
    assert spending == {"month": ScopeSpending(0, 70)}


async def test_totals_of_old_rows_are_what_the_rows_come_to(address: str, clock: StepClock) -> None:
    """Rows of a Recto that summed them each time: held, settled, released, of unknown price."""
    engine = await engine_at(address)
    await bring_up_to_date(engine, head="m0009")
    await engine.close()
    states = {"r1": "held", "r2": "settled", "r3": "released", "r4": "settled"}
    await run_sql(
        address,
        *(
            "INSERT INTO reservations (id, created_ms, amount_micros, state, request)"
            f" VALUES ('{name}', 1, 100, '{state}', '{{}}')"
            for name, state in states.items()
        ),
        *(f"INSERT INTO reservation_scopes VALUES ('month', '{name}')" for name in states),
        *(f"INSERT INTO reservation_scopes VALUES ('turn:t1', '{name}')" for name in ("r1", "r2")),
        *(
            "INSERT INTO ledger (id, created_ms, reservation_id, feature, chat_id, provider, model,"
            " input_tokens, cache_read_tokens, cache_write_tokens, output_tokens,"
            " reasoning_tokens, cost_micros, outcome, body)"
            f" VALUES ('l{name}', 1, '{name}', 'chat', 'c1', 'p', 'm', 1, 0, 0, 1, 0, {cost},"
            " 'finished', '{}')"
            for name, cost in (("r2", "70"), ("r4", "NULL"))
        ),
    )

    storage = await Storage.open(address, clock=clock)
    spending = await storage.ledger.spending(["month", "turn:t1"])
    wrong = await storage.ledger.wrong_totals()
    held = [item.request for item in await storage.ledger.held()]
    of_turn = [row.spend.id for row in await storage.ledger.of_turn("c1", "t1")]
    await storage.close()

    assert spending == {"month": ScopeSpending(70, 100, 1), "turn:t1": ScopeSpending(70, 100)}
    assert wrong == ()
    assert held == [{"turn": "t1"}]
    assert of_turn == ["lr2"]


async def test_totals_that_are_not_what_the_rows_come_to_are_named(
    storage: Storage, address: str
) -> None:
    for scope in ("booked", "held", "unpriced", "missing", "right"):
        await hold(storage, f"r-{scope}", 5, scope)
    assert await storage.ledger.wrong_totals() == ()
    await run_sql(
        address,
        "UPDATE scope_totals SET booked_micros = 1 WHERE scope = 'booked'",
        "UPDATE scope_totals SET held_micros = 4 WHERE scope = 'held'",
        "UPDATE scope_totals SET unpriced_rows = 1 WHERE scope = 'unpriced'",
        "DELETE FROM scope_totals WHERE scope = 'missing'",
        "INSERT INTO scope_totals VALUES ('unheard of', 1, 0, 0, 0, 0)",
    )

    wrong = await storage.ledger.wrong_totals()
    assert wrong == ("booked", "held", "missing", "unheard of", "unpriced")


async def test_a_settlement_that_fails_leaves_the_totals_as_they_were(storage: Storage) -> None:
    await hold(storage, "r1", 5, "month")
    async with storage.write() as write:
        await storage.ledger.record(write, spend("l1"))
    with pytest.raises(RecordExists):
        async with storage.write() as write:
            await storage.ledger.settle(write, "r1", spend("l1"))

    assert await storage.ledger.spending(["month"]) == {"month": ScopeSpending(0, 5)}
    assert await storage.ledger.wrong_totals() == ()
