"""Prompts and answers of accounts that say so, on both engines."""

from dataclasses import replace

import pytest

from recto.storage import KeptCall, RecordNotFound, Storage
from tests.storage.conftest import StepClock

pytestmark = pytest.mark.anyio

DAY_MS = 24 * 60 * 60 * 1000
CALL = KeptCall("c1", "ann", "k1", "openai-chat", "/v1", "m", 200, 1_000_000, 0, 3, 5, False)


async def put(storage: Storage, call: KeptCall = CALL) -> bool:
    async with storage.write() as write:
        return await storage.kept_calls.put(write, call, asked=b"ask", answered=b"reply")


async def switch(storage: Storage, days: int | None) -> None:
    async with storage.write() as write:
        await storage.kept_calls.keep_for(write, "ann", days)


@pytest.fixture
async def ann(storage: Storage) -> Storage:
    async with storage.write() as write:
        await storage.accounts.add(write, id="ann", name="ann")
        await storage.accounts.add(write, id="bob", name="bob")
    return storage


async def ids_of(storage: Storage, account: str = "ann", now_ms: int = 0) -> list[str]:
    found = await storage.kept_calls.of_account(account, now_ms=now_ms, before=None, most=9)
    return [call.id for call in found]


async def test_nothing_is_kept_unless_the_account_says_so(ann: Storage) -> None:
    assert not await put(ann)
    assert not await put(ann, replace(CALL, account_id="nobody"))
    assert await ids_of(ann) == []


async def test_a_call_is_found_by_its_account_alone_until_its_end(ann: Storage) -> None:
    await switch(ann, 2)
    assert await put(ann)
    end = CALL.created_ms + 2 * DAY_MS
    expected = replace(CALL, until_ms=end)
    kept = ann.kept_calls
    assert await kept.get("ann", "c1", now_ms=end - 1) == (expected, b"ask", b"reply")
    for account, id, now_ms in (("bob", "c1", 0), ("ann", "c2", 0), ("ann", "c1", end)):
        with pytest.raises(RecordNotFound):
            await kept.get(account, id, now_ms=now_ms)
    assert await ids_of(ann, "bob") == await ids_of(ann, now_ms=end) == []


async def test_the_newest_come_first_some_at_a_time(ann: Storage) -> None:
    await switch(ann, 2)
    for number in range(5):
        await put(ann, replace(CALL, id=f"c{number}"))
    first = await ann.kept_calls.of_account("ann", now_ms=0, before=None, most=2)
    more = await ann.kept_calls.of_account("ann", now_ms=0, before=first[-1].id, most=2)
    assert [call.id for call in (*first, *more)] == ["c4", "c3", "c2", "c1"]


async def test_another_time_holds_for_what_is_kept_already(ann: Storage, clock: StepClock) -> None:
    await switch(ann, 30)
    await put(ann)
    await switch(ann, 1)
    [call] = await ann.kept_calls.of_account("ann", now_ms=0, before=None, most=9)
    assert call.until_ms == CALL.created_ms + DAY_MS
    clock.ms = call.until_ms
    async with ann.write() as write:
        assert await ann.kept_calls.expire(write) == 1
        assert await ann.kept_calls.expire(write) == 0
    assert await ids_of(ann) == []


async def test_switching_off_erases_and_erasing_leaves_others(ann: Storage) -> None:
    await switch(ann, 30)
    for number in range(3):
        await put(ann, replace(CALL, id=f"c{number}"))
    async with ann.write() as write:
        assert await ann.kept_calls.erase(write, "bob", "c1") == 0
        assert await ann.kept_calls.erase(write, "ann", "c1") == 1
    assert await ids_of(ann) == ["c2", "c0"]
    await switch(ann, None)
    assert await ids_of(ann) == []
    assert not await put(ann)
    with pytest.raises(RecordNotFound):
        async with ann.write() as write:
            await ann.kept_calls.keep_for(write, "nobody", 1)
