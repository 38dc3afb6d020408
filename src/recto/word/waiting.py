"""Processes for documents: one that has started before it is needed, and those that hold one.

Starting one takes longer than most of what is done with a document. Each still has one document,
and ends: nothing of one is there when the next one comes. That of a document that somebody has open
may be held, so that of what changes in it only that is read.
"""

import asyncio
import sys
from collections import OrderedDict
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass

from recto.processes import ProcessFailure, RunningProgram, shielded, start

PROGRAM = [sys.executable, "-I", "-m", "recto.word.worker"]
MOST_HELD = 3
StartedWorker = tuple[AsyncExitStack, RunningProgram]


async def start_worker() -> StartedWorker:
    """A process, and what ends it. Raises a ProcessFailure."""
    ends = AsyncExitStack()
    return ends, await ends.enter_async_context(start(PROGRAM, cwd="/", talks=True))


@dataclass(slots=True)
class HeldWorker:
    """A process that may be asked about the same document again."""

    ends: AsyncExitStack
    running: RunningProgram
    told: str = ""
    """The hash of the document whose page it has told last."""
    is_new: bool = True
    holds: bool = False
    """Whether it still has the document."""


class WaitingWorker:
    """The one process that waits, once there was work; and those that hold a document."""

    def __init__(self) -> None:
        self._ready: StartedWorker | None = None
        self._starting: asyncio.Task[None] | None = None
        self._is_closed = False
        self.loop = asyncio.get_running_loop()
        self._held: OrderedDict[str, HeldWorker] = OrderedDict()

    @property
    def pid(self) -> int | None:
        """The process that waits."""
        ready = self._ready
        return ready[1].pid if ready is not None and ready[1].is_running else None

    def held_pid(self, name: str) -> int | None:
        """The process that holds a document."""
        held = self._held.get(name)
        return held.running.pid if held is not None and held.running.is_running else None

    async def take(self) -> StartedWorker:
        """A process: the one that waits, or a new one. Raises a ProcessFailure."""
        ready, self._ready = self._ready, None
        if ready is not None and ready[1].is_running:
            return ready
        if ready is not None:
            await ready[0].aclose()
        return await start_worker()

    async def take_held(self, name: str) -> HeldWorker:
        """The process that holds a document, or one that can. Raises a ProcessFailure."""
        held = self._held.pop(name, None)
        if held is not None and held.running.is_running:
            held.is_new = held.holds = False
            return held
        if held is not None:
            await held.ends.aclose()
        return HeldWorker(*await self.take())

    async def hold(self, name: str, held: HeldWorker) -> None:
        """Keep a process for what is asked next, unless it is done or another one came first."""
        ending = [held]
        if held.holds and not self._is_closed and name not in self._held:
            self._held[name] = held
            ending = [self._held.popitem(last=False)[1]] if len(self._held) > MOST_HELD else []
        for item in ending:
            await shielded(item.ends.aclose())

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
        while self._held:
            await self._held.popitem()[1].ends.aclose()

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


def of_this_loop() -> WaitingWorker | None:
    """What this server keeps."""
    loop = asyncio.get_running_loop()
    return next((item for item in reversed(OPEN) if item.loop is loop), None)


@asynccontextmanager
async def held_worker(waiting: WaitingWorker, name: str) -> AsyncGenerator[HeldWorker]:
    """A process for a document, held behind the block if it says so. Raises a ProcessFailure."""
    held = await waiting.take_held(name)
    try:
        yield held
    finally:
        await waiting.hold(name, held)
        waiting.prepare()


@asynccontextmanager
async def worker() -> AsyncGenerator[RunningProgram]:
    """A process for one piece of work; leaving the block ends it. Raises a ProcessFailure."""
    waiting = of_this_loop()
    ends, running = await (start_worker() if waiting is None else waiting.take())
    try:
        async with ends:
            yield running
    finally:
        if waiting is not None:
            waiting.prepare()
