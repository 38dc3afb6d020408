"""Reading and writing in transactions: writers one after the other, readers beside them.

A statement that fails ends its write: nothing of it is kept, on either engine, even when the
failure is caught on the way.
"""

import asyncio
from collections.abc import AsyncGenerator, Generator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from sqlalchemy import CursorResult, Executable, Insert, Table, insert
from sqlalchemy.ext.asyncio import AsyncConnection

from recto.clock import Clock
from recto.storage.endings import connect, to_the_end
from recto.storage.engine import Engine
from recto.storage.failures import StorageFailure
from recto.storage.foreign import Named, our_failures
from recto.storage.signal import CommitSignal, News


@cache
def inserting(table: Table) -> Insert:
    """The statement that adds rows, built once: building it takes longer than running it."""
    return insert(table)


@dataclass(slots=True)
class View:
    """The records as they are at one moment."""

    connection: AsyncConnection

    async def execute(self, statement: Executable) -> CursorResult[Any]:
        """Run one statement."""
        with our_failures():
            return await to_the_end(self.connection.execute(statement))


@dataclass(slots=True)
class Write(View):
    """A transaction in progress. Made by `Storage.write`, handed to every method that changes."""

    now_ms: int
    news: News = field(default_factory=News)
    _failed: StorageFailure | None = field(default=None, init=False)

    async def execute(self, statement: Executable) -> CursorResult[Any]:
        """Run one statement."""
        with self._ending_on_failure(), our_failures():
            return await to_the_end(self.connection.execute(statement))

    async def insert(
        self,
        table: Table,
        values: Mapping[str, Any],
        *,
        named: Named,
        parent: Named | None = None,
    ) -> None:
        """Add one row.

        Raises:
            AlreadyExists: `named` is there already.
            NotFound: `parent`, which the row belongs to, is not there.
        """
        with self._ending_on_failure(), our_failures(named=named, parent=parent):
            await to_the_end(self.connection.execute(inserting(table), values))

    async def insert_all(self, table: Table, rows: Sequence[Mapping[str, Any]]) -> None:
        """Add many rows with one statement, which stays prepared."""
        with self._ending_on_failure(), our_failures():
            await to_the_end(self.connection.execute(inserting(table), rows))

    def check(self) -> None:
        """Refuse to go on after a failed statement."""
        if self._failed is not None:
            raise self._failed

    @contextmanager
    def _ending_on_failure(self) -> Generator[None]:
        self.check()
        try:
            yield
        except StorageFailure as failure:
            self._failed = failure
            raise


class Transactions:
    """Hands out views and writes."""

    def __init__(self, engine: Engine, clock: Clock, signal: CommitSignal) -> None:
        self._engine = engine
        self._clock = clock
        self._signal = signal
        self._turn = asyncio.Lock()
        self._writing: asyncio.Task[Any] | None = None
        self._is_closed = False

    async def close(self) -> bool:
        """Let the write in progress end, and allow no more; False when that was so already.

        The engine would not refuse: it would open the file again, without its lock.
        """
        async with self._turn:
            was_open, self._is_closed = not self._is_closed, True
            return was_open

    @asynccontextmanager
    async def write(self) -> AsyncGenerator[Write]:
        """A transaction: committed when the block ends, undone when it raises or is cancelled."""
        if self._writing is not None and self._writing is asyncio.current_task():
            raise RuntimeError("This task is already writing: pass its Write on.")
        async with self._turn:
            self._check_open()
            self._writing = asyncio.current_task()
            try:
                with our_failures():
                    connection = await connect(self._engine.writer, self._begin)
                write = Write(connection, self._clock.now_ms())
                try:
                    yield write
                    write.check()
                except BaseException:
                    await to_the_end(connection.close())
                    raise
                await to_the_end(self._end(write))
            finally:
                self._writing = None

    @asynccontextmanager
    async def read(self, within: Write | None = None) -> AsyncGenerator[View]:
        """A view of what is committed, or of what `within` has written so far."""
        if within is not None:
            yield within
            return
        self._check_open()
        with our_failures():
            connection = await connect(self._engine.readers)
        try:
            yield View(connection)
        finally:
            await to_the_end(connection.close())

    def _check_open(self) -> None:
        if self._is_closed:
            raise RuntimeError("The store is closed.")

    async def _begin(self, connection: AsyncConnection) -> None:
        await connection.begin()
        await self._engine.enter_write(connection)

    async def _end(self, write: Write) -> None:
        try:
            with our_failures():
                await self._engine.announce(write.connection, write.news)
                await write.connection.commit()
        finally:
            await write.connection.close()
        self._signal.reached(write.news.last_change)
