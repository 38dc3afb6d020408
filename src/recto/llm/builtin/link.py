"""The server's end of the line to the worker process: one request told, its chunks heard."""

import asyncio
import sys
from contextlib import AsyncExitStack, suppress
from pathlib import Path
from typing import Literal, Self

import msgspec

from recto.processes import InputClosed, RunningProgram, shielded, start

Kind = Literal["chat", "text"]
WORKER = "recto.llm.builtin.worker"


class WorkerLinkEnded(Exception):
    """The worker is gone; `how` says in words how it ended."""

    def __init__(self, how: str) -> None:
        super().__init__(how)
        self.how = how


class WorkerMessage(msgspec.Struct):
    """What the worker tells. Neither chunk nor end: it is still reading the prompt, so far."""

    id: int
    read: int = 0
    total: int = 0
    chunk: msgspec.Raw = msgspec.Raw()
    end: bool = False


class WorkerLink:
    """A running worker."""

    def __init__(self, running: RunningProgram, stack: AsyncExitStack) -> None:
        self.pid = running.pid
        self._running = running
        self._stack = stack
        self._last = 0

    @classmethod
    async def open(cls, model: Path, idle_s: float | None) -> Self:
        """Start a worker. Raises ProcessFailure."""
        # -I: no module from the current folder or PYTHONPATH gets into the process.
        argv = [sys.executable, "-I", "-m", WORKER, str(model)]
        argv += [] if idle_s is None else [str(idle_s)]
        stack = AsyncExitStack()
        running = await stack.enter_async_context(start(argv, cwd="/", talks=True))
        return cls(running, stack)

    async def ask(self, kind: Kind, body: bytes) -> int:
        """Send a request; its number. Raises InputClosed."""
        self._last += 1
        asked = {"id": self._last, "kind": kind, "body": msgspec.Raw(body)}
        try:
            await self._running.send(msgspec.json.encode(asked) + b"\n")
        except asyncio.CancelledError:
            # Perhaps it was sent whole, and the worker is at it.
            await shielded(self.cancel(self._last))
            raise
        return self._last

    async def hear(self, number: int) -> WorkerMessage:
        """The next line about a request; what is left of earlier ones is passed over."""
        while line := await self._running.line():
            message = msgspec.json.decode(line, type=WorkerMessage)
            if message.id == number:
                return message
        code = await self._running.wait()
        raise WorkerLinkEnded(describe(code, await self._running.errors() if code > 0 else b""))

    async def cancel(self, number: int) -> None:
        """Stop a request and all before it."""
        with suppress(InputClosed):  # a worker that has ended has stopped, too
            await self._running.send(b'{"cancel": %d}\n' % number)

    async def close(self) -> None:
        """End the worker."""
        await self._stack.aclose()


def describe(code: int, errors: bytes) -> str:
    """How a process ended, in its own last words if it has any."""
    if code < 0:
        return f"was ended by signal {-code}"
    words = errors.decode("utf-8", "replace").strip().rpartition("\n")[2]
    return f"ended with code {code}: {words}" if words else f"ended with code {code}"
