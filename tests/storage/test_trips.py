"""SQLite is asked with one trip to another thread per statement, and answers as it always does."""

import sqlite3
from collections.abc import AsyncGenerator, Callable
from functools import partial
from pathlib import Path
from typing import Any, cast

import aiosqlite
import pytest

from recto.storage import Storage
from recto.storage.sqlite_connection import TripConnection
from tests.fakes import FakeClock
from tests.storage.conftest import add_project

pytestmark = pytest.mark.anyio


@pytest.fixture
async def connection(tmp_path: Path) -> AsyncGenerator[TripConnection]:
    made = await opened(tmp_path / "db")
    await made.cursor().execute("CREATE TABLE tides (id INTEGER PRIMARY KEY, height REAL)")
    yield made
    await made.close()


async def opened(path: Path) -> TripConnection:
    return await TripConnection.to(partial(sqlite3.connect, path, isolation_level=None))


@pytest.fixture
def trips(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The work of every trip that somebody waits for."""
    made: list[str] = []
    execute = cast("Callable[..., Any]", vars(aiosqlite.Connection)["_execute"])

    def counted(
        self: aiosqlite.Connection, work: Callable[..., Any], *args: Any, **options: Any
    ) -> Any:
        made.append(work.__name__)
        return execute(self, work, *args, **options)

    monkeypatch.setattr(aiosqlite.Connection, "_execute", counted)
    return made


async def test_a_write_is_a_trip_for_each_statement_and_one_for_its_end(
    tmp_path: Path, trips: list[str]
) -> None:
    storage = await Storage.open(tmp_path / "db", clock=FakeClock())
    trips.clear()
    async with storage.write() as write:
        await add_project(storage, write)
    assert trips == ["_work", "_work", "commit"]  # the project, and the change that tells of it
    await storage.projects.get("p1")  # opens a reader, which stays
    trips.clear()
    assert (await storage.projects.get("p1")).id == "p1"
    assert trips == ["_work"]
    await storage.close()


async def test_a_statement_gives_its_rows_names_and_counts(connection: TripConnection) -> None:
    cursor = connection.cursor()
    await cursor.executemany("INSERT INTO tides (height) VALUES (?)", [(1.5,), (2.5,)])
    assert (cursor.rowcount, cursor.description) == (2, None)
    await cursor.execute("INSERT INTO tides (height) VALUES (?)", (3.5,))
    assert cursor.lastrowid == 3
    await cursor.execute("SELECT id, height FROM tides ORDER BY id")
    assert cursor.description is not None
    assert [item[0] for item in cursor.description] == ["id", "height"]
    assert await cursor.fetchall() == [(1, 1.5), (2, 2.5), (3, 3.5)]
    assert await cursor.fetchall() == []


async def test_a_transaction_without_a_statement_never_began(connection: TripConnection) -> None:
    connection.begin("BEGIN IMMEDIATE")
    await connection.commit()
    connection.begin("BEGIN IMMEDIATE")
    await connection.rollback()
    assert not connection.in_transaction
    await connection.cursor().execute("SELECT 1")
    assert not connection.in_transaction


async def test_what_is_undone_is_undone_before_anything_else_happens(
    connection: TripConnection,
) -> None:
    for begin in ("BEGIN", "BEGIN IMMEDIATE"):
        connection.begin(begin)
        await connection.cursor().execute("INSERT INTO tides (height) VALUES (1)")
        assert connection.in_transaction
        await connection.rollback()
        connection.begin(begin)
        cursor = connection.cursor()
        await cursor.execute("SELECT count(*) FROM tides")
        assert await cursor.fetchall() == [(0,)]
        await connection.rollback()


async def test_a_view_stays_as_it_was_and_the_next_is_new(
    connection: TripConnection, tmp_path: Path
) -> None:
    await connection.cursor().execute("PRAGMA journal_mode=WAL")
    reader = await opened(tmp_path / "db")

    async def count() -> int:
        cursor = reader.cursor()
        await cursor.execute("SELECT count(*) FROM tides")
        return (await cursor.fetchall())[0][0]

    reader.begin("BEGIN")
    assert await count() == 0
    await connection.cursor().execute("INSERT INTO tides (height) VALUES (1)")
    assert await count() == 0
    await reader.rollback()
    reader.begin("BEGIN")
    assert await count() == 1
    await reader.close()


async def test_a_statement_that_fails_is_told_and_the_connection_goes_on(
    connection: TripConnection,
) -> None:
    connection.begin("BEGIN IMMEDIATE")
    with pytest.raises(sqlite3.OperationalError, match="no such table"):
        await connection.cursor().execute("SELECT * FROM surges")
    assert connection.in_transaction
    await connection.rollback()
    await connection.cursor().execute("INSERT INTO tides (height) VALUES (1)")
