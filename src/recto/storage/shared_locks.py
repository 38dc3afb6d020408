"""What processes have for themselves, or together. What one that died had is free at once."""

import hashlib
from collections import Counter
from collections.abc import AsyncGenerator, Callable, Coroutine
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from typing import Any, Protocol, TypeVar

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from recto.storage.driver_errors import our_failures
from recto.storage.failures import StorageFailure
from recto.storage.server_wait import ServerWait
from recto.storage.shielded import OpenTransaction, connect, discard, finish_shielded

# "recu" and "recv" in ASCII: the locks that one has alone, and those that many can have.
ALONE = 0x72656375
OPEN = 0x72656376
T = TypeVar("T")


class SharedLocks(Protocol):
    """Locks by name: for a file that is written, a chat in which no turn may begin, and so on."""

    @property
    def is_shared(self) -> bool:
        """Whether other processes can have these records open."""
        ...

    def lock(self, name: str) -> AbstractAsyncContextManager[None]:
        """Have something to oneself, among all processes. Raises Unavailable."""
        ...

    async def open(self, name: str) -> None:
        """Let other processes know that something is in use here; as often as it is closed."""
        ...

    async def close(self, name: str) -> None:
        """Let them know that it is not any more."""
        ...

    async def is_open_elsewhere(self, name: str) -> bool:
        """Whether another process that lives has it in use."""
        ...


class NoOtherProcess:
    """Where one process has the records for itself, there is nothing to agree on."""

    is_shared = False

    @asynccontextmanager
    async def lock(self, name: str) -> AsyncGenerator[None]:
        """Nobody else is there."""
        yield

    async def open(self, name: str) -> None:
        """Nobody needs to know."""

    async def close(self, name: str) -> None:
        """Nobody needs to know."""

    async def is_open_elsewhere(self, name: str) -> bool:
        """There is no elsewhere."""
        return False


class LockSession(Protocol):
    """A connection that is held for as long as the process lives."""

    async def fetchval(self, query: str) -> int | None:
        """The first value of the first row."""
        ...

    async def execute(self, query: str) -> str:
        """Do it."""
        ...


class ServerLocks:
    """Locks of a PostgreSQL server, which frees them when the connection of their owner ends."""

    is_shared = True

    def __init__(
        self,
        engine: AsyncEngine,
        session: Callable[[], AbstractAsyncContextManager[LockSession]],
        waiting: ServerWait,
    ) -> None:
        """`engine` is for locks that are held a moment, `session` for those that are held long."""
        self._engine = engine
        self._session = session
        self._waiting = waiting
        self._open: Counter[int] = Counter()

    @asynccontextmanager
    async def lock(self, name: str) -> AsyncGenerator[None]:
        """Wait until nobody has it, and take it."""
        # Of the transaction: it goes with the connection, whatever happens to this process.
        query = text(f"SELECT pg_advisory_xact_lock({ALONE}, {number_of(name)})")

        async def take(connection: AsyncConnection) -> None:
            await connection.begin()
            await connection.execute(query)

        async def attempt() -> OpenTransaction:
            with our_failures():
                return await connect(self._engine, take)

        begun = await self._waiting.until_answered(attempt)
        try:
            yield
        finally:
            await finish_shielded(discard(begun.connection))

    async def open(self, name: str) -> None:
        """Hold the lock together with whoever else has it open."""
        number = number_of(name)
        is_held = False

        async def hold(session: LockSession) -> None:
            nonlocal is_held
            await hold_shared(session, number)
            # Counted once it is held: a session that is lost before has nothing to hold again.
            self._open[number] += 1
            is_held = True

        try:
            await self._ask(hold)
        except BaseException:
            # Whoever asked was cancelled meanwhile, and closes only what it knows to be open.
            if is_held:
                await finish_shielded(self.close(name))
            raise

    async def close(self, name: str) -> None:
        """Let go of it."""
        number = number_of(name)
        self._open[number] -= 1
        query = f"SELECT pg_advisory_unlock_shared({OPEN}, {number})"
        with suppress(StorageFailure):  # the connection is gone, and the lock with it
            async with self._session() as session:
                await finish_shielded(session.execute(query))

    async def is_open_elsewhere(self, name: str) -> bool:
        """Whether somebody else holds the lock."""
        query = (
            "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND granted"
            f" AND objsubid = 2 AND classid = {OPEN} AND objid = {number_of(name)}"
            " AND pid <> pg_backend_pid() AND database ="
            " (SELECT oid FROM pg_database WHERE datname = current_database())"
        )
        return bool(await self._ask(lambda session: session.fetchval(query)))

    async def hold_again(self, session: LockSession) -> None:
        """The session is a new one: take what the last one had."""
        # As often as it is open: the server counts, and each close lets go of one.
        for number in (+self._open).elements():
            await hold_shared(session, number)

    async def _ask(self, work: Callable[[LockSession], Coroutine[Any, Any, T]]) -> T:
        """What the session that is held answers, once the server does."""

        async def attempt() -> T:
            async with self._session() as session:
                return await finish_shielded(work(session))

        return await self._waiting.until_answered(attempt)


async def hold_shared(session: LockSession, number: int) -> None:
    """Hold a lock together with whoever else holds it."""
    await session.execute(f"SELECT pg_advisory_lock_shared({OPEN}, {number})")


def number_of(name: str) -> int:
    """The number of a lock. Two names may have the same: then they share it."""
    digest = hashlib.sha256(name.encode()).digest()
    # The server takes a signed 32-bit number; without the top bit it is never negative.
    return int.from_bytes(digest[:4], "big") >> 1
