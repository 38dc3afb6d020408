"""Waits for a database server that does not answer, for as long as it takes, and says so."""

import logging
from collections.abc import Awaitable, Callable
from typing import TypeVar

import anyio

from recto.storage.failures import ServerGone

FIRST_PAUSE_S = 0.05
LONGEST_PAUSE_S = 1.0
T = TypeVar("T")
OnAnswering = Callable[[bool], None]
"""Called with whether the database answers, when that has changed."""
log = logging.getLogger(__name__)


class ServerWait:
    """Whether the server answers, and the patience with it."""

    def __init__(self) -> None:
        self.is_answering = True
        self._stopped = anyio.Event()
        self._on_answering: list[OnAnswering] = []

    def listen(self, call: OnAnswering) -> None:
        """Call back when the server stops answering, and when it answers again."""
        self._on_answering.append(call)

    def stop(self) -> None:
        """Wait no more: the program ends, and a server that is gone is a failure from now on."""
        self._stopped.set()

    async def until_answered(self, attempt: Callable[[], Awaitable[T]]) -> T:
        """What an attempt answers, made again and again while the server is gone.

        Raises ServerGone only when nobody may wait any more.
        """
        pause = FIRST_PAUSE_S
        while True:
            try:
                done = await attempt()
            except ServerGone:
                self.note(is_answering=False)
                # Not `sleep`: the end of the program must not wait for a server that is gone.
                await self.pause(pause)
                if self._stopped.is_set():
                    raise
                pause = min(pause * 2, LONGEST_PAUSE_S)
            else:
                self.note(is_answering=True)
                return done

    async def pause(self, seconds: float) -> None:
        """A pause that ends at once when nobody may wait any more."""
        with anyio.move_on_after(seconds):
            await self._stopped.wait()

    def note(self, *, is_answering: bool) -> None:
        """Say it when the server went away or came back."""
        if is_answering == self.is_answering:
            return
        self.is_answering = is_answering
        if is_answering:
            log.warning("the database answers again")
        else:
            log.warning("the database does not answer; waiting")
        for call in self._on_answering:
            call(is_answering)
