"""Work that is not left half done when its task is cancelled meanwhile."""

import asyncio
import math
from typing import Any, TypeVar

import anyio

T = TypeVar("T")


async def outlast(task: "asyncio.Task[Any]") -> asyncio.CancelledError | None:
    """Wait for the end of a task whatever cancels the wait; answers the last cancellation."""
    # Hardly any wait is cancelled, and every statement of the store waits here: a shield for each
    # of them would cost as much as the statement.
    try:
        await ended(task)
    except asyncio.CancelledError as error:
        cancelled = error
    else:
        return None
    # A scope that was cancelled would go on telling so for as long as its task waits.
    with anyio.CancelScope(shield=True):
        while not task.done():
            try:
                await ended(task)
            except asyncio.CancelledError as error:
                # Kept for later, and wait on: a second cancellation must not win either.
                cancelled = error
    return cancelled


def answer_of(task: "asyncio.Task[T]", cancelled: asyncio.CancelledError | None) -> T:
    """What work came to whose end was waited for. Raises its failure, or the cancellation."""
    if cancelled is None:
        return task.result()
    failure = task.exception()
    # A scope goes on telling that it was cancelled: the failure is not lost behind it.
    if failure is not None and anyio.current_effective_deadline() == -math.inf:
        raise failure
    raise cancelled from failure


async def ended(task: "asyncio.Task[Any]") -> None:
    """Wait for the end of a task, which goes on if the wait is cancelled."""
    if task.done():
        return
    told: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def tell(_: object) -> None:
        if not told.done():
            told.set_result(None)

    task.add_done_callback(tell)
    try:
        await told
    finally:
        task.remove_done_callback(tell)
