"""What Storage needs to know of a database engine. Implemented in `sqlite` and `postgres`."""

import json
from contextlib import AbstractAsyncContextManager
from typing import Any, Protocol

from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from recto.storage.signal import CommitSignal


class Engine(Protocol):
    """One database: a single writing connection and a few reading ones."""

    @property
    def writer(self) -> AsyncEngine:
        """The pool with the one writing connection."""
        ...

    @property
    def readers(self) -> AsyncEngine:
        """The pool of reading connections."""
        ...

    async def enter_write(self, connection: AsyncConnection) -> None:
        """Make this transaction the only writing one, across processes."""
        ...

    async def announce(self, connection: AsyncConnection, seq: int) -> None:
        """Have the commit of this transaction tell other processes about the change `seq`."""
        ...

    async def follow(self, signal: CommitSignal) -> None:
        """See to it that commits of other processes reach the signal. Cheap when they do."""
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

    async def close(self) -> None:
        """Give everything back."""
        ...


def dump_json(value: Any) -> str:
    """JSON as it is stored: ASCII, so that every text a model sends can be kept in any engine."""
    return json.dumps(value, separators=(",", ":"), allow_nan=False)
