import asyncio
from collections.abc import AsyncGenerator
from typing import Any

import anyio
import pytest

from recto.storage import RecordExists, RecordNotFound, Storage
from tests.storage.conftest import StepClock, add_project

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
