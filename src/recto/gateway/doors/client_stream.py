"""One answer to a client: begun with its first bytes, kept alive, ended when they leave."""

import asyncio
import contextlib
from collections.abc import Callable, Coroutine, Mapping
from typing import Any, TypeVar

from recto.gateway.doors.http import AsgiSend, ClientGone, ClientRequest, StreamLine, send_start

T = TypeVar("T")
KEEP_ALIVE_S = 10.0
EVENT_STREAM = {
    "content-type": "text/event-stream; charset=utf-8",
    "cache-control": "no-store",
    "x-accel-buffering": "no",
}


class ClientStream:
    """Writes pieces, each of whole frames, so that a sign of life may come between any two."""

    def __init__(
        self,
        request: ClientRequest,
        send: AsgiSend,
        *,
        every_s: float = KEEP_ALIVE_S,
        line: StreamLine | None = None,
    ) -> None:
        self._line = line
        self._request = request
        self._send = send
        self._every_s = every_s
        self._now = asyncio.get_running_loop().time
        self._told_at = self._now()
        self._beating: asyncio.TimerHandle | None = None
        self._sign: asyncio.Task[None] | None = None
        self._is_begun = False
        self._ahead = None if line is None else line.ahead
        self.keep_alive: Callable[[], bytes] | None = None
        """A sign of life in the client's protocol; None while there is no place for one."""

    @property
    def is_begun(self) -> bool:
        """Whether the head was sent, also ahead of everything."""
        return self._is_begun or (self._ahead is not None and self._ahead.status > 0)

    async def begin(self, status: int = 200, headers: Mapping[str, str] = EVENT_STREAM) -> None:
        """Send the head, if that did not happen yet."""
        if not self.is_begun:
            self._is_begun = True
            await send_start(self._send, status, headers)

    async def write(self, data: bytes) -> None:
        """Send some bytes, after the head."""
        if not self.is_begun:
            await self.begin()
        self._told_at = self._now()
        await self._send({"type": "http.response.body", "body": data, "more_body": True})

    async def write_first(self, data: bytes) -> None:
        """Send what an answer begins with, before anything else is done.

        What is written goes out at the end of a turn of the event loop: reading the rest of what
        came would keep the first word waiting.
        """
        await self.write(data)
        await asyncio.sleep(0)

    def takes_now(self) -> bool:
        """Whether `write_now` may be called: the answer has begun, and its client keeps up."""
        return self.is_begun and self._line is not None and self._line.is_free()

    def write_now(self, data: bytes) -> None:
        """Send some bytes past the framework; whoever waits for nothing pays for no wait."""
        assert self._line is not None
        self._told_at = self._now()
        self._line.write(data)

    async def end(self) -> None:
        """Nothing follows."""
        self.keep_alive = None
        await self._send({"type": "http.response.body", "body": b""})

    async def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Do the work while the client is there. Raises ClientGone, once the work was stopped."""
        doing = asyncio.current_task()
        assert doing is not None
        departure = Departure(doing, self._request)
        # Once the work waits for something: until then nobody is kept waiting by the watch.
        loop = asyncio.get_running_loop()
        watching = (loop.call_soon(departure.watch), loop.call_soon(self._beat))
        try:
            found = await work
        except asyncio.CancelledError:
            if departure.has_happened and doing.uncancel() == 0:
                raise ClientGone from None
            raise
        finally:
            for handle in watching:
                handle.cancel()
            departure.unwatch()
            self._stop_beating()
        await departure.forget()
        return found

    def _beat(self) -> None:
        """Show a sign of life if nothing was sent for a while, and look again."""
        left_s = self._told_at + self._every_s - self._now()
        if left_s <= 0:
            self._told_at = self._now()
            left_s = self._every_s
            if self.keep_alive is not None and (self._sign is None or self._sign.done()):
                self._sign = asyncio.create_task(self.write(self.keep_alive()))
        self._beating = asyncio.get_running_loop().call_later(left_s, self._beat)

    def _stop_beating(self) -> None:
        if self._beating is not None:
            self._beating.cancel()
        if self._sign is not None:
            self._sign.cancel()


class Departure:
    """Stops a task when its client leaves."""

    def __init__(self, doing: "asyncio.Task[Any]", request: ClientRequest) -> None:
        self._doing = doing
        self._request = request
        self._leaving: asyncio.Task[None] | None = None
        self.has_happened = False

    def watch(self) -> None:
        """Watch from now on."""
        self._leaving = asyncio.create_task(self._request.gone())
        self._leaving.add_done_callback(self._on_gone)

    def unwatch(self) -> None:
        """Watch no more."""
        if self._leaving is not None:
            self._leaving.remove_done_callback(self._on_gone)
            self._leaving.cancel()

    def _on_gone(self, leaving: "asyncio.Task[None]") -> None:
        """The client left."""
        if not leaving.cancelled():
            self.has_happened = True
            self._doing.cancel()

    async def forget(self) -> None:
        """The work was done all the same: what was to stop it must not stop what follows."""
        if self.has_happened and self._doing.uncancel() == 0:
            with contextlib.suppress(asyncio.CancelledError):
                await asyncio.sleep(0)
