import asyncio
from collections.abc import AsyncGenerator
from typing import Any

import anyio
import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from recto.storage import (
    NewEvent,
    RecordExists,
    RecordNotFound,
    Storage,
    WriteTransaction,
    chat_name,
    postgres,
)
from tests.storage.conftest import StepClock, add_chat, add_project, run_sql

pytestmark = pytest.mark.anyio


@pytest.fixture
async def stores(
    address: str, storage: Storage, clock: StepClock
) -> AsyncGenerator[tuple[Storage, Storage]]:
    """The same records as two processes have them; with SQLite there can only be one."""
    if "://" not in address:
        yield storage, storage
        return
    other = await Storage.open(address, clock=clock)
    yield storage, other
    await other.close()


async def names(storage: Storage) -> list[str]:
    return [project.name for project in (await storage.projects.page(limit=1000)).items]


async def test_what_is_written_is_seen_after_the_block(storage: Storage) -> None:
    async with storage.write() as write:
        await add_project(storage, write)
        assert await names(storage) == []
        assert (await storage.projects.get("p1", within=write)).name == "p1"

    assert await names(storage) == ["p1"]


async def test_a_block_that_raises_leaves_nothing(storage: Storage) -> None:
    with pytest.raises(LookupError):  # noqa: PT012 - raised inside the write
        async with storage.write() as write:
            await add_project(storage, write)
            raise LookupError

    assert await names(storage) == []
    assert await storage.changes.latest() == 0


async def test_a_failed_statement_ends_the_write_even_when_it_is_caught(storage: Storage) -> None:
    async with storage.write() as write:
        await add_project(storage, write, "old")

    with pytest.raises(RecordExists):  # noqa: PT012 - both failures belong to one block
        async with storage.write() as write:
            await add_project(storage, write, "new")
            with pytest.raises(RecordExists):
                await add_project(storage, write, "old")
            with pytest.raises(RecordExists):
                await add_project(storage, write, "newer")

    assert await names(storage) == ["old"]


async def test_what_is_not_found_does_not_end_the_write(storage: Storage) -> None:
    async with storage.write() as write:
        with pytest.raises(RecordNotFound):
            await storage.projects.touch(write, "p1")
        await add_project(storage, write)

    assert await names(storage) == ["p1"]


async def test_writers_at_once_never_lose_an_update(stores: tuple[Storage, Storage]) -> None:
    async with stores[0].write() as write:
        await stores[0].projects.add(write, id="p1", name="", path="/", settings={"count": 0})

    async def count_up(storage: Storage) -> None:
        for _ in range(25):
            async with storage.write() as write:
                found = await storage.projects.get("p1", within=write)
                await storage.projects.update(
                    write,
                    "p1",
                    expected_version=found.version,
                    settings={"count": found.settings["count"] + 1},
                )

    with anyio.fail_after(60):
        async with anyio.create_task_group() as group:
            for storage in (*stores, *stores):
                group.start_soon(count_up, storage)

    found = await stores[1].projects.get("p1")
    assert (found.settings, found.version) == ({"count": 100}, 101)


async def test_a_write_inside_a_write_is_a_bug_that_is_named(storage: Storage) -> None:
    async with storage.write():
        with pytest.raises(RuntimeError, match="already writing"):
            async with storage.write():
                pass


async def test_a_cancelled_block_leaves_nothing_and_lets_the_next_one_in(storage: Storage) -> None:
    with anyio.CancelScope() as scope:
        async with storage.write() as write:
            await add_project(storage, write, "gone")
            scope.cancel()
            await add_project(storage, write, "never")

    assert scope.cancelled_caught
    with anyio.fail_after(60):
        async with storage.write() as write:
            await add_project(storage, write, "kept")
    assert await names(storage) == ["kept"]


async def test_a_commit_that_began_is_finished_and_told_when_its_task_is_cancelled(
    storage: Storage,
) -> None:
    at_the_end = asyncio.Event()

    async def work() -> None:
        async with storage.write() as write:
            await add_project(storage, write)
            at_the_end.set()

    with anyio.fail_after(60):
        task: asyncio.Task[Any] = asyncio.create_task(work())
        await at_the_end.wait()
        for _ in range(3):
            task.cancel()
            await asyncio.sleep(0)
        with pytest.raises(asyncio.CancelledError):
            await task
        await storage.wait_for_change(0)

    assert await names(storage) == ["p1"]


async def test_cancelling_at_any_moment_leaves_all_or_nothing(storage: Storage) -> None:
    async def work(number: int) -> None:
        async with storage.write() as write:
            await add_project(storage, write, f"a{number}")
            await add_project(storage, write, f"b{number}")

    for number in range(30):
        task = asyncio.create_task(work(number))
        for _ in range(number):
            await asyncio.sleep(0)
        task.cancel()
        with anyio.fail_after(60):
            await asyncio.wait([task])

    found = set(await names(storage))
    assert {name[1:] for name in found if name[0] == "a"} == {
        name[1:] for name in found if name[0] == "b"
    }


async def test_a_closed_store_does_not_open_again_by_itself(address: str, clock: StepClock) -> None:
    storage = await Storage.open(address, clock=clock)
    await storage.close()
    await storage.close()

    with pytest.raises(RuntimeError, match="closed"):
        async with storage.write():
            pass
    with pytest.raises(RuntimeError, match="closed"):
        await storage.projects.page()


async def test_records_survive_closing(address: str, clock: StepClock) -> None:
    storage = await Storage.open(address, clock=clock)
    async with storage.write() as write:
        await add_project(storage, write)
    await storage.close()

    storage = await Storage.open(address, clock=clock)
    assert await names(storage) == ["p1"]
    await storage.close()


async def test_writers_cancelled_at_any_moment_never_keep_the_next_one_out(
    storage: Storage,
) -> None:
    async def write(name: str) -> None:
        async with storage.write() as writing:
            await storage.ledger.held(within=writing)
            await add_project(storage, writing, name)

    for turns in range(40):
        crowd = [asyncio.create_task(write(f"{turns}-{number}")) for number in range(4)]
        for _ in range(turns):
            await asyncio.sleep(0)  # a turn of the loop, not a wait: it moves the moment
        for item in crowd:
            item.cancel()
        await asyncio.wait(crowd)
        with anyio.fail_after(60):
            await write(f"{turns}-next")
    assert len([name for name in await names(storage) if name.endswith("-next")]) == 40


async def tell(storage: Storage, write: WriteTransaction, name: str) -> None:
    """A row of the outbox."""
    await storage.changes.append(
        write, kind="test", resource_id=name, project_id=None, action="created", version=1
    )


async def until_somebody_waits(address: str) -> None:
    """Return once a transaction waits for a lock of the server."""
    query = "SELECT 1 / count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"
    with anyio.fail_after(120):
        while True:
            try:
                await run_sql(address, query)
            except DBAPIError:  # nobody yet: divided by nothing
                continue
            return


async def test_writes_of_other_things_go_on_beside(stores: tuple[Storage, Storage]) -> None:
    storage, other = stores
    if storage is other:
        return  # SQLite has one writer
    async with storage.write() as write:
        await add_chat(storage, write, "c1")
        await add_chat(storage, write, "c2")
    with anyio.fail_after(120):
        async with storage.write(chat_name("c1")) as write:
            await storage.events.append(write, "c1", [NewEvent("text", {})])

            async def elsewhere(beside: Storage) -> None:
                async with beside.write(chat_name("c2")) as inner:
                    await beside.events.append(inner, "c2", [NewEvent("text", {})])

            # In another process, and in the same one: both are through before this one commits.
            for beside in stores:
                async with anyio.create_task_group() as group:
                    group.start_soon(elsewhere, beside)
            assert [event.seq for event in await other.events.after("c2")] == [1, 2]
            assert await other.events.after("c1") == ()


async def test_the_events_of_a_chat_keep_their_order_whoever_writes(
    stores: tuple[Storage, Storage],
) -> None:
    async with stores[0].write() as write:
        await add_chat(stores[0], write)

    async def say(storage: Storage, who: int) -> None:
        for number in range(10):
            names = (chat_name("c1"),) if number % 3 else ()
            async with storage.write(*names) as write:
                await storage.events.append(write, "c1", [NewEvent("text", {"by": [who, number]})])

    async with anyio.create_task_group() as group:
        for who in range(4):
            group.start_soon(say, stores[who % 2], who)
    events = await stores[1].events.after("c1")
    assert [event.seq for event in events] == list(range(1, 41))
    for who in range(4):
        said = [event.body["by"][1] for event in events if event.body["by"][0] == who]
        assert said == list(range(10))


@pytest.mark.parametrize("names", [(), ("chat c1",)], ids=["all", "the same"])
async def test_whoever_writes_the_same_waits(
    stores: tuple[Storage, Storage], address: str, names: tuple[str, ...]
) -> None:
    storage, other = stores
    if storage is other:
        return
    said: list[str] = []

    async def second() -> None:
        async with other.write(*names) as write:
            said.append("second")
            await tell(other, write, "second")

    async with anyio.create_task_group() as group, storage.write("chat c1") as write:
        group.start_soon(second)
        await until_somebody_waits(address)
        said.append("first")
        await tell(storage, write, "first")
    assert said == ["first", "second"]


async def test_a_write_of_one_thing_waits_as_long_as_its_own_process_writes(
    postgres_url: str, clock: StepClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However long that takes: only processes that are stuck are not waited for for ever."""
    monkeypatch.setitem(postgres.SESSION, "lock_timeout", "1ms")
    storage = await Storage.open(postgres_url, clock=clock)
    told: list[str] = []

    async def beside() -> None:
        async with storage.write(chat_name("c1")) as write:
            await storage.events.append(write, "c1", [NewEvent("text", {})])
        told.append("beside")

    with anyio.fail_after(60):
        async with anyio.create_task_group() as group, storage.write() as write:
            await add_chat(storage, write)
            group.start_soon(beside)
            await anyio.wait_all_tasks_blocked()
            # Far longer than anybody waits for a lock at the server.
            await write.execute(text("SELECT pg_sleep(0.05)"))
            told.append("alone")
    assert told == ["alone", "beside"]
    await storage.close()


async def test_a_later_change_is_committed_later_also_by_writes_of_other_things(
    stores: tuple[Storage, Storage], address: str
) -> None:
    storage, other = stores
    if storage is other:
        return

    async def second() -> None:
        async with other.write("chat c2") as write:
            await tell(other, write, "second")

    async with anyio.create_task_group() as group, storage.write("chat c1") as write:
        await tell(storage, write, "first")
        group.start_soon(second)
        await until_somebody_waits(address)
        assert await other.changes.latest() == 0, "whoever reads now must not miss the first"
    assert [change.resource_id for change in await storage.changes.after(0)] == ["first", "second"]
