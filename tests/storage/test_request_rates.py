"""Rate limits and places for streams, shared by every process."""

from random import Random

import anyio
import anyio.lowlevel
import pytest
from sqlalchemy import Table, func, select

from recto.storage import RateLimit, RateRefusal, Storage, StreamCap
from recto.storage.postgres import WORKERS
from recto.storage.tables.accounts import open_streams, request_rates
from tests.storage.conftest import StepClock, run_sql

pytestmark = pytest.mark.anyio

MINUTE_MS = 60_000
LOSE_WHO_HOLDS_A_WORKERS_LOCK = (
    "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory'"
    f" AND classid = {WORKERS}"
)


async def ask(storage: Storage, *limits: RateLimit, tokens: int = 1) -> RateRefusal | None:
    async with storage.write() as write:
        return await storage.request_rates.enter(write, limits, tokens=tokens)


async def take(storage: Storage, name: str, *caps: StreamCap, key: str | None = "k1") -> bool:
    async with storage.write() as write:
        return await storage.open_streams.enter(
            write, id=name, account_id="ann", key_id=key, caps=caps
        )


async def rows(storage: Storage, table: Table = request_rates) -> int:
    async with storage.write() as write:
        query = select(func.count()).select_from(table)
        return (await write.execute(query)).scalar_one()


async def test_no_minute_has_more_than_its_limit_wherever_it_begins(
    storage: Storage, clock: StepClock
) -> None:
    chance = Random(4)
    limit = RateLimit("key:a", 7, 500)
    begun: list[tuple[int, int]] = []
    for _ in range(150):
        clock.ms += chance.randrange(9_000)
        tokens = chance.randrange(160)
        if await ask(storage, limit, tokens=tokens) is None:
            begun.append((clock.ms, tokens))
        within = [many for at, many in begun if at > clock.ms - MINUTE_MS]
        assert len(within) <= 7
        assert sum(within) <= 500
    assert len(begun) > 50
    assert await rows(storage) <= 62


async def test_a_refusal_says_when_there_is_room_again_and_then_there_is(
    storage: Storage, clock: StepClock
) -> None:
    limit = RateLimit("key:a", 2, None)
    for _ in range(2):
        assert await ask(storage, limit) is None
        clock.ms += 10_000
    refused = await ask(storage, limit)
    assert refused == RateRefusal("key:a", "requests", 2, 41)
    clock.ms += 40_999 - clock.ms % 1000
    assert await ask(storage, limit) == RateRefusal("key:a", "requests", 2, 1)
    clock.ms += 1
    assert await ask(storage, limit) is None


async def test_what_never_fits_is_refused_without_a_time(storage: Storage) -> None:
    asked = await ask(storage, RateLimit("key:a", None, 100), tokens=101)
    assert asked == RateRefusal("key:a", "tokens", 100, None)
    assert await ask(storage, RateLimit("key:b", 0, None)) == RateRefusal(
        "key:b", "requests", 0, None
    )


async def test_a_request_that_one_limit_refuses_counts_with_none(storage: Storage) -> None:
    wide, narrow = RateLimit("account:a", 2, None), RateLimit("key:a", 0, None)
    for _ in range(5):
        assert await ask(storage, wide, narrow) is not None
    assert await ask(storage, wide) is None
    assert await ask(storage, wide) is None
    assert await ask(storage, wide) is not None


async def test_streams_of_a_key_and_of_its_account_have_caps_of_their_own(
    storage: Storage,
) -> None:
    of_account, of_key = StreamCap("ann", None, 2), StreamCap("ann", "k1", 1)
    assert await take(storage, "s1", of_account, of_key)
    assert not await take(storage, "s2", of_account, of_key)
    assert await take(storage, "s2", of_account, key=None)
    assert not await take(storage, "s3", of_account, key=None)
    assert await storage.open_streams.is_full([of_account])
    async with storage.write() as write:
        await storage.open_streams.leave(write, "s1")
    assert not await storage.open_streams.is_full([of_account, of_key])
    assert await take(storage, "s3", of_account, of_key)


async def test_a_process_that_died_gives_its_places_back(address: str, clock: StepClock) -> None:
    cap = StreamCap("ann", None, 1)
    died = await Storage.open(address, clock=clock)
    assert await take(died, "s1", cap)
    if "://" in address:
        living = await Storage.open(address, clock=clock)
        assert not await take(living, "s2", cap)
        await died.close()
    else:
        await died.close()
        living = await Storage.open(address, clock=clock)
    assert not await living.open_streams.is_full([cap])
    assert await take(living, "s2", cap)
    assert not await take(living, "s3", cap)
    clock.ms += 11 * MINUTE_MS
    assert not await take(living, "s3", cap)
    assert await rows(living, open_streams) == 1
    await living.close()


async def test_a_process_that_lost_its_connection_keeps_its_places(
    postgres_url: str, clock: StepClock
) -> None:
    cap = StreamCap("ann", None, 1)
    one, two = [await Storage.open(postgres_url, clock=clock) for _ in range(2)]
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(one.wait_for_change, 1 << 62)
        assert await take(one, "s1", cap)
        await run_sql(postgres_url, LOSE_WHO_HOLDS_A_WORKERS_LOCK)
        with anyio.fail_after(120):
            while not await two.open_streams.is_full([cap]):
                await anyio.lowlevel.checkpoint()
        assert not await take(two, "s2", cap)
        tasks.cancel_scope.cancel()
    for storage in (two, one):
        await storage.close()
