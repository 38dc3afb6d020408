"""Work that must not be left half done when its task is cancelled."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, TypeVar

import anyio
import anyio.lowlevel
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

T = TypeVar("T")


async def to_the_end(work: Coroutine[Any, Any, T]) -> T:
    """Finish `work` even when the task is cancelled meanwhile; the cancellation follows then.

    Every step of a write is such work. A driver that is left in the middle of a statement keeps
    its transaction open, and nobody else can write.
    """
    task = asyncio.create_task(work)
    cancelled: asyncio.CancelledError | None = None
    with anyio.CancelScope(shield=True):
        while not task.done():
            try:
                await asyncio.wait([task])
            except asyncio.CancelledError as error:
                cancelled = error
    if cancelled is not None:
        raise cancelled from task.exception()
    result = task.result()
    # A scope that was cancelled waits behind the shield; it is heard now that nothing is half done.
    await anyio.lowlevel.checkpoint_if_cancelled()
    return result


async def connect(
    engine: AsyncEngine, begin: Callable[[AsyncConnection], Awaitable[None]] | None = None
) -> AsyncConnection:
    """A connection in which something has begun; it goes back at once when that does not succeed.

    Nor is it kept when its caller was cancelled meanwhile.
    """
    connection = engine.connect()
    try:
        await to_the_end(_start(connection, begin))
    except BaseException:
        if connection.sync_connection is not None:
            await to_the_end(connection.close())
        raise
    return connection


async def _start(
    connection: AsyncConnection, begin: Callable[[AsyncConnection], Awaitable[None]] | None
) -> None:
    await connection
    if begin is not None:
        await begin(connection)
