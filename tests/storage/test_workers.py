"""Processes that share their records: who has which run, and who hears of what."""

from contextlib import suppress

import anyio
import pytest

from recto.storage import NewEvent, Storage, Unavailable
from recto.storage.shared_locks import LockSession, hold_shared
from tests.storage.conftest import StepClock, add_chat, run_sql

pytestmark = pytest.mark.anyio

LOSE_EVERY_CONNECTION = (
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
    "WHERE datname = current_database() AND pid <> pg_backend_pid()"
)

LOSE_THE_ONE_WITH_THE_LOCK = (
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
    "WHERE datname = current_database() AND state = 'idle in transaction'"
)


async def begin(storage: Storage, name: str) -> None:
    """A run that runs, in a chat of its own."""
    async with storage.write() as write:
        await add_chat(storage, write, f"chat-of-{name}")
        await storage.runs.add(write, id=name, chat_id=f"chat-of-{name}", state="running", body={})


async def alive(storage: Storage) -> list[str]:
    return [run.id for run in await storage.runs.alive()]


async def abandoned(storage: Storage) -> list[str]:
    return [run.id for run in await storage.runs.abandoned()]


async def test_a_run_belongs_to_the_process_that_began_it(storage: Storage) -> None:
    await begin(storage, "r1")
    async with storage.write() as write:
        await storage.runs.add(write, id="r2", chat_id="chat-of-r1", state="queued", body={})

    assert (await storage.runs.get("r1")).worker is not None
    assert (await storage.runs.get("r2")).worker is None
    assert await alive(storage) == ["r1"]
    assert await abandoned(storage) == []
    async with storage.write() as write:
        await storage.runs.end(write, "r1", "finished")
        started = await storage.runs.start(write, "r2")
    assert started.worker == (await storage.runs.get("r1")).worker
    assert await alive(storage) == ["r2"]


async def test_the_next_process_finds_what_the_last_one_left(
    address: str, clock: StepClock
) -> None:
    """Also when it has a run of its own by then, at the very same time."""
    for number in (1, 2, 3):
        storage = await Storage.open(address, clock=clock)
        await begin(storage, f"r{number}")
        assert await alive(storage) == [f"r{number}"]
        assert await abandoned(storage) == [f"r{item}" for item in range(1, number)]
        await storage.close()


async def test_a_run_of_a_process_that_lives_is_not_abandoned(
    postgres_url: str, clock: StepClock
) -> None:
    here, there = [await Storage.open(postgres_url, clock=clock) for _ in range(2)]
    await begin(here, "r1")

    assert await abandoned(there) == []
    assert await alive(there) == ["r1"]
    await begin(there, "r2")
    assert await alive(here) == await alive(there) == ["r1", "r2"]
    await here.close()
    assert await abandoned(there) == ["r1"]
    assert await alive(there) == ["r2"]
    await there.close()


async def test_a_process_that_lost_its_connection_still_has_its_runs(
    postgres_url: str, clock: StepClock
) -> None:
    here, there = [await Storage.open(postgres_url, clock=clock) for _ in range(2)]
    await begin(here, "r1")
    latest = await here.changes.latest()
    with anyio.fail_after(60):
        async with anyio.create_task_group() as group:
            group.start_soon(here.wait_for_change, latest)
            await anyio.wait_all_tasks_blocked()
            await run_sql(postgres_url, LOSE_EVERY_CONNECTION)
            # It connects again by itself, before it hears anything.
            async with there.write() as write:
                await add_chat(there, write)

    assert await abandoned(there) == []
    await here.close()
    await there.close()


async def test_events_of_another_process_are_heard(postgres_url: str, clock: StepClock) -> None:
    here, there = [await Storage.open(postgres_url, clock=clock) for _ in range(2)]
    heard: list[tuple[str | None, int]] = []
    came = anyio.Event()

    def note(chat_id: str | None, seq: int) -> None:
        heard.append((chat_id, seq))
        if chat_id == "c1" and seq == 3:
            came.set()

    here.on_events(note)
    async with there.write() as write:
        await add_chat(there, write)
    latest = await there.changes.latest()
    with anyio.fail_after(60):
        async with anyio.create_task_group() as group:
            group.start_soon(here.wait_for_change, latest)
            while (None, 0) not in heard:
                await anyio.lowlevel.checkpoint()
            async with there.write() as write:
                await there.events.append(write, "c1", [NewEvent("text", {}), NewEvent("text", {})])
            async with there.write() as write:
                await there.events.append(write, "c1", [NewEvent("text", {})])
            await came.wait()
            group.cancel_scope.cancel()

    assert heard == [(None, 0), ("c1", 2), ("c1", 3)]
    await here.close()
    await there.close()


async def test_a_lock_is_for_one_process_and_free_when_that_is_gone(
    postgres_url: str, clock: StepClock
) -> None:
    one, two = [await Storage.open(postgres_url, clock=clock) for _ in range(2)]
    taken = anyio.Event()

    async def take() -> None:
        async with two.shared_locks.lock("p1/a.md"):
            taken.set()

    async with anyio.create_task_group() as group, one.shared_locks.lock("p1/a.md"):
        async with two.shared_locks.lock("p1/b.md"):
            group.start_soon(take)
        await anyio.wait_all_tasks_blocked()
        assert not taken.is_set()
        await run_sql(postgres_url, LOSE_THE_ONE_WITH_THE_LOCK)
        with anyio.fail_after(120):
            await taken.wait()
    for storage in (one, two):
        await storage.close()


async def test_what_is_opened_by_a_task_that_is_cancelled_does_not_stay_open(
    postgres_url: str, clock: StepClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, two = [await Storage.open(postgres_url, clock=clock) for _ in range(2)]
    with anyio.CancelScope() as scope:

        async def cancelled_meanwhile(session: LockSession, number: int) -> None:
            scope.cancel()
            # The statement is not left in the middle.
            await hold_shared(session, number)

        monkeypatch.setattr("recto.storage.shared_locks.hold_shared", cancelled_meanwhile)
        await one.shared_locks.open("p1/a.md")
    assert scope.cancelled_caught
    assert not await two.shared_locks.is_open_elsewhere("p1/a.md")
    for storage in (one, two):
        await storage.close()


async def test_a_document_is_known_to_be_open_elsewhere_over_a_lost_connection(
    postgres_url: str, clock: StepClock
) -> None:
    one, two = [await Storage.open(postgres_url, clock=clock) for _ in range(2)]
    await one.shared_locks.open("p1/a.md")
    assert await two.shared_locks.is_open_elsewhere("p1/a.md")
    assert not await two.shared_locks.is_open_elsewhere("p1/b.md")
    assert not await one.shared_locks.is_open_elsewhere("p1/a.md")
    await run_sql(postgres_url, LOSE_EVERY_CONNECTION)
    for storage in (one, two):
        with suppress(Unavailable):  # it notices, and connects again with the next word
            await storage.shared_locks.is_open_elsewhere("p1/a.md")
    assert not await one.shared_locks.is_open_elsewhere("p1/a.md")
    assert await two.shared_locks.is_open_elsewhere("p1/a.md")
    await one.shared_locks.close("p1/a.md")
    assert not await two.shared_locks.is_open_elsewhere("p1/a.md")
    for storage in (one, two):
        await storage.close()


async def test_runs_that_begin_at_once_belong_to_one_and_the_same_process(
    postgres_url: str, clock: StepClock
) -> None:
    """Only the number that was taken last is held again after the server's restart."""
    storage = await Storage.open(postgres_url, clock=clock)
    begun, both = set[str](), anyio.Event()

    async def begin_beside(name: str) -> None:
        async with storage.write(f"chat-of-{name}") as write:
            begun.add(name)
            if len(begun) == 2:
                both.set()
            await both.wait()
            await storage.runs.start(write, name)

    try:
        async with storage.write() as write:
            for name in ("r1", "r2"):
                chat = f"chat-of-{name}"
                await add_chat(storage, write, chat)
                await storage.runs.add(write, id=name, chat_id=chat, state="queued", body={})
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(begin_beside, "r1")
            tasks.start_soon(begin_beside, "r2")
        workers = {(await storage.runs.get(name)).worker for name in ("r1", "r2")}
        assert len(workers) == 1
    finally:
        await storage.close()
