"""A PostgreSQL server that goes away: it is waited for, and what was acknowledged is there."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Literal

import anyio
import anyio.to_thread
import pytest

from recto.storage import ServerGone, Storage, StorageFailure, Unavailable, postgres
from tests.storage.conftest import EMPTY_ALL_TABLES, StepClock, add_project, run_sql
from tests.storage.server import is_running, running_server, start_server, stop_server, url
from tests.storage.test_workers import abandoned, alive, begin

pytestmark = pytest.mark.anyio

LOSE_EVERY_CONNECTION = (
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
    "WHERE datname = current_database() AND pid <> pg_backend_pid()"
)


@pytest.fixture(scope="module")
def own_server() -> Generator[Path]:
    with running_server() as folder:
        yield folder


@pytest.fixture
async def server(own_server: Path) -> Path:
    """A server that nobody else uses, so that it may be stopped; it runs and has no records."""
    if not is_running(own_server):
        await anyio.to_thread.run_sync(start_server, own_server)
    await run_sql(url(own_server), EMPTY_ALL_TABLES)
    return own_server


@asynccontextmanager
async def opened(address: str, clock: StepClock) -> AsyncGenerator[Storage]:
    storage = await Storage.open(address, clock=clock)
    try:
        yield storage
    finally:
        await storage.close()


async def restart(server: Path, mode: Literal["fast", "immediate"] = "immediate") -> None:
    await anyio.to_thread.run_sync(stop_server, server, mode)
    await anyio.to_thread.run_sync(start_server, server)


class Answering:
    """What a store says of its server, and a way to wait for it."""

    def __init__(self, storage: Storage) -> None:
        self.said: list[bool] = []
        self._news = anyio.Event()
        storage.on_answering(self._note)

    def _note(self, is_answering: bool) -> None:
        self.said.append(is_answering)
        self._news.set()
        self._news = anyio.Event()

    async def until(self, said: list[bool]) -> None:
        while self.said != said:
            await self._news.wait()


async def names(storage: Storage) -> list[str]:
    return sorted(project.id for project in (await storage.projects.page()).items)


@pytest.mark.parametrize("mode", ["fast", "immediate"])
async def test_who_waits_for_changes_hears_the_next_one_after_a_restart(
    server: Path, clock: StepClock, mode: Literal["fast", "immediate"]
) -> None:
    async with opened(url(server), clock) as here, opened(url(server), clock) as there:
        async with there.write() as write:
            await add_project(there, write, "before")
        await here.wait_for_change(0)
        answering = Answering(here)
        with anyio.fail_after(60):
            async with anyio.create_task_group() as group:
                group.start_soon(here.wait_for_change, 1)
                await anyio.wait_all_tasks_blocked()
                await anyio.to_thread.run_sync(stop_server, server, mode)
                await answering.until([False])
                assert not here.is_answering
                await anyio.to_thread.run_sync(start_server, server)
                await answering.until([False, True])
                async with there.write() as write:
                    await add_project(there, write, "after")

        assert here.is_answering
        assert await names(here) == ["after", "before"]


async def test_reading_and_writing_wait_until_the_server_is_back(
    server: Path, clock: StepClock
) -> None:
    async with opened(url(server), clock) as storage:
        answering, found = Answering(storage), list[str]()

        async def read() -> None:
            found.extend(await names(storage))

        async def write() -> None:
            async with storage.write() as write:
                await add_project(storage, write, "meanwhile")

        async with storage.write() as first:
            await add_project(storage, first, "before")
        await anyio.to_thread.run_sync(stop_server, server)
        with anyio.fail_after(60):
            async with anyio.create_task_group() as group:
                group.start_soon(read)
                group.start_soon(write)
                await answering.until([False])
                assert found == []
                await anyio.to_thread.run_sync(start_server, server)

        assert "before" in found
        assert await names(storage) == ["before", "meanwhile"]


@pytest.mark.parametrize("mode", ["fast", "immediate"])
async def test_a_transaction_that_loses_its_server_is_done_again_whole(
    server: Path, clock: StepClock, mode: Literal["fast", "immediate"]
) -> None:
    async with opened(url(server), clock) as storage:
        with anyio.fail_after(60):
            async with storage.write() as write:
                await add_project(storage, write, "first")
                await restart(server, mode)
                assert (await storage.projects.get("first", within=write)).name == "first"
                await add_project(storage, write, "second")
                await restart(server, mode)

        assert await names(storage) == ["first", "second"]
        changes = await storage.changes.after(0)
        assert [change.resource_id for change in changes] == ["first", "second"]


async def test_a_transaction_that_has_seen_what_is_no_longer_so_is_not_done_again(
    postgres_url: str, clock: StepClock
) -> None:
    async with opened(postgres_url, clock) as here, opened(postgres_url, clock) as there:
        async with here.write() as write:
            await add_project(here, write, "first")
        with pytest.raises(ServerGone):  # noqa: PT012 - raised inside the write
            async with here.write() as write:
                seen = await here.projects.get("first", within=write)
                await run_sql(postgres_url, LOSE_EVERY_CONNECTION)
                async with there.write() as other:
                    await there.projects.update(
                        other, "first", name="renamed", settings={}, expected_version=seen.version
                    )
                await add_project(here, write, "second")

        assert await names(here) == ["first"]
        assert (await here.projects.get("first")).name == "renamed"


Cut = Literal["before", "after"]


@asynccontextmanager
async def cutting(server: Path, folder: Path, cut: Cut) -> AsyncGenerator[Callable[[], int]]:
    """A way to the server that breaks at the first COMMIT: before the server gets it, or after.

    Answers how many commits were seen.
    """
    await anyio.Path(folder).mkdir()
    commits = 0

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal commits
        up_reader, up_writer = await asyncio.open_unix_connection(server / ".s.PGSQL.5432")

        async def answers(seen: list[bytes]) -> None:
            while data := await up_reader.read(65536):
                if seen:
                    break  # the server's word on the commit is lost on its way
                writer.write(data)
            writer.close()

        lost: list[bytes] = []
        back = asyncio.create_task(answers(lost))
        while data := await reader.read(65536):
            if b"COMMIT" in data:
                commits += 1
                if commits == 1:
                    if cut == "after":
                        lost.append(data)
                        up_writer.write(data)
                        await back
                    break
            up_writer.write(data)
        up_writer.close()
        writer.close()
        await back

    proxy = await asyncio.start_unix_server(serve, folder / ".s.PGSQL.5432")
    try:
        yield lambda: commits
    finally:
        proxy.close()


@pytest.mark.parametrize("cut", ["before", "after"])
@pytest.mark.parametrize("write_names", [(), ("project once",)], ids=["alone", "beside others"])
async def test_a_commit_whose_end_nobody_heard_is_asked_about(
    server: Path, clock: StepClock, tmp_path: Path, cut: Cut, write_names: tuple[str, ...]
) -> None:
    """Whether the server had committed or not: it is there once."""
    await (await Storage.open(url(server), clock=clock)).close()
    with anyio.fail_after(60):
        async with (
            cutting(server, tmp_path / "way", cut) as commits,
            opened(url(tmp_path / "way"), clock) as storage,
        ):
            async with storage.write(*write_names) as write:
                await add_project(storage, write, "once")

            assert commits() == (2 if cut == "before" else 1)
            assert await names(storage) == ["once"]
            assert len(await storage.changes.after(0)) == 1


async def test_a_mark_stays_though_a_later_process_of_the_server_has_the_same_id(
    server: Path, clock: StepClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server that is started again begins with its ids where it did before."""
    await (await Storage.open(url(server), clock=clock)).close()
    as_one = [
        "CREATE SCHEMA ids",
        "CREATE FUNCTION ids.pg_backend_pid() RETURNS integer LANGUAGE sql AS 'SELECT 57'",
    ]
    await run_sql(url(server), *as_one)
    monkeypatch.setitem(postgres.SESSION, "search_path", "ids, pg_catalog, public")
    engine = postgres.PostgresEngine(url(server))
    try:
        async with engine.writer.connect() as connection:
            first = await engine.enter_write(connection, ["a"])
            assert first is not None
            await connection.commit()
        assert engine.side_writers is not None
        async with engine.side_writers.connect() as connection:
            await engine.enter_write(connection, ["b"])
            await connection.commit()
        async with engine.writer.connect() as connection:
            assert await engine.was_committed(connection, first)
    finally:
        await engine.close()
        await run_sql(url(server), "DROP SCHEMA ids CASCADE")


@pytest.mark.parametrize("begin", ["wait", "read", "write"])
async def test_when_the_program_ends_nobody_waits_for_a_server_that_is_gone(
    server: Path, clock: StepClock, begin: Literal["wait", "read", "write"]
) -> None:
    async with opened(url(server), clock) as storage:
        answering = Answering(storage)

        async def write() -> None:
            async with storage.write() as write:
                await add_project(storage, write, "never")

        works: dict[str, Callable[[], Awaitable[object]]] = {
            "wait": lambda: storage.wait_for_change(0),
            "read": lambda: names(storage),
            "write": write,
        }

        async def wait() -> None:
            with pytest.raises(Unavailable):
                await works[begin]()

        await anyio.to_thread.run_sync(stop_server, server)
        with anyio.fail_after(60):
            async with anyio.create_task_group() as group:
                group.start_soon(wait)
                await answering.until([False])
                storage.stop_waiting()


async def test_a_server_that_is_not_there_at_the_start_is_said_to_be_unreachable(
    server: Path, clock: StepClock
) -> None:
    await anyio.to_thread.run_sync(stop_server, server)
    with pytest.raises(StorageFailure, match="can't be reached"):
        await Storage.open(url(server), clock=clock)


async def test_a_restart_makes_nobody_dead_before_it_can_be_back(
    server: Path, clock: StepClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It frees every lock, also of those that live: one may look before another is back."""
    monkeypatch.setattr(postgres, "RETURN_S", 3600.0)
    async with opened(url(server), clock) as here, opened(url(server), clock) as there:
        await begin(here, "r1")
        latest = await here.changes.latest()
        await restart(server)

        assert await abandoned(there) == []
        assert await alive(there) == ["r1"]
        assert [run.id for run in await there.runs.elsewhere("chat-of-r1")] == ["r1"]
        with monkeypatch.context() as later:
            later.setattr(postgres, "RETURN_S", 0.0)
            assert await abandoned(there) == ["r1"]
        await here.wait_for_change(latest - 1)  # it is back, and holds its lock again
        with monkeypatch.context() as later:
            later.setattr(postgres, "RETURN_S", 0.0)
            assert await abandoned(there) == []
            assert await alive(there) == ["r1"]
        await run_sql(url(server), LOSE_EVERY_CONNECTION)
        assert await abandoned(there) == ["r1"], "it was back since the restart, so it has died"


async def test_a_run_that_another_process_ended_is_its_owners_no_more(
    server: Path, clock: StepClock
) -> None:
    async with opened(url(server), clock) as here, opened(url(server), clock) as there:
        await begin(here, "r1")
        await begin(here, "r2")
        async with there.write() as write:
            await there.runs.end(write, "r1", "interrupted")
        async with here.write() as write:
            assert await here.runs.taken(write, ["r1", "r2"]) == {"r1"}
            assert await here.runs.taken(write, []) == frozenset()
        async with there.write() as write:
            assert (await there.runs.start(write, "r1")).state == "running"
        async with here.write() as write:
            assert await here.runs.taken(write, ["r1", "r2"]) == {"r1"}
            await here.runs.end(write, "r2", "finished")
            assert await here.runs.taken(write, ["r2"]) == frozenset()


async def test_locks_wait_for_a_server_that_is_gone(server: Path, clock: StepClock) -> None:
    """Whoever begins a turn or opens a file in that moment is not refused."""
    async with opened(url(server), clock) as here, opened(url(server), clock) as there:
        answering = Answering(here)
        found: list[bool] = []

        async def lock() -> None:
            async with here.shared_locks.lock("a chat"):
                found.append(True)

        async def look() -> None:
            found.append(await here.shared_locks.is_open_elsewhere("a file"))

        await there.shared_locks.open("a file")
        await anyio.to_thread.run_sync(stop_server, server)
        with anyio.fail_after(60):
            async with anyio.create_task_group() as group:
                group.start_soon(lock)
                group.start_soon(here.shared_locks.open, "a file")
                await answering.until([False])
                await anyio.to_thread.run_sync(start_server, server)
        assert found == [True]
        assert await there.shared_locks.is_open_elsewhere("a file")
        await here.shared_locks.close("a file")
        assert not await there.shared_locks.is_open_elsewhere("a file"), "it was held twice"
        await look()
        assert found == [True, True]
