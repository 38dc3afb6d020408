"""Telling what happens: never two events at once, never half of one, and noted when it is told."""

import asyncio
from collections.abc import Coroutine
from typing import Any

import anyio

from recto.agent.events import TurnEvent
from recto.agent.ports import Ports
from recto.agent.standing import Standing


async def to_the_end(work: Coroutine[Any, Any, None]) -> None:
    """Finish `work` whatever is cancelled meanwhile, the scope around it or the task itself.

    A scope's cancellation is heard at the next wait; a task's is raised when `work` is done.
    """
    task = asyncio.create_task(work)
    cancelled: asyncio.CancelledError | None = None
    with anyio.CancelScope(shield=True):
        while not task.done():
            try:
                await asyncio.wait([task])
            except asyncio.CancelledError as error:
                cancelled = error
    task.result()
    if cancelled is not None:
        raise cancelled


class Telling:
    """The turn's voice, and what its history holds by now."""

    def __init__(self, ports: Ports) -> None:
        self._ports = ports
        self._turn = anyio.Lock()
        self.standing = Standing()

    async def tell(self, event: TurnEvent) -> None:
        """Tell an event whole, even when the turn is cancelled meanwhile."""
        await to_the_end(self.say(event))

    async def say(self, event: TurnEvent) -> None:
        """Tell an event, as part of work that runs to its end."""
        async with self._turn:
            await self._ports.tell(event)
            self.standing.note(event)
