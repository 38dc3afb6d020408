"""Reading and writing in transactions: writers one after the other, readers beside them.

On PostgreSQL, writers that say what they change only wait for those that change the same.

A statement that fails ends its write: nothing of it is kept, on either engine, even when the
failure is caught on the way. A server that goes away is waited for: what was read is read again,
and what was written is written again, if everything that the transaction has seen is still so.
"""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager, nullcontext
from dataclasses import dataclass, field
from functools import cache, partial
from typing import Any, TypeVar

from sqlalchemy import CursorResult, Executable, FrozenResult, Insert, Result, Table, exc, insert
from sqlalchemy.ext.asyncio import AsyncConnection

from recto.clock import Clock
from recto.storage.driver_errors import RecordName, our_failures
from recto.storage.engine import Engine
from recto.storage.failures import ServerGone, StorageFailure
from recto.storage.prepared import run_prepared
from recto.storage.server_wait import ServerWait
from recto.storage.shielded import CommitMark, OpenTransaction, connect, discard, finish_shielded
from recto.storage.signal import CommitNews, CommitSignal

MOST_REPEATS = 10
"""A transaction that loses its server this often may be what ends it."""
T = TypeVar("T")


@cache
def inserting(table: Table) -> Insert:
    """The statement that adds rows, built once: building it takes longer than running it."""
    return insert(table)


@dataclass(slots=True)
class ReadTransaction:
    """The records as they are at one moment."""

    connection: AsyncConnection
    _again: Callable[[], Awaitable[OpenTransaction]]
    """Another connection, once the server answers; in a write, its next transaction."""
    _repeats: int = field(default=0, init=False)

    async def execute(
        self, statement: Executable, values: Mapping[str, Any] | None = None
    ) -> Result[Any]:
        """Run one statement, with the values of its parameters."""
        return await self.ask(lambda connection: executed(connection, statement, values))

    async def ask(self, work: Callable[[AsyncConnection], Awaitable[T]]) -> T:
        """Ask the database something; asked again when the server went away meanwhile."""
        while True:
            try:
                with our_failures():
                    # A statement that is cut off halfway spoils its connection.
                    return await finish_shielded(awaited(work(self.connection)))
            except ServerGone:
                await self.begin_again()

    async def begin_again(self) -> OpenTransaction:
        """Go on with another connection. Raises ServerGone when that was tried often enough."""
        self._repeats += 1
        if self._repeats > MOST_REPEATS:
            raise ServerGone
        await finish_shielded(discard(self.connection))
        begun = await self._again()
        self.connection = begun.connection
        return begun


@dataclass(frozen=True, slots=True)
class ExecutedStatement:
    """What a statement of a transaction was, and what it answered."""

    statement: Executable
    values: Mapping[str, Any] | Sequence[Mapping[str, Any]] | None
    answer: FrozenResult[Any] | None
    take: Callable[[Result[Any]], None] | None
    """What to do with an answer that may be another each time."""

    async def is_still_so(self, connection: AsyncConnection) -> bool:
        """Do it again; whether the answer is the same."""
        try:
            found = await connection.execute(self.statement, self.values)
        # What was free then is taken now: somebody committed in between.
        except exc.IntegrityError:
            return False
        if self.take is not None:
            self.take(found)
        # Drawn numbers may differ each time, and plain writes answer nothing to compare.
        if self.take is not None or self.answer is None:
            return True
        return [tuple(row) for row in found] == [tuple(row) for row in self.answer()]


@dataclass(slots=True)
class WriteTransaction(ReadTransaction):
    """A transaction in progress. Made by `Storage.write`, handed to every method that changes."""

    now_ms: int
    mark: CommitMark | None
    """By which is known whether it was committed; None where no server can go away."""
    _before_changes: Executable | None = None
    news: CommitNews = field(default_factory=CommitNews)
    _failed: StorageFailure | None = field(default=None, init=False)
    _done: list[ExecutedStatement] = field(default_factory=list[ExecutedStatement], init=False)

    async def execute(
        self, statement: Executable, values: Mapping[str, Any] | None = None
    ) -> Result[Any]:
        """Run one statement, with the values of its parameters."""
        return await self._do(statement, values)

    async def draw_change(
        self, statement: Executable, values: Mapping[str, Any], take: Callable[[int], None]
    ) -> None:
        """Add a row to the outbox; `take` gets its number, and another one if it is done again.

        Nothing else may depend on it before the commit. From here on this transaction has the
        outbox to itself: a later number is committed later.
        """
        before, self._before_changes = self._before_changes, None
        if before is not None:
            await self._do(before)
        await self._do(statement, values, take=lambda found: take(int(found.scalar_one())))

    async def insert(
        self,
        table: Table,
        values: Mapping[str, Any],
        *,
        named: RecordName,
        parent: RecordName | None = None,
    ) -> None:
        """Add one row.

        Raises:
            RecordExists: `named` is there already.
            RecordNotFound: `parent`, which the row belongs to, is not there.
        """
        await self._do(inserting(table), values, named=named, parent=parent)

    async def insert_all(self, table: Table, rows: Sequence[Mapping[str, Any]]) -> None:
        """Add many rows with one statement, which stays prepared."""
        await self._do(inserting(table), rows)

    async def execute_all(self, statement: Executable, rows: Sequence[Mapping[str, Any]]) -> None:
        """Run one statement with each of some rows."""
        await self._do(statement, rows)

    async def ask(self, work: Callable[[AsyncConnection], Awaitable[T]]) -> T:
        """Ask what is not part of the records, and may be otherwise when it is asked again."""
        with self._ending_on_failure():
            return await ReadTransaction.ask(self, work)

    async def begin_again(self) -> OpenTransaction:
        """Do all of it again in another transaction. Raises ServerGone if that comes out otherwise.

        Then something was committed in between: the transaction has seen what is no longer so.
        """
        while True:
            begun = await ReadTransaction.begin_again(self)
            # The new transaction has its own mark; asking for the old one would always say no.
            self.mark = begun.mark
            try:
                with our_failures():
                    is_same = await finish_shielded(self._repeat(begun.connection))
            except ServerGone:
                continue
            # The caller has acted on answers that no longer hold: only it can decide anew.
            if not is_same:
                raise ServerGone
            return begun

    def check(self) -> None:
        """Refuse to go on after a failed statement."""
        if self._failed is not None:
            raise self._failed

    async def _do(
        self,
        statement: Executable,
        values: Mapping[str, Any] | Sequence[Mapping[str, Any]] | None = None,
        *,
        named: RecordName | None = None,
        parent: RecordName | None = None,
        take: Callable[[Result[Any]], None] | None = None,
    ) -> Result[Any]:
        with self._ending_on_failure():
            while True:
                try:
                    with our_failures(named=named, parent=parent):
                        found = await finish_shielded(executed(self.connection, statement, values))
                except ServerGone:
                    await self.begin_again()
                    continue
                break
        if take is not None:
            take(found)
        # SQLite has no server to lose: nothing needs to be remembered for a repeat.
        if self.mark is None:
            return found
        # Frozen: a result can be read once, and the caller and a repeat both need it.
        returns_rows = isinstance(found, CursorResult) and found.returns_rows
        answer = found.freeze() if take is None and returns_rows else None
        self._done.append(ExecutedStatement(statement, values, answer, take))
        return found if answer is None else answer()

    async def _repeat(self, connection: AsyncConnection) -> bool:
        for done in self._done:
            if not await done.is_still_so(connection):
                return False
        return True

    @contextmanager
    def _ending_on_failure(self) -> Generator[None]:
        self.check()
        try:
            yield
        except StorageFailure as failure:
            # PostgreSQL refuses all that follows a failure; so do we on SQLite.
            self._failed = failure
            raise


async def executed(
    connection: AsyncConnection,
    statement: Executable,
    values: Mapping[str, Any] | Sequence[Mapping[str, Any]] | None,
) -> Result[Any]:
    """Run a statement: one that is built once is given its values each time."""
    if values and connection.dialect.name == "sqlite":
        found = await run_prepared(connection, statement, values)
        if found is not None:
            return found
    return await connection.execute(statement, values)


async def awaited(work: Awaitable[T]) -> T:
    """Some work as a coroutine."""
    return await work


class Transactions:
    """Hands out views and writes."""

    def __init__(
        self, engine: Engine, clock: Clock, signal: CommitSignal, waiting: ServerWait
    ) -> None:
        self._engine = engine
        self._clock = clock
        self._signal = signal
        self._waiting = waiting
        self._turn = asyncio.Lock()
        self._writing: set[asyncio.Task[Any] | None] = set()
        self._none_writes = asyncio.Event()
        self._none_writes.set()
        self._is_closed = False

    async def close(self) -> bool:
        """Let the write in progress end, and allow no more; False when that was so already.

        The engine would not refuse: it would open the file again, without its lock.
        """
        async with self._turn:
            was_open, self._is_closed = not self._is_closed, True
            await self._none_writes.wait()
            return was_open

    @asynccontextmanager
    async def write(self, names: Sequence[str] = ()) -> AsyncGenerator[WriteTransaction]:
        """A transaction: committed when the block ends, undone when it raises or is cancelled."""
        task = asyncio.current_task()
        # It would wait for its own turn for ever.
        if task in self._writing:
            raise RuntimeError("This task is already writing: pass its Write on.")
        is_beside = bool(names) and self._engine.side_writers is not None
        if is_beside:
            # Behind our own that may change anything: here the wait is not bounded as it is at the
            # database's server, where those of other processes are waited for.
            async with self._turn:
                pass
        async with nullcontext() if is_beside else self._turn:
            self._check_open()
            self._writing.add(task)
            self._none_writes.clear()
            try:
                async with self._writing_in(names if is_beside else ()) as write:
                    yield write
            finally:
                self._writing.discard(task)
                if not self._writing:
                    self._none_writes.set()

    @asynccontextmanager
    async def _writing_in(self, names: Sequence[str]) -> AsyncGenerator[WriteTransaction]:
        begin = partial(self._begin_writing, names)
        begun = await begin()
        write = WriteTransaction(
            begun.connection,
            begin,
            self._clock.now_ms(),
            begun.mark,
            self._engine.before_changes if names else None,
        )
        try:
            yield write
            # A caller that swallowed a failure must not commit the rest.
            write.check()
        except BaseException:
            await finish_shielded(discard(write.connection))
            raise
        await finish_shielded(self._end(write))

    @asynccontextmanager
    async def read(self, within: WriteTransaction | None = None) -> AsyncGenerator[ReadTransaction]:
        """A view of what is committed, or of what `within` has written so far."""
        if within is not None:
            yield within
            return
        self._check_open()
        view = ReadTransaction((await self._begin_reading()).connection, self._begin_reading)
        try:
            yield view
        finally:
            await finish_shielded(discard(view.connection))

    def _check_open(self) -> None:
        if self._is_closed:
            raise RuntimeError("The store is closed.")

    async def _begin_writing(self, names: Sequence[str]) -> OpenTransaction:
        """A connection in a transaction that has its turn, once the server answers."""
        side = self._engine.side_writers if names else None

        async def enter(connection: AsyncConnection) -> CommitMark | None:
            await connection.begin()
            return await self._engine.enter_write(connection, names)

        async def attempt() -> OpenTransaction:
            with our_failures():
                return await connect(side or self._engine.writer, enter)

        return await self._waiting.until_answered(attempt)

    async def _begin_reading(self) -> OpenTransaction:
        async def attempt() -> OpenTransaction:
            with our_failures():
                return await connect(self._engine.readers)

        return await self._waiting.until_answered(attempt)

    async def _end(self, write: WriteTransaction) -> None:
        try:
            while not await self._commit(write):
                await write.begin_again()
        finally:
            await discard(write.connection)
        # After the commit: whoever is woken must find the rows.
        self._signal.reached(write.news.last_change)

    async def _commit(self, write: WriteTransaction) -> bool:
        """Whether the transaction is committed; if not, its server went away before."""
        try:
            with our_failures():
                # In the transaction: PostgreSQL sends notifications with the commit, or never.
                await self._engine.announce(write.connection, write.news)
                await write.connection.commit()
        except ServerGone:
            if write.mark is None:
                raise
            await discard(write.connection)
            # The connection broke during COMMIT: only the server knows on which side of it.
            return await self._was_committed(write.mark)
        return True

    async def _was_committed(self, mark: CommitMark) -> bool:
        """Ask the server what became of a transaction whose end we did not hear of."""

        async def attempt() -> bool:
            with our_failures():
                begun = await connect(self._engine.writer)
                try:
                    return await finish_shielded(self._engine.was_committed(begun.connection, mark))
                finally:
                    await finish_shielded(discard(begun.connection))

        return await self._waiting.until_answered(attempt)
