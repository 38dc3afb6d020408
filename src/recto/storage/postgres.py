"""PostgreSQL: many processes, whose writes take turns and whose commits wake each other."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from functools import partial
from typing import Protocol, cast

import anyio
import asyncpg  # pyright: ignore[reportMissingTypeStubs] - it has none; Driver says what we use
from sqlalchemy import select, text
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine

from recto.storage.engine import dump_json
from recto.storage.foreign import bad_address, our_failures
from recto.storage.signal import CommitSignal, News
from recto.storage.tables import worker_numbers

READERS = 8
CONNECT_TIMEOUT_S = 10
CLOSE_TIMEOUT_S = 2
# "recto" in ASCII: the lock that gives writers their turn.
WRITE_LOCK = 0x726563746F
CHANGES = "recto_changes"
EVENTS = "recto_events"
WISHES = "recto_wishes"
# "rect" in ASCII: the locks that processes hold while they live, each with its own number.
WORKERS = 0x72656374
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

    def __init__(self, url: str) -> None:
        self._url = url
        self._follower: Driver | None = None
        self._worker: int | None = None
        self._following = asyncio.Lock()
        self.writer: AsyncEngine = self._engine(1)
        self.readers: AsyncEngine = self._engine(READERS, default_transaction_read_only="on")

    async def enter_write(self, connection: AsyncConnection) -> None:
        """Wait for our turn: then the order of changes is the order of commits, everywhere."""
        await connection.execute(text(f"SELECT pg_advisory_xact_lock({WRITE_LOCK})"))

    async def announce(self, connection: AsyncConnection, news: News) -> None:
        """Notify with the commit, so that a change that is undone is never heard of."""
        if news.last_change:
            await self._notify(connection, CHANGES, str(news.last_change))
        for chat_id, seq in news.events.items():
            await self._notify(connection, EVENTS, f"{seq} {chat_id}")
        for words in news.wishes:
            await self._notify(connection, WISHES, words)

    async def _notify(self, connection: AsyncConnection, channel: str, words: str) -> None:
        notify = text(f"SELECT pg_notify('{channel}', :words)")
        await connection.execute(notify, {"words": words})

    async def follow(self, signal: CommitSignal) -> None:
        """Listen; when the connection was lost, connect again and catch up."""
        async with self._following:
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

        def on_wish(_: object, pid: int, channel: str, payload: str) -> None:
            signal.wished(payload)

        def on_lost(_: object) -> None:
            signal.wake()

        follower.add_termination_listener(on_lost)
        await follower.add_listener(CHANGES, on_change)
        await follower.add_listener(EVENTS, on_events)
        await follower.add_listener(WISHES, on_wish)
        if self._worker is not None:
            await self._hold(follower, self._worker)
        latest = await follower.fetchval("SELECT max(seq) FROM changes")
        signal.reached(latest or 0)
        signal.happened(None)

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
        """Those whose locks are held."""
        found = await connection.scalars(
            text(
                "SELECT objid FROM pg_locks WHERE locktype = 'advisory' AND granted"
                f" AND objsubid = 2 AND classid = {WORKERS} AND database ="
                " (SELECT oid FROM pg_database WHERE datname = current_database())"
            )
        )
        return frozenset(int(number) for number in found)

    async def _hold(self, follower: Driver, number: int) -> None:
        # Shared: the server may not have noticed yet that our last connection is gone.
        await follower.execute(f"SELECT pg_advisory_lock_shared({WORKERS}, {number})")

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

    async def close(self) -> None:
        """Close every connection."""
        async with self._following:
            await self._stop_following()
        await self.readers.dispose()
        await self.writer.dispose()

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

    def _engine(self, size: int, **settings: str) -> AsyncEngine:
        return create_async_engine(
            "postgresql+asyncpg://",
            async_creator=partial(self._connect, **settings),
            pool_size=size,
            max_overflow=0,
            pool_pre_ping=True,
            json_serializer=dump_json,
        )
