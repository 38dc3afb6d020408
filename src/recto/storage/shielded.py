"""Work that must not be left half done when its task is cancelled."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar

from sqlalchemy import exc
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from recto.cancellation import answer_of, outlast

T = TypeVar("T")


class CommitMark(NamedTuple):
    """What a transaction leaves, by which is known whether it was committed."""

    place: str
    number: int


@dataclass(frozen=True, slots=True)
class OpenTransaction:
    """A connection, and the mark by which the transaction in it is known once it is committed."""

    connection: AsyncConnection
    mark: CommitMark | None


async def finish_shielded(work: Coroutine[Any, Any, T]) -> T:
    """Finish `work` even when the task is cancelled meanwhile; the cancellation follows then.

    Every step of a write is such work. A driver that is left in the middle of a statement keeps
    its transaction open, and nobody else can write.
    """
    # A task of its own, so that a cancelled caller does not cancel it.
    task = asyncio.create_task(work)
    return answer_of(task, await outlast(task))


async def connect(
    engine: AsyncEngine,
    begin: Callable[[AsyncConnection], Awaitable[CommitMark | None]] | None = None,
) -> OpenTransaction:
    """A connection in which something has begun; it goes back at once when that does not succeed.

    Nor is it kept when its caller was cancelled meanwhile.
    """
    connection = engine.connect()
    try:
        mark = await finish_shielded(_start(connection, begin))
    except BaseException:
        # None: it was never connected, so there is nothing to give back.
        if connection.sync_connection is not None:
            await finish_shielded(discard(connection))
        raise
    return OpenTransaction(connection, mark)


async def _start(
    connection: AsyncConnection,
    begin: Callable[[AsyncConnection], Awaitable[CommitMark | None]] | None,
) -> CommitMark | None:
    await connection
    return None if begin is None else await begin(connection)


async def discard(connection: AsyncConnection) -> None:
    """Give a connection back, with nothing kept of a transaction that is still open in it.

    One whose server went away can't even be told to forget: it is thrown away.
    """
    try:
        await connection.close()
    except exc.DBAPIError:
        if not connection.closed:
            await connection.invalidate()
            await connection.close()
