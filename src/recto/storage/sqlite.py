"""SQLite: write-ahead log, every commit flushed to the disk, one writer, one process."""

import asyncio
import os
import sqlite3
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

from anyio import to_thread
from sqlalchemy import event, func, select, text
from sqlalchemy.engine import URL, Connection
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine
from sqlalchemy.pool import ConnectionPoolEntry
from sqlalchemy.util import await_only

from recto.storage.driver_errors import our_failures
from recto.storage.engine import dump_json
from recto.storage.failures import CannotOpen, DatabaseDamaged
from recto.storage.lock import StoreLock
from recto.storage.server_wait import ServerWait
from recto.storage.shared_locks import NoOtherProcess, SharedLocks
from recto.storage.shielded import CommitMark, finish_shielded
from recto.storage.signal import CommitNews, CommitSignal
from recto.storage.sqlite_connection import Begin, TripConnection
from recto.storage.tables import leases, open_streams, runs

BUSY_TIMEOUT_MS = 10_000
CLOSING_S = 0.1
CLOSING_TRIES = 3
READERS = 4
LOG_WAIT_S = 0.2

# FULL: in WAL mode, NORMAL may lose the last commits when the power fails.
# A deleted chat's words must not stay behind in pages that are free.
WRITER_PRAGMAS = (
    "journal_mode=WAL",
    "synchronous=FULL",
    "foreign_keys=ON",
    "secure_delete=ON",
)
MIGRATION_PRAGMAS = ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=OFF")
READER_PRAGMAS = ("query_only=ON",)


class SqliteEngine:
    """A SQLite file that this process has for itself. It knows one writer at a time."""

    side_writers = None
    before_changes = None

    def __init__(self, path: Path, lock: StoreLock) -> None:
        self._path = path
        self._lock = lock
        # IMMEDIATE: a read that turns into a write halfway fails at once, without waiting.
        self.writer: AsyncEngine = _engine(path, 1, WRITER_PRAGMAS, begin="BEGIN IMMEDIATE")
        self.readers: AsyncEngine = _engine(path, READERS, READER_PRAGMAS, begin="BEGIN")

    @classmethod
    async def open(cls, path: Path) -> "SqliteEngine":
        """Take the file for this process, creating it readable by its owner only."""
        # One file has one lock, under whichever name it is opened.
        path = Path(await to_thread.run_sync(os.path.realpath, path))
        lock = StoreLock(path.with_name(path.name + ".lock"))
        try:
            with our_failures():
                await finish_shielded(to_thread.run_sync(_take, path, lock))
        except BaseException:
            # The thread may have taken it although this task was cancelled meanwhile.
            lock.release()
            raise
        return cls(path, lock)

    def shared_locks(self, signal: CommitSignal, waiting: ServerWait) -> SharedLocks:
        """None: there are no other processes."""
        return NoOtherProcess()

    async def take_turn(self, connection: AsyncConnection) -> None:
        """Nothing to do: BEGIN IMMEDIATE has the only write lock."""

    async def enter_write(
        self, connection: AsyncConnection, names: Sequence[str] = ()
    ) -> CommitMark | None:
        """Nothing to do, and no mark: no server can go away."""
        return None

    async def was_committed(self, connection: AsyncConnection, mark: CommitMark) -> bool:
        """Never asked: no transaction has a mark."""
        raise AssertionError("SQLite has no server that could go away")

    async def announce(self, connection: AsyncConnection, news: CommitNews) -> None:
        """Nothing to do: there are no other processes."""

    async def follow(self, signal: CommitSignal) -> None:
        """Nothing to do: there are no other processes."""

    async def claim_worker(self, connection: AsyncConnection, signal: CommitSignal) -> int:
        """The number after the last one that has left a trace."""
        traces = (select(func.max(table.c.worker)) for table in (runs, open_streams, leases))
        return max([int(await connection.scalar(last) or 0) for last in traces]) + 1

    async def living_workers(self, connection: AsyncConnection) -> frozenset[int]:
        """There are no other processes."""
        return frozenset()

    async def user_tables(self, connection: AsyncConnection) -> frozenset[str]:
        """The tables in the file."""
        names = await connection.scalars(
            text("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
        )
        return frozenset(names)

    @asynccontextmanager
    async def migration(self) -> AsyncGenerator[AsyncConnection]:
        """A transaction for changing tables.

        SQLite changes many tables by building them anew. With foreign keys in force, dropping the
        old one would delete everything that refers to it, so they are checked at the end instead.
        """
        engine = _engine(self._path, 1, MIGRATION_PRAGMAS, begin="BEGIN IMMEDIATE")
        try:
            async with engine.begin() as connection:
                yield connection
                if (await connection.execute(text("PRAGMA foreign_key_check"))).first():
                    raise DatabaseDamaged(
                        "Updating the records would have left some without their owner, "
                        "so nothing was updated.",
                        "Use the Recto that you used before, and report this.",
                    )
        finally:
            await engine.dispose()

    async def back_up(self, before: str) -> None:
        """Copy the file to `<file>.before-<revision>` and check the copy."""
        with our_failures():
            await to_thread.run_sync(_copy, self._path, f"{self._path}.before-{before}")

    async def forget_deleted_bytes(self) -> bool:
        """Empty the write-ahead log: in the file itself, what is deleted is overwritten at once.

        False while a reader stands in it, which is not waited for: nobody could write meanwhile.
        """
        with our_failures():
            return await to_thread.run_sync(_empty_log, self._path)

    async def close(self) -> None:
        """Close the connections, then let others have the file."""
        await self.readers.dispose()
        await self.writer.dispose()
        await to_thread.run_sync(self._lock.release)


def until_let_in(act: Callable[[], object]) -> None:
    """Act, again if need be: a connection that is just closing may keep others out at once.

    SQLite waits for other locks by itself, but not for that cleaning up.
    """
    for _ in range(CLOSING_TRIES):
        try:
            act()
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY:
                raise
            # We are in SQLAlchemy's greenlet, where a plain await is not possible.
            await_only(asyncio.sleep(CLOSING_S))
        else:
            return
    act()


def _engine(path: Path, size: int, pragmas: tuple[str, ...], *, begin: Begin) -> AsyncEngine:
    async def connect() -> TripConnection:
        # Python's driver starts transactions by itself, too late for DDL: here it is told not to.
        return await TripConnection.to(partial(sqlite3.connect, path, isolation_level=None))

    engine = create_async_engine(
        URL.create("sqlite+aiosqlite", database=os.fspath(path)),
        async_creator=connect,
        pool_size=size,
        max_overflow=0,
        json_serializer=dump_json,
        hide_parameters=True,
    )

    def on_connect(connection: DBAPIConnection, _: ConnectionPoolEntry) -> None:
        cursor = connection.cursor()
        for pragma in (f"busy_timeout={BUSY_TIMEOUT_MS}", *pragmas):
            until_let_in(partial(cursor.execute, f"PRAGMA {pragma}"))
            answer = cursor.fetchone()
            # SQLite does not fail here, it just stays in the old mode, such as on network disks.
            if pragma == "journal_mode=WAL" and answer != ("wal",):
                raise CannotOpen(
                    "The disk of the records does not support SQLite's write-ahead log.",
                    "Put them on a local disk, or use PostgreSQL.",
                )
        cursor.close()

    def on_begin(connection: Connection) -> None:
        driver = connection.connection.driver_connection
        assert isinstance(driver, TripConnection)
        driver.begin(begin)

    event.listen(engine.sync_engine, "connect", on_connect)
    event.listen(engine.sync_engine, "begin", on_begin)
    return engine


def _take(path: Path, lock: StoreLock) -> None:
    if not path.parent.is_dir():
        raise CannotOpen(
            f"There is no folder {path.parent} for the records.", "Create it and start again."
        )
    lock.take()
    # Ours alone before SQLite opens it: its log files take over the mode.
    fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        if os.fstat(fd).st_mode & 0o077:
            os.fchmod(fd, 0o600)
    finally:
        os.close(fd)
    _flush(path.parent)


def _copy(path: Path, target: str) -> None:
    """Copy into a new file, check it, and only then give it its name."""
    partial = Path(f"{target}.partial")
    partial.unlink(missing_ok=True)
    os.close(os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
    # One consistent state, with what is still in the write-ahead log.
    _sql(path, "VACUUM INTO ?", os.fspath(partial))
    if _sql(partial, "PRAGMA integrity_check") != [("ok",)]:
        raise DatabaseDamaged(
            "The copy made before updating the records is not sound, so nothing was updated.",
            f"Check the disk and run SQLite's integrity check on {path}.",
        )
    _flush(partial)
    # Only a copy that was checked and flushed gets the name that people will trust.
    os.replace(partial, target)
    _flush(path.parent)


def _sql(path: Path, statement: str, *values: str) -> list[tuple[Any, ...]]:
    connection = sqlite3.connect(path, isolation_level=None)
    try:
        return connection.execute(statement, values).fetchall()
    finally:
        connection.close()


def _empty_log(path: Path) -> bool:
    connection = sqlite3.connect(path, isolation_level=None, timeout=LOG_WAIT_S)
    try:
        is_busy, _, _ = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    finally:
        connection.close()
    return not is_busy


def _flush(path: Path) -> None:
    fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)
