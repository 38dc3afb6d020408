"""A SQLite connection whose statements are each one trip to its thread, rows included.

The driver makes a trip for the cursor, one for the statement, one for its rows and one for the
cursor's end, and every trip waits for two threads to be woken. Here a transaction begins with its
first statement, and one that only read ends without anybody waiting for it.
"""

# The inner parts of the driver have no types.
# pyright: reportUnknownMemberType=false

import sqlite3
from collections.abc import Callable, Sequence
from typing import Any, Literal, TypeVar, cast

import aiosqlite

Begin = Literal["BEGIN", "BEGIN IMMEDIATE"]
Value = TypeVar("Value")
Description = tuple[tuple[str, None, None, None, None, None, None], ...]


class TripConnection(aiosqlite.Connection):
    """A connection, its thread, and a transaction that has not begun yet."""

    def __init__(self, connector: Callable[[], sqlite3.Connection]) -> None:
        super().__init__(connector, iter_chunk_size=1)
        # A program that ends does not wait for it.
        self._thread.daemon = True
        self._begin: Begin | None = None
        self._only_reads = False

    @classmethod
    async def to(cls, connector: Callable[[], sqlite3.Connection]) -> "TripConnection":
        """A connection that is open."""
        connection = cls(connector)
        await connection
        return connection

    def begin(self, how: Begin) -> None:
        """Begin a transaction together with its first statement."""
        self._begin = how
        self._only_reads = how == "BEGIN"

    def cursor(self) -> "TripCursor":  # pyright: ignore[reportIncompatibleMethodOverride]
        """A place for one statement and its rows; making it costs nothing."""
        return TripCursor(self)

    async def commit(self) -> None:
        """Commit, if anything has begun."""
        self._begin = None
        if self.in_transaction:
            await super().commit()

    async def rollback(self) -> None:
        """Undo. Nobody waits for the end of a read: should it fail, the next can't begin."""
        self._begin = None
        if not self.in_transaction:
            return
        if self._only_reads:
            # The thread works in order: the next statement comes after this, without our waiting.
            self._tx.put_nowait((None, self._conn.rollback))
        else:
            await super().rollback()

    async def trip(self, work: Callable[[sqlite3.Cursor], Value]) -> Value:
        """Do something with a cursor in the connection's thread."""
        # The first statement takes it along, in the same trip.
        begin, self._begin = self._begin, None
        done: object = await self._execute(self._work, begin, work)
        return cast("Value", done)

    def _work(self, begin: Begin | None, work: Callable[[sqlite3.Cursor], Value]) -> Value:
        cursor = self._conn.cursor()
        try:
            if begin is not None:
                cursor.execute(begin)
            return work(cursor)
        finally:
            cursor.close()


class TripCursor:
    """What SQLAlchemy needs of a cursor: a statement at a time, and then its rows."""

    arraysize = 1

    def __init__(self, connection: TripConnection) -> None:
        self._connection = connection
        self._rows: list[Any] = []
        self.description: Description | None = None
        self.rowcount = -1
        self.lastrowid: int | None = None

    async def __aenter__(self) -> "TripCursor":
        return self

    async def execute(self, statement: str, values: Sequence[Any] = ()) -> None:
        """Run one statement and take in its rows."""
        await self._connection.trip(lambda cursor: self._take(cursor.execute(statement, values)))

    async def executemany(self, statement: str, values: Sequence[Sequence[Any]]) -> None:
        """Run one statement for many rows."""
        await self._connection.trip(
            lambda cursor: self._take(cursor.executemany(statement, values))
        )

    async def fetchall(self) -> list[Any]:
        """The rows, which are here already."""
        rows, self._rows = self._rows, []
        return rows

    async def close(self) -> None:
        """Nothing is left open."""

    def _take(self, cursor: sqlite3.Cursor) -> None:
        self.description = cursor.description
        self._rows = cursor.fetchall() if cursor.description is not None else []
        self.rowcount, self.lastrowid = cursor.rowcount, cursor.lastrowid
