"""What Storage needs to know of a database engine. Implemented in `sqlite` and `postgres`."""

import json
from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from typing import Any, Protocol

from sqlalchemy import Executable
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from recto.storage.server_wait import ServerWait
from recto.storage.shared_locks import SharedLocks
from recto.storage.shielded import CommitMark
from recto.storage.signal import CommitNews, CommitSignal


class Engine(Protocol):
    """One database: its writing connections and a few reading ones."""

    @property
    def writer(self) -> AsyncEngine:
        """The pool with the one connection for writes that may change anything."""
        ...

    @property
    def side_writers(self) -> AsyncEngine | None:
        """The pool for writes that change named things only; None where one writes at a time."""
        ...

    @property
    def before_changes(self) -> Executable | None:
        """What a write of named things does before its first row of the outbox."""
        ...

    @property
    def readers(self) -> AsyncEngine:
        """The pool of reading connections."""
        ...

    def shared_locks(self, signal: CommitSignal, waiting: ServerWait) -> SharedLocks:
        """The locks that processes share, for as long as the database is open."""
        ...

    async def take_turn(self, connection: AsyncConnection) -> None:
        """Make this transaction the only writing one, across processes."""
        ...

    async def enter_write(
        self, connection: AsyncConnection, names: Sequence[str] = ()
    ) -> CommitMark | None:
        """Take one's turn to change records, and leave a mark of it.

        With names, the turn is for what has them: others may write something else meanwhile.
        Answers the mark; None where no server can go away.
        """
        ...

    async def was_committed(self, connection: AsyncConnection, mark: CommitMark) -> bool:
        """Whether the transaction with a mark of ours was committed, once it has ended."""
        ...

    async def announce(self, connection: AsyncConnection, news: CommitNews) -> None:
        """Have the commit of this transaction tell other processes about it."""
        ...

    async def follow(self, signal: CommitSignal) -> None:
        """See to it that commits of other processes reach the signal. Cheap when they do."""
        ...

    async def claim_worker(self, connection: AsyncConnection, signal: CommitSignal) -> int:
        """A number that no process had before, ours for as long as this one lives."""
        ...

    async def living_workers(self, connection: AsyncConnection) -> frozenset[int]:
        """The numbers of the processes that live; whether ours is among them is open."""
        ...

    async def user_tables(self, connection: AsyncConnection) -> frozenset[str]:
        """The tables that are there."""
        ...

    def migration(self) -> AbstractAsyncContextManager[AsyncConnection]:
        """A transaction for changing tables."""
        ...

    async def back_up(self, before: str) -> None:
        """Keep a copy of the records before they are migrated to the revision `before`."""
        ...

    async def forget_deleted_bytes(self) -> bool:
        """Have no file hold bytes any more that were deleted, as far as that is ours to do.

        Answers whether that is done: somebody may just be reading them.
        """
        ...

    async def close(self) -> None:
        """Give everything back."""
        ...


def dump_json(value: Any) -> str:
    """JSON as it is stored: ASCII, so that every text a model sends can be kept in any engine."""
    return json.dumps(value, separators=(",", ":"), allow_nan=False)
