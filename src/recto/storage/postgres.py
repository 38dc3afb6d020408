"""PostgreSQL: many processes, whose commits wake each other.

A write that says what it changes (a chat, a document, a month's money) takes turns with those that
change the same, and goes on beside all others; one that doesn't has the records to itself.
"""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from functools import partial
from typing import Protocol, cast

import anyio
import asyncpg  # pyright: ignore[reportMissingTypeStubs] - it has none; Driver says what we use
from sqlalchemy import delete, select, text
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine

from recto.storage.driver_errors import bad_address, our_failures
from recto.storage.engine import dump_json
from recto.storage.failures import ServerGone, Unavailable
from recto.storage.server_wait import ServerWait
from recto.storage.shared_locks import ServerLocks, SharedLocks, number_of
from recto.storage.shielded import CommitMark
from recto.storage.signal import CommitNews, CommitSignal
from recto.storage.tables import commit_marks, worker_numbers, workers

READERS = 8
SIDE_WRITERS = 8
LOCKERS = 8
CONNECT_TIMEOUT_S = 10
CLOSE_TIMEOUT_S = 2
RETURN_S = 15.0
"""How long after a start of the server its processes may take to come back: longer than one try."""
# "recto" in ASCII: the lock that gives writers their turn. Those of named things share it.
WRITE_LOCK = 0x726563746F
# "recw" in ASCII: the locks of named things. "recto" and one: that of the outbox.
NAMED = 0x72656377
CHANGES_LOCK = WRITE_LOCK + 1
# Waits for the locks, then leaves the mark: one trip. Each connection has a row for its marks. It
# goes by our own number: a server that was started again gives the ids of its processes out anew.
MARK = (
    "INSERT INTO commit_marks (process, mark)"
    " SELECT CAST(:place AS text), CAST(:mark AS bigint) FROM %s"
    " ON CONFLICT (process) DO UPDATE SET mark = excluded.mark RETURNING process"
)
PLACE = "recto_place"
"""What a connection knows its row by."""
ENTER = text(MARK % f"pg_advisory_xact_lock({WRITE_LOCK})")
# The shared lock stands in FROM, so that it is there before any of the others is waited for.
ENTER_NAMED = text(
    MARK
    % (
        f"(SELECT count(pg_advisory_xact_lock({NAMED}, n) IS NULL) AS locked"
        f" FROM pg_advisory_xact_lock_shared({WRITE_LOCK}), unnest(CAST(:numbers AS integer[])) n)"
        " AS locks WHERE locked > 0"
    )
)
CHANGES = "recto_changes"
EVENTS = "recto_events"
DOCUMENTS = "recto_documents"
# "rect" in ASCII: the locks that processes hold while they live, each with its own number.
WORKERS = 0x72656374
SERVER_START = "CAST(extract(epoch FROM pg_postmaster_start_time()) AS text)"
NOTE_WORKER = (
    f"INSERT INTO workers (number, server_start) VALUES (%d, {SERVER_START})"
    " ON CONFLICT (number) DO UPDATE SET server_start = excluded.server_start"
)
# Bounded waits: a stuck process must not hold the one write lock for ever.
SESSION = {
    "application_name": "recto",
    "lock_timeout": "10s",
    "idle_in_transaction_session_timeout": "60s",
    "synchronous_commit": "on",
}
connect = cast(
    "Callable[..., Awaitable[Driver]]",
    asyncpg.connect,  # pyright: ignore[reportUnknownMemberType] - untyped
)
DRIVER_ERRORS = (asyncpg.PostgresError, asyncpg.InterfaceError, asyncpg.InternalClientError)


class Driver(Protocol):
    """What we use of the driver's own connection."""

    def is_closed(self) -> bool:
        """Whether it is of no more use."""
        ...

    def add_termination_listener(self, callback: Callable[[object], None]) -> None:
        """Call back when the connection ends."""
        ...

    async def add_listener(
        self, channel: str, callback: Callable[[object, int, str, str], None]
    ) -> None:
        """Call back with every notification."""
        ...

    async def fetchval(self, query: str) -> int | None:
        """The first value of the first row."""
        ...

    async def execute(self, query: str) -> str:
        """Do it."""
        ...

    async def close(self) -> None:
        """Say goodbye."""
        ...

    def terminate(self) -> None:
        """Go without goodbye."""
        ...


class PostgresEngine:
    """A PostgreSQL database."""

    # Held to the commit: the order of changes is the order of commits. No other lock follows it.
    before_changes = text(f"SELECT pg_advisory_xact_lock({CHANGES_LOCK})")

    def __init__(self, url: str) -> None:
        self._url = url
        self._follower: Driver | None = None
        self._worker: int | None = None
        self._process: str | None = None
        self._mark = self._places = 0
        self._following = asyncio.Lock()
        # One connection: writers of this process queue here, not as waiting sessions of the server.
        self.writer: AsyncEngine = self._engine(1)
        self.side_writers: AsyncEngine | None = self._engine(SIDE_WRITERS)
        self.readers: AsyncEngine = self._engine(READERS, default_transaction_read_only="on")
        # A file may take longer to be written than anybody may hold a transaction open otherwise.
        self._lockers = self._engine(LOCKERS, idle_in_transaction_session_timeout="0")
        self._shared_locks: ServerLocks | None = None

    def shared_locks(self, signal: CommitSignal, waiting: ServerWait) -> SharedLocks:
        """Locks that the server takes back when this process dies."""
        session = partial(self._following_session, signal)
        self._shared_locks = ServerLocks(self._lockers, session, waiting)
        return self._shared_locks

    async def take_turn(self, connection: AsyncConnection) -> None:
        """Wait until nobody writes anything, and let nobody begin to."""
        await connection.execute(text(f"SELECT pg_advisory_xact_lock({WRITE_LOCK})"))

    async def enter_write(
        self, connection: AsyncConnection, names: Sequence[str] = ()
    ) -> CommitMark | None:
        """Wait for our turn and leave a mark."""
        # A new number for each transaction: an old mark never answers for a newer one.
        self._mark += 1
        number = self._mark
        values: dict[str, object] = {"place": await self._place(connection), "mark": number}
        # In one order for all: two writes never wait for each other crosswise.
        numbers = sorted({number_of(name) for name in names})
        entering = ENTER_NAMED.bindparams(numbers=numbers) if numbers else ENTER
        place = await connection.scalar(entering, values)
        return CommitMark(str(place), number)

    async def _place(self, connection: AsyncConnection) -> str:
        """The row for the marks of a connection, for as long as it lives."""
        if self._process is None:
            drawn = str(await connection.scalar(text("SELECT gen_random_uuid()")))
            # Another connection may have drawn one meanwhile: all of a process have the same.
            self._process = self._process or drawn
        # Of the driver's connection: it goes with it, and a new one in its place has none.
        place: str | None = connection.info.get(PLACE)
        if place is None:
            self._places += 1
            place = connection.info[PLACE] = f"{self._process}/{self._places}"
        return place

    async def was_committed(self, connection: AsyncConnection, mark: CommitMark) -> bool:
        """Look for its mark. It has ended when it is our turn: until then it has the lock."""
        await self.take_turn(connection)
        found = select(commit_marks.c.mark).where(commit_marks.c.process == mark.place)
        return await connection.scalar(found) == mark.number

    async def announce(self, connection: AsyncConnection, news: CommitNews) -> None:
        """Notify with the commit, so that a change that is undone is never heard of."""
        if news.last_change:
            # Numbers and names only: a payload has less than 8,000 bytes.
            await self._notify(connection, CHANGES, str(news.last_change))
        for chat_id, seq in news.events.items():
            await self._notify(connection, EVENTS, f"{seq} {chat_id}")
        for document_id, seq in news.documents.items():
            await self._notify(connection, DOCUMENTS, f"{seq} {document_id}")

    async def _notify(self, connection: AsyncConnection, channel: str, words: str) -> None:
        notify = text(f"SELECT pg_notify('{channel}', :words)")
        await connection.execute(notify, {"words": words})

    async def follow(self, signal: CommitSignal) -> None:
        """Listen; when the connection was lost, connect again and catch up."""
        async with self._following:
            # Before connecting: after `close` nobody would end that connection.
            signal.check()
            if self._follower is not None and not self._follower.is_closed():
                return
            with our_failures(driver=DRIVER_ERRORS):
                follower = await self._connect()
                try:
                    await self._listen(follower, signal)
                except BaseException:
                    follower.terminate()
                    raise
                self._follower = follower

    async def _listen(self, follower: Driver, signal: CommitSignal) -> None:
        def on_change(_: object, pid: int, channel: str, payload: str) -> None:
            signal.reached(int(payload))

        def on_events(_: object, pid: int, channel: str, payload: str) -> None:
            seq, _, chat_id = payload.partition(" ")
            signal.happened(chat_id, int(seq))

        def on_document(_: object, pid: int, channel: str, payload: str) -> None:
            seq, _, document_id = payload.partition(" ")
            signal.written(document_id, int(seq))

        def on_lost(_: object) -> None:
            # Whoever waits must look again, and by that connect again.
            signal.wake()

        follower.add_termination_listener(on_lost)
        await follower.add_listener(CHANGES, on_change)
        await follower.add_listener(EVENTS, on_events)
        await follower.add_listener(DOCUMENTS, on_document)
        # The old connection took our locks along: hold them again before we pass for dead.
        if self._worker is not None:
            await self._hold(follower, self._worker)
        if self._shared_locks is not None:
            await self._shared_locks.hold_again(follower)
        # After listening began: what was committed before is found here, the rest is heard.
        latest = await follower.fetchval("SELECT max(seq) FROM changes")
        signal.reached(latest or 0)
        # Notifications that were sent while we were away are lost: any chat may have news.
        signal.happened(None)
        signal.written(None)

    @asynccontextmanager
    async def _following_session(self, signal: CommitSignal) -> AsyncGenerator[Driver]:
        """The connection that lives as long as this process, for one statement."""
        await self.follow(signal)
        with our_failures(driver=DRIVER_ERRORS):
            async with self._following:
                assert self._follower is not None
                yield self._follower

    async def claim_worker(self, connection: AsyncConnection, signal: CommitSignal) -> int:
        """The next number, with a lock that the server takes back when this process dies."""
        await self.follow(signal)
        number = int(await connection.scalar(select(worker_numbers.next_value())) or 0)
        with our_failures(driver=DRIVER_ERRORS):
            async with self._following:
                assert self._follower is not None
                await self._hold(self._follower, number)
        self._worker = number
        return number

    async def living_workers(self, connection: AsyncConnection) -> frozenset[int]:
        """Those whose locks are held, and those that a restart of the server took theirs from.

        The latter are given time to take them again. One that dies meanwhile is found dead then.
        """
        found = await connection.scalars(
            text(
                "SELECT CAST(objid AS bigint) FROM pg_locks WHERE locktype = 'advisory' AND granted"
                f" AND objsubid = 2 AND classid = {WORKERS} AND database ="
                " (SELECT oid FROM pg_database WHERE datname = current_database())"
                f" UNION SELECT number FROM workers WHERE server_start <> {SERVER_START}"
                " AND clock_timestamp() <"
                " pg_postmaster_start_time() + make_interval(secs => :seconds)"
            ),
            {"seconds": RETURN_S},
        )
        return frozenset(int(number) for number in found)

    async def _hold(self, follower: Driver, number: int) -> None:
        # Shared: the server may not have noticed yet that our last connection is gone.
        await follower.execute(f"SELECT pg_advisory_lock_shared({WORKERS}, {number})")
        await follower.execute(NOTE_WORKER % number)

    async def user_tables(self, connection: AsyncConnection) -> frozenset[str]:
        """The tables in the schema we would create ours in."""
        names = await connection.scalars(
            text("SELECT tablename FROM pg_tables WHERE schemaname = current_schema()")
        )
        return frozenset(names)

    def migration(self) -> AbstractAsyncContextManager[AsyncConnection]:
        """A transaction for changing tables."""
        return self.writer.begin()

    async def back_up(self, before: str) -> None:
        """Nothing to do: a server has its own backups, and the migration is one transaction."""

    async def forget_deleted_bytes(self) -> bool:
        """Nothing to do: the server cleans its tables up by itself."""
        return True

    async def close(self) -> None:
        """Close every connection."""
        await self._forget_process()
        async with self._following:
            await self._stop_following()
        await self.readers.dispose()
        await self._lockers.dispose()
        if self.side_writers is not None:
            await self.side_writers.dispose()
        await self.writer.dispose()

    async def _forget_process(self) -> None:
        if self._process is None:
            return
        mark = delete(commit_marks).where(commit_marks.c.process.startswith(self._process))
        worker = delete(workers).where(workers.c.number == self._worker)
        try:
            with our_failures():
                async with self.writer.begin() as connection:
                    await connection.execute(mark)
                    await connection.execute(worker)
        except Unavailable:
            return  # the server is gone: two small rows stay behind

    async def _stop_following(self) -> None:
        if self._follower is not None:
            with anyio.move_on_after(CLOSE_TIMEOUT_S):
                await self._follower.close()

    async def _connect(self, **settings: str) -> Driver:
        # The driver reads the address itself, with everything that libpq allows in it.
        try:
            return await connect(
                self._url, timeout=CONNECT_TIMEOUT_S, server_settings=SESSION | settings
            )
        except ValueError as error:
            raise bad_address() from error
        # A socket that we may not open is not a server that will come back.
        except PermissionError:
            raise
        except OSError as error:
            raise ServerGone from error

    def _engine(self, size: int, **settings: str) -> AsyncEngine:
        return create_async_engine(
            "postgresql+asyncpg://",
            async_creator=partial(self._connect, **settings),
            pool_size=size,
            max_overflow=0,
            # A connection that died in the pool is replaced before a statement fails on it.
            pool_pre_ping=True,
            json_serializer=dump_json,
            # People's words must not get into an error's text, and so into the log.
            hide_parameters=True,
        )
