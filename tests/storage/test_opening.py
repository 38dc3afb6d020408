import asyncio
import os
import pwd
import sqlite3
import stat
import tempfile
from collections.abc import Generator
from contextlib import contextmanager, nullcontext
from pathlib import Path

import anyio
import pytest
from sqlalchemy import text
from sqlalchemy.util import greenlet_spawn

from recto.storage import (
    CannotOpen,
    DatabaseDamaged,
    DatabaseFull,
    NewerSchema,
    Storage,
    StoreInUse,
    Unavailable,
    WriteTransaction,
)
from recto.storage.schema import HEAD
from recto.storage.sqlite import CLOSING_TRIES, until_let_in
from tests.storage.conftest import StepClock, add_project, run_sql
from tests.storage.server import url

pytestmark = pytest.mark.anyio


async def pragma(write: WriteTransaction, name: str) -> object:
    return (await write.execute(text(f"PRAGMA {name}"))).scalar_one()


@contextmanager
def without_privileges(folder: Path) -> Generator[None]:
    """Root may write anywhere: be somebody else for a while, who owns the folder."""
    if os.geteuid() != 0:
        yield
        return
    nobody = pwd.getpwnam("nobody").pw_uid
    for path in (folder, *folder.iterdir()):
        os.chown(path, nobody, -1)
    os.seteuid(nobody)
    try:
        yield
    finally:
        os.seteuid(0)


@pytest.fixture
def open_folder() -> Generator[Path]:
    """A folder that others can reach, which pytest's own are not."""
    with tempfile.TemporaryDirectory(prefix="recto-") as name:
        yield Path(name)
        os.chmod(name, 0o700)


async def test_every_commit_is_flushed_to_the_disk(sqlite_path: str, clock: StepClock) -> None:
    storage = await Storage.open(sqlite_path, clock=clock)
    async with storage.write() as write:
        assert await pragma(write, "journal_mode") == "wal"
        assert await pragma(write, "synchronous") == 2
        assert await pragma(write, "foreign_keys") == 1
        assert await pragma(write, "busy_timeout") == 10_000
    await storage.close()


async def test_only_the_owner_can_read_the_records(sqlite_path: str, clock: StepClock) -> None:
    before = os.umask(0)
    try:
        storage = await Storage.open(sqlite_path, clock=clock)
        async with storage.write() as write:
            await add_project(storage, write)
        modes = {
            path.name: stat.S_IMODE(path.stat().st_mode)
            for path in Path(sqlite_path).parent.iterdir()
        }
        await storage.close()
    finally:
        os.umask(before)

    assert modes == dict.fromkeys(
        ["recto.db", "recto.db-shm", "recto.db-wal", "recto.db.lock"], 0o600
    )


async def test_records_that_others_could_read_are_closed_to_them(
    sqlite_path: str, clock: StepClock
) -> None:
    storage = await Storage.open(sqlite_path, clock=clock)
    await storage.close()
    os.chmod(sqlite_path, 0o644)

    storage = await Storage.open(sqlite_path, clock=clock)
    await storage.close()

    assert stat.S_IMODE(os.stat(sqlite_path).st_mode) == 0o600


async def test_the_same_process_can_not_open_a_file_twice(
    sqlite_path: str, clock: StepClock
) -> None:
    storage = await Storage.open(sqlite_path, clock=clock)
    with pytest.raises(StoreInUse) as caught:
        await Storage.open(sqlite_path, clock=clock)
    await storage.close()

    assert caught.value.pid == os.getpid()


async def test_another_name_of_a_file_is_the_same_file(
    sqlite_path: str, tmp_path: Path, clock: StepClock
) -> None:
    os.symlink(sqlite_path, tmp_path / "alias.db")
    storage = await Storage.open(tmp_path / "alias.db", clock=clock)
    with pytest.raises(StoreInUse):
        await Storage.open(sqlite_path, clock=clock)
    await storage.close()


@pytest.mark.parametrize("name", ["a?b=c#d.db", "100%41 é.db", ":memory:", "file:x.db?mode=ro"])
async def test_a_file_may_have_any_name(tmp_path: Path, clock: StepClock, name: str) -> None:
    storage = await Storage.open(tmp_path / name, clock=clock)
    async with storage.write() as write:
        await add_project(storage, write)
    await storage.close()

    assert sorted(os.listdir(tmp_path)) == [name, name + ".lock"]


async def test_a_folder_is_not_a_store(tmp_path: Path, clock: StepClock) -> None:
    with pytest.raises(CannotOpen):
        await Storage.open(tmp_path, clock=clock)


async def test_a_lock_file_left_behind_is_no_obstacle(sqlite_path: str, clock: StepClock) -> None:
    await anyio.Path(sqlite_path + ".lock").write_text("1\n", encoding="ascii")

    storage = await Storage.open(sqlite_path, clock=clock)
    await storage.close()


async def test_a_file_that_is_no_database_is_left_alone(sqlite_path: str, clock: StepClock) -> None:
    await anyio.Path(sqlite_path).write_text("My novel. " * 1000, encoding="utf-8")

    with pytest.raises(CannotOpen, match="not a SQLite database"):
        await Storage.open(sqlite_path, clock=clock)

    assert await anyio.Path(sqlite_path).read_text(encoding="utf-8") == "My novel. " * 1000


async def test_the_database_of_another_program_is_left_alone(
    sqlite_path: str, clock: StepClock
) -> None:
    with sqlite3.connect(sqlite_path) as connection:
        connection.execute("CREATE TABLE bookmarks (url TEXT)")
    connection.close()

    with pytest.raises(CannotOpen, match="another program"):
        await Storage.open(sqlite_path, clock=clock)


async def test_a_damaged_file_is_called_damaged(sqlite_path: str, clock: StepClock) -> None:
    storage = await Storage.open(sqlite_path, clock=clock)
    await storage.close()
    size = (await anyio.Path(sqlite_path).stat()).st_size
    async with await anyio.open_file(sqlite_path, "r+b") as file:
        await file.seek(4096)
        await file.write(b"\xff" * (size - 4096))

    with pytest.raises(DatabaseDamaged, match="is damaged"):
        await Storage.open(sqlite_path, clock=clock)


async def test_a_missing_folder_is_named(tmp_path: Path, clock: StepClock) -> None:
    with pytest.raises(CannotOpen, match=f"There is no folder {tmp_path}/none"):
        await Storage.open(tmp_path / "none" / "recto.db", clock=clock)


async def test_a_folder_that_can_not_be_written_is_refused(
    open_folder: Path, clock: StepClock
) -> None:
    os.chmod(open_folder, 0o555)
    with without_privileges(open_folder), pytest.raises(CannotOpen, match="can't be written"):
        await Storage.open(open_folder / "recto.db", clock=clock)


async def test_a_file_that_can_not_be_written_is_refused_and_given_free(
    open_folder: Path, clock: StepClock
) -> None:
    path = open_folder / "recto.db"
    path.touch(0o400)
    with without_privileges(open_folder):
        for _ in range(2):
            with pytest.raises(CannotOpen, match="can't be written"):
                await Storage.open(path, clock=clock)


@pytest.mark.parametrize(
    "address",
    [
        "mysql://localhost/recto",
        "sqlite:///recto.db",
        "postgresql+asyncpg://localhost/recto",
        "postgresql://localhost:port/recto",
        "postgresql://user:secret@localhost:1:2/recto?sslmode=maybe",
    ],
)
async def test_an_address_that_can_not_be_understood_is_refused_without_repeating_it(
    address: str, clock: StepClock
) -> None:
    with pytest.raises(CannotOpen, match="address can't be understood") as caught:
        await Storage.open(address, clock=clock)

    assert "secret" not in str(caught.value)


async def test_a_server_that_is_not_there_is_not_reached(tmp_path: Path, clock: StepClock) -> None:
    with pytest.raises(CannotOpen, match="can't be reached"):
        await Storage.open(url(tmp_path), clock=clock)


async def test_a_database_that_is_not_there_is_named_as_the_cause(
    postgres_server: Path, clock: StepClock
) -> None:
    with pytest.raises(CannotOpen, match="no such database"):
        await Storage.open(url(postgres_server, "nowhere"), clock=clock)


async def test_an_unknown_user_is_refused(postgres_server: Path, clock: StepClock) -> None:
    with pytest.raises(CannotOpen, match="refused the user name"):
        await Storage.open(url(postgres_server).replace("postgres@", "eve@"), clock=clock)


async def test_records_of_a_newer_recto_are_refused(address: str, clock: StepClock) -> None:
    storage = await Storage.open(address, clock=clock)
    await storage.close()
    await run_sql(address, "UPDATE alembic_version SET version_num = 'm9001'")

    with pytest.raises(NewerSchema, match=rf"schema m9001; this one knows up to {HEAD}.*Update"):
        await Storage.open(address, clock=clock)


async def test_a_failed_opening_gives_the_file_free(sqlite_path: str, clock: StepClock) -> None:
    storage = await Storage.open(sqlite_path, clock=clock)
    await storage.close()
    await run_sql(sqlite_path, "UPDATE alembic_version SET version_num = 'm9001'")
    with pytest.raises(NewerSchema):
        await Storage.open(sqlite_path, clock=clock)
    await run_sql(sqlite_path, f"UPDATE alembic_version SET version_num = '{HEAD}'")

    storage = await Storage.open(sqlite_path, clock=clock)
    await storage.close()


async def test_an_opening_that_is_cancelled_gives_everything_back(
    address: str, clock: StepClock
) -> None:
    for turns in range(0, 60, 3):
        task = asyncio.create_task(Storage.open(address, clock=clock))
        for _ in range(turns):
            await asyncio.sleep(0)
        task.cancel()
        with anyio.fail_after(60):
            await asyncio.wait([task])
        if not task.cancelled():
            await task.result().close()

    storage = await Storage.open(address, clock=clock)
    await storage.close()


@pytest.mark.parametrize(("times", "is_let_in"), [(0, True), (2, True), (9, False)])
async def test_a_connection_that_is_still_closing_keeps_nobody_out_for_long(
    times: int, *, is_let_in: bool
) -> None:
    tries = 0

    def act() -> None:
        nonlocal tries
        tries += 1
        if tries <= times:
            busy = sqlite3.OperationalError("database is locked")
            busy.sqlite_errorcode = sqlite3.SQLITE_BUSY
            raise busy

    with nullcontext() if is_let_in else pytest.raises(sqlite3.OperationalError, match="locked"):
        await greenlet_spawn(until_let_in, act)
    assert tries == min(times, CLOSING_TRIES) + 1


async def test_a_full_disk_is_said_and_leaves_what_was_there(
    sqlite_path: str, clock: StepClock
) -> None:
    storage = await Storage.open(sqlite_path, clock=clock)
    async with storage.write() as write:
        await add_project(storage, write)
        pages = await pragma(write, "page_count")
    with pytest.raises(DatabaseFull):  # noqa: PT012 - the limit belongs to the connection
        async with storage.write() as write:
            await pragma(write, f"max_page_count = {pages}")
            await storage.blobs.put(write, os.urandom(100_000), "c1")

    assert [project.id for project in (await storage.projects.page()).items] == ["p1"]
    await storage.close()


async def test_a_foreign_program_that_holds_the_file_is_waited_for_and_then_named(
    sqlite_path: str, clock: StepClock
) -> None:
    storage = await Storage.open(sqlite_path, clock=clock)
    async with storage.write() as write:
        await pragma(write, "busy_timeout = 50")
    other = sqlite3.connect(sqlite_path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")

    with pytest.raises(Unavailable, match="locked by another program"):
        async with storage.write() as write:
            await add_project(storage, write)
    other.rollback()
    other.close()

    async with storage.write() as write:
        await add_project(storage, write)
    await storage.close()
