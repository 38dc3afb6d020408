import anyio
import anyio.lowlevel
import pytest
from sqlalchemy import text

from recto.storage import ChangeRecord, Storage, Unavailable
from tests.storage.conftest import StepClock, add_project, run_sql

pytestmark = pytest.mark.anyio


async def test_changes_are_read_after_a_number_and_in_parts(storage: Storage) -> None:
    async with storage.write() as write:
        for name in ("a", "b", "c"):
            await add_project(storage, write, name)

    assert await storage.changes.latest() == 3
    assert await storage.changes.after(1, limit=1) == (
        ChangeRecord(2, 1_000_000, "project", "b", "b", "created", 1),
    )
    assert await storage.changes.after(3) == ()


async def test_any_room_can_tell_of_a_change(storage: Storage) -> None:
    async with storage.write() as write:
        await storage.changes.append(
            write, kind="skill", resource_id="s1", project_id=None, action="updated", version=7
        )

    assert await storage.changes.after(0) == (
        ChangeRecord(1, 1_000_000, "skill", "s1", None, "updated", 7),
    )


async def test_a_number_is_never_used_again(storage: Storage, address: str) -> None:
    async with storage.write() as write:
        await add_project(storage, write, "a")
    await run_sql(address, "DELETE FROM changes")
    async with storage.write() as write:
        await add_project(storage, write, "b")

    assert [change.seq for change in await storage.changes.after(0)] == [2]


async def test_a_waiter_wakes_when_a_change_is_committed(storage: Storage) -> None:
    woken = anyio.Event()

    async def wait() -> None:
        await storage.wait_for_change(0)
        woken.set()

    with anyio.fail_after(60):
        async with anyio.create_task_group() as group:
            group.start_soon(wait)
            async with storage.write() as write:
                await add_project(storage, write)
                await anyio.wait_all_tasks_blocked()
                assert not woken.is_set()
            await woken.wait()


async def test_a_change_that_was_there_already_needs_no_waiting(
    address: str, clock: StepClock
) -> None:
    storage = await Storage.open(address, clock=clock)
    async with storage.write() as write:
        await add_project(storage, write)
    await storage.close()

    storage = await Storage.open(address, clock=clock)
    with anyio.fail_after(60):
        await storage.wait_for_change(0)
    await storage.close()


async def test_closing_ends_the_waiting(address: str, clock: StepClock) -> None:
    storage = await Storage.open(address, clock=clock)

    async def wait() -> None:
        with pytest.raises(Unavailable, match="closed"):
            await storage.wait_for_change(0)

    with anyio.fail_after(60):
        async with anyio.create_task_group() as group:
            group.start_soon(wait)
            await anyio.wait_all_tasks_blocked()
            await storage.close()


async def test_a_follower_sees_every_change_of_every_process_in_order(
    postgres_url: str, clock: StepClock
) -> None:
    stores = [await Storage.open(postgres_url, clock=clock) for _ in range(3)]
    seen: list[ChangeRecord] = []

    async def follow() -> None:
        last = 0
        while len(seen) < 60:
            await stores[0].wait_for_change(last)
            seen.extend(await stores[0].changes.after(last))
            last = seen[-1].seq

    async def write(storage: Storage, writer: int) -> None:
        for number in range(30):
            async with storage.write() as write:
                await add_project(storage, write, f"{writer}-{number}")

    with anyio.fail_after(60):
        async with anyio.create_task_group() as group:
            group.start_soon(follow)
            group.start_soon(write, stores[1], 1)
            group.start_soon(write, stores[2], 2)

    assert {change.resource_id for change in seen} == {
        f"{writer}-{number}" for writer in (1, 2) for number in range(30)
    }
    assert [change.seq for change in seen] == sorted({change.seq for change in seen})
    for storage in stores:
        await storage.close()


async def test_a_later_number_is_never_committed_before_an_earlier_one(
    postgres_url: str, clock: StepClock
) -> None:
    first = await Storage.open(postgres_url, clock=clock)
    second = await Storage.open(postgres_url, clock=clock)
    waiting = text("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted")
    is_done = anyio.Event()

    async def write_too() -> None:
        async with second.write() as write:
            await add_project(second, write, "second")
        is_done.set()

    with anyio.fail_after(60):
        async with anyio.create_task_group() as group, first.write() as write:
            await add_project(first, write, "first")
            group.start_soon(write_too)
            while not is_done.is_set() and not (await write.execute(waiting)).scalar_one():
                await anyio.lowlevel.checkpoint()
            assert not is_done.is_set()

    assert [change.resource_id for change in await first.changes.after(0)] == ["first", "second"]
    await first.close()
    await second.close()


async def test_a_change_that_is_undone_wakes_nobody(postgres_url: str, clock: StepClock) -> None:
    here = await Storage.open(postgres_url, clock=clock)
    there = await Storage.open(postgres_url, clock=clock)
    with anyio.fail_after(60):
        async with anyio.create_task_group() as group:
            group.start_soon(here.wait_for_change, 1)
            with pytest.raises(LookupError):  # noqa: PT012 - raised inside the write
                async with there.write() as write:
                    await add_project(there, write)
                    raise LookupError
            async with there.write() as write:
                await add_project(there, write)

    assert [change.seq for change in await here.changes.after(0)] == [2]
    await here.close()
    await there.close()


async def test_after_a_lost_connection_the_waiter_catches_up(
    postgres_url: str, clock: StepClock
) -> None:
    here = await Storage.open(postgres_url, clock=clock)
    there = await Storage.open(postgres_url, clock=clock)

    with anyio.fail_after(60):
        async with there.write() as write:
            await add_project(there, write, "before")
        await here.wait_for_change(0)
        async with anyio.create_task_group() as group:
            group.start_soon(here.wait_for_change, 1)
            await anyio.wait_all_tasks_blocked()
            await run_sql(
                postgres_url,
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                "WHERE datname = current_database() AND pid <> pg_backend_pid()",
            )
            async with there.write() as write:
                await add_project(there, write, "after")

    assert [change.resource_id for change in await here.changes.after(0)] == ["before", "after"]
    await here.close()
    await there.close()
