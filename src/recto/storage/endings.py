"""Work that must not be left half done when its task is cancelled."""

import asyncio
from collections.abc import Coroutine
from typing import Any

import anyio


async def to_the_end(work: Coroutine[Any, Any, None]) -> None:
    """Finish `work` even when the task is cancelled meanwhile: a commit is never left in doubt."""
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
    task.result()
