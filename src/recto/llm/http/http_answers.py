"""Answers over HTTP whose head is here, whoever keeps the connection that they come over."""

import asyncio
from collections.abc import Callable, Mapping
from typing import Protocol

import aiohttp

Take = Callable[[bytes], bool]
"""Takes a piece; no: it wants no more for now."""


class HttpAnswer(Protocol):
    """An answer whose head is here."""

    @property
    def status(self) -> int:
        """Its HTTP status."""
        ...

    @property
    def headers(self) -> Mapping[str, str]:
        """With names in lower case."""
        ...

    async def read(self, deadline: float) -> bytes:
        """Some of the body; nothing at its end. Raises TimeoutError or another one of FAULTS."""
        ...

    async def pass_on(self, take: Take, deadline: Callable[[], float]) -> bool:
        """Hand over the body as it comes, until `take` answers no; False at the body's end.

        Raises as `read` does.
        """
        ...

    def left_over(self) -> bytes:
        """What has come and was not read."""
        ...

    def close(self) -> None:
        """Cut the connection, unless the answer came to its end."""
        ...


class SessionAnswer:
    """An answer that came over one of aiohttp's connections."""

    def __init__(self, response: aiohttp.ClientResponse) -> None:
        self._response = response
        self._unwatch: Callable[[], object] | None = None
        self._watch_connection()

    @property
    def status(self) -> int:
        """Its HTTP status."""
        return self._response.status

    @property
    def headers(self) -> Mapping[str, str]:
        """With names in lower case."""
        return {name.lower(): value for name, value in self._response.headers.items()}

    async def read(self, deadline: float) -> bytes:
        """Some of the body; nothing at its end. Raises one of FAULTS."""
        async with asyncio.timeout_at(deadline):
            return await self._response.content.readany()

    async def pass_on(self, take: Take, deadline: Callable[[], float]) -> bool:
        """Hand over the body as it comes, until `take` answers no; False at the body's end."""
        while found := await self.read(deadline()):
            if not take(found):
                return True
        return False

    def left_over(self) -> bytes:
        """What has come and was not read."""
        # Once the connection is lost, aiohttp gives out nothing of what it had received.
        waiting = self._response.content._buffer  # pyright: ignore[reportPrivateUsage]
        found = b"".join(waiting)
        waiting.clear()
        return found

    def close(self) -> None:
        """Cut the connection, unless the answer came to its end: then it went back to the pool."""
        if self._unwatch:
            self._unwatch()
        connection = self._response.connection
        if connection and connection.transport:
            # A polite close would wait for what is still to be written, or for the other side.
            connection.transport.abort()
        self._response.close()

    def _watch_connection(self) -> None:
        """Break the answer when its connection ends: aiohttp forgets to after a bad chunk."""
        response = self._response

        def on_closed(closed: asyncio.Future[None]) -> None:
            if not closed.cancelled():
                closed.exception()
            if not response.content.is_eof() and response.content.exception() is None:
                response.content.set_exception(aiohttp.ClientPayloadError())

        protocol = response.connection.protocol if response.connection else None
        closed = None if protocol is None else protocol.closed
        if closed is not None:
            closed.add_done_callback(on_closed)
            self._unwatch = lambda: closed.remove_done_callback(on_closed)
