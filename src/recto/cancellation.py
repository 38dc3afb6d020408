"""Work that is not left half done when its task is cancelled meanwhile."""

import asyncio
from typing import Any

import anyio


async def outlast(task: "asyncio.Task[Any]") -> asyncio.CancelledError | None:
    """Wait for the end of a task whatever cancels the wait; answers the last cancellation.

    A scope that was cancelled is not heard in here: whoever waits looks for it afterwards.
    """
    cancelled: asyncio.CancelledError | None = None
    with anyio.CancelScope(shield=True):
        while not task.done():
            try:
                await asyncio.wait([task])
            except asyncio.CancelledError as error:
                # Kept for later, and wait on: a second cancellation must not win either.
                cancelled = error
    return cancelled
