"""Telling what happens: never two events at once, never half of one, and noted when it is told."""

import asyncio
from collections.abc import Coroutine
from typing import Any

import anyio

from recto.agent.events import TurnEvent
from recto.agent.ports import LoopPorts
from recto.agent.progress import TurnProgress


async def finish_shielded(work: Coroutine[Any, Any, None]) -> None:
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
    # Its failure before the cancellation: what was not written must not look written.
    task.result()
    if cancelled is not None:
        raise cancelled


class EventEmitter:
    """The turn's voice, and what its history holds by now."""

    def __init__(self, ports: LoopPorts) -> None:
        self._ports = ports
        self._turn = anyio.Lock()
        self.progress = TurnProgress()

    async def tell(self, event: TurnEvent) -> None:
        """Tell an event whole, even when the turn is cancelled meanwhile."""
        await finish_shielded(self.say(event))

    async def say(self, event: TurnEvent) -> None:
        """Tell an event, as part of work that runs to its end."""
        async with self._turn:
            # Noted only when it was told: what raised here is told again when the turn breaks off.
            await self._ports.tell(event)
            self.progress.note(event)
