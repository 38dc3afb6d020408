"""Calls that a server has not answered yet: their time, their progress, and whom it may ask."""

from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field

import anyio
from anyio import CancelScope

from recto.tools import Elicit, Elicitation, ElicitationAnswer, Tell

IDLE_S = 120.0
"""How long a server may be silent about a call."""
TOTAL_S = 3600.0
"""How long a call may take however much is told of it; a person's time does not count."""
MOST_PROGRESS = 200
MAX_PROGRESS = 300


@dataclass(eq=False, slots=True)
class PendingCall:
    """A call that runs."""

    server: str
    tell: Tell
    ask: Elicit | None
    idle_s: float = IDLE_S
    _scope: CancelScope = field(default_factory=CancelScope)
    _end: float = 0.0
    _told: int = 0
    _asking: int = 0

    def begin(self, scope: CancelScope) -> None:
        """Its time runs from now on."""
        self._scope = scope
        self._end = anyio.current_time() + TOTAL_S
        self._renew()

    async def progress(self, progress: float, total: float | None, message: str | None) -> None:
        """The server says how far it is."""
        self._renew()
        self._told += 1
        if self._told > MOST_PROGRESS:
            return
        share = f"{progress:g}" if total is None else f"{progress:g} of {total:g}"
        words = " ".join((message or "").split())[:MAX_PROGRESS]
        await self.tell(f"{share}: {words}\n" if words else f"{share}\n")

    async def alive(self, words: str) -> None:
        """The server still works on it, and may say something new of it."""
        self._renew()
        self._told += bool(words)
        if words and self._told <= MOST_PROGRESS:
            await self.tell(f"{words}\n")

    async def elicit(self, question: Elicitation) -> ElicitationAnswer:
        """Ask the person; the call's time waits for the answer."""
        if self.ask is None:
            return ElicitationAnswer("cancel")
        asked = anyio.current_time()
        self._asking += 1
        self._scope.deadline = float("inf")
        try:
            return await self.ask(question)
        finally:
            self._asking -= 1
            self._end += anyio.current_time() - asked
            self._renew()

    def _renew(self) -> None:
        if not self._asking:
            self._scope.deadline = min(self._end, anyio.current_time() + self.idle_s)


async def tell_nobody(_: str) -> None:
    """In the place of a chat that follows."""


CURRENT: ContextVar[PendingCall | None] = ContextVar("open MCP call", default=None)
"""The call that the running task is about, where the SDK asks from within it."""


class PendingCalls:
    """The calls that one server has open."""

    def __init__(self) -> None:
        self._open: list[PendingCall] = []

    @contextmanager
    def open(self, call: PendingCall) -> Generator[PendingCall]:
        """A call, for as long as it runs."""
        self._open.append(call)
        try:
            yield call
        finally:
            self._open.remove(call)

    def asking(self) -> PendingCall | None:
        """The call that a server's question is about; None when that can't be told.

        Never a guess: a question of one chat must not be shown in another.
        """
        current = CURRENT.get()
        if current is not None and current in self._open:
            return current
        return self._open[0] if len(self._open) == 1 else None
