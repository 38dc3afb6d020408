"""One answer to a client: begun with its first bytes, kept alive, ended when they leave."""

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from typing import Any, TypeVar

from recto.gateway.doors.http import AsgiSend, ClientGone, ClientRequest, send_start

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
        self, request: ClientRequest, send: AsgiSend, *, every_s: float = KEEP_ALIVE_S
    ) -> None:
        self._request = request
        self._send = send
        self._every_s = every_s
        self._now = asyncio.get_running_loop().time
        self._told_at = self._now()
        self.is_begun = False
        self.keep_alive: Callable[[], bytes] | None = None
        """A sign of life in the client's protocol; None while there is no place for one."""

    async def begin(self, status: int = 200, headers: Mapping[str, str] = EVENT_STREAM) -> None:
        """Send the head, if that did not happen yet."""
        if not self.is_begun:
            self.is_begun = True
            await send_start(self._send, status, headers)

    async def write(self, data: bytes) -> None:
        """Send some bytes, after the head."""
        if not self.is_begun:
            await self.begin()
        self._told_at = self._now()
        await self._send({"type": "http.response.body", "body": data, "more_body": True})

    async def end(self) -> None:
        """Nothing follows."""
        self.keep_alive = None
        await self._send({"type": "http.response.body", "body": b""})

    async def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Do the work while the client is there. Raises ClientGone, once the work was stopped."""
        doing = asyncio.create_task(work)
        leaving = asyncio.create_task(self._request.gone())
        beating = asyncio.create_task(self._beat())
        try:
            await asyncio.wait({doing, leaving}, return_when=asyncio.FIRST_COMPLETED)
            if not doing.done():
                doing.cancel()
                await asyncio.wait({doing})
                if doing.cancelled():
                    raise ClientGone
            return doing.result()
        finally:
            for task in (doing, leaving, beating):
                task.cancel()
            await asyncio.gather(doing, leaving, beating, return_exceptions=True)

    async def _beat(self) -> None:
        """Show signs of life whenever nothing was sent for a while."""
        while True:
            left_s = self._told_at + self._every_s - self._now()
            if left_s > 0:
                await asyncio.sleep(left_s)
                continue
            self._told_at = self._now()
            if self.keep_alive is not None:
                await self.write(self.keep_alive())
