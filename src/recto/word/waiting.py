"""A process for the next document that has started before it is needed.

Starting one takes longer than most of what is done with a document. Each still has one piece of
work, and ends: nothing of one document is there when the next one comes.
"""

import asyncio
import sys
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager

from recto.processes import ProcessFailure, RunningProgram, shielded, start

PROGRAM = [sys.executable, "-I", "-m", "recto.word.worker"]
StartedWorker = tuple[AsyncExitStack, RunningProgram]


async def start_worker() -> StartedWorker:
    """A process, and what ends it. Raises a ProcessFailure."""
    ends = AsyncExitStack()
    return ends, await ends.enter_async_context(start(PROGRAM, cwd="/", talks=True))


class WaitingWorker:
    """The one process that waits, once there was work."""

    def __init__(self) -> None:
        self._ready: StartedWorker | None = None
        self._starting: asyncio.Task[None] | None = None
        self._is_closed = False
        self.loop = asyncio.get_running_loop()

    @property
    def pid(self) -> int | None:
        """The process that waits."""
        ready = self._ready
        return ready[1].pid if ready is not None and ready[1].is_running else None

    async def take(self) -> StartedWorker:
        """A process: the one that waits, or a new one. Raises a ProcessFailure."""
        ready, self._ready = self._ready, None
        if ready is not None and ready[1].is_running:
            return ready
        if ready is not None:
            await ready[0].aclose()
        return await start_worker()

    def prepare(self) -> None:
        """Have the next one start."""
        is_coming = self._starting is not None and not self._starting.done()
        if not (self._is_closed or is_coming or self._ready is not None):
            self._starting = asyncio.create_task(self._start())

    async def close(self) -> None:
        """End what waits."""
        self._is_closed = True
        if self._starting is not None:
            await self._starting
        if self._ready is not None:
            await self._ready[0].aclose()
            self._ready = None

    async def _start(self) -> None:
        try:
            self._ready = await start_worker()
        except ProcessFailure:
            return  # whoever needs one starts it, and hears why that can't be


OPEN: list[WaitingWorker] = []
"""Those that are kept by running servers; the last one is asked."""


@asynccontextmanager
async def waiting_worker() -> AsyncGenerator[None]:
    """Keep a process waiting meanwhile, as soon as there was work for one."""
    waiting = WaitingWorker()
    OPEN.append(waiting)
    try:
        yield
    finally:
        OPEN.remove(waiting)
        await shielded(waiting.close())


@asynccontextmanager
async def worker() -> AsyncGenerator[RunningProgram]:
    """A process for one piece of work; leaving the block ends it. Raises a ProcessFailure."""
    loop = asyncio.get_running_loop()
    waiting = next((item for item in reversed(OPEN) if item.loop is loop), None)
    ends, running = await (start_worker() if waiting is None else waiting.take())
    try:
        async with ends:
            yield running
    finally:
        if waiting is not None:
            waiting.prepare()
