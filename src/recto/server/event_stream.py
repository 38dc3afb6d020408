"""Streams of events to a page that end with its session, and leave nothing behind."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass

import anyio
from starlette.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from recto.server.sessions import Session

KEEP_ALIVE_S = 15.0
KEEP_ALIVE = ": keep-alive\n\n"


@dataclass(frozen=True, slots=True)
class StreamedEvent:
    """One event for a page: its name and its JSON. By its number a page that was away resumes."""

    name: str
    data: str
    number: int | None = None

    def as_lines(self) -> str:
        """The event among server-sent events."""
        lines = f"event: {self.name}\ndata: {self.data}\n\n"
        return lines if self.number is None else f"id: {self.number}\n{lines}"

    def as_message(self) -> str:
        """The event in one message of a socket: its name, then its JSON."""
        return f"{self.name}\n{self.data}"


Sending = AsyncGenerator[StreamedEvent | None]


class EventStream(StreamingResponse):
    """Server-sent events. Their source is closed when the page goes, whatever it does then."""

    def __init__(self, source: Sending) -> None:
        # nginx collects answers unless it is told not to: events would come in lumps.
        headers = {"cache-control": "no-store", "x-accel-buffering": "no"}
        super().__init__(lines(source), media_type="text/event-stream", headers=headers)
        self._source = source

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send everything until the page goes."""
        # Starlette only drops the generator when a page goes; its subscription must end now.
        async with aclosing(self._source):
            await super().__call__(scope, receive, send)


async def lines(source: Sending) -> AsyncGenerator[str]:
    """The text of server-sent events; a line for nobody where nothing came for a while."""
    async for event in source:
        yield KEEP_ALIVE if event is None else event.as_lines()


async def until_ended(events: AsyncGenerator[StreamedEvent], session: Session) -> Sending:
    """Each event as it comes, until the session ends; None when nothing came for a while."""
    # Signing out must end streams at once, not at their next event.
    ended = asyncio.ensure_future(session.ended.wait())
    coming = asyncio.ensure_future(anext(events, None))
    try:
        while not ended.done():
            await asyncio.wait(
                {ended, coming}, timeout=KEEP_ALIVE_S, return_when=asyncio.FIRST_COMPLETED
            )
            # It stays under way: cancelling it on every timeout could lose an event.
            if not coming.done():
                yield None
                continue
            event = coming.result()
            if event is None:
                return
            coming = asyncio.ensure_future(anext(events, None))
            yield event
    finally:
        ended.cancel()
        coming.cancel()
        with anyio.CancelScope(shield=True):
            # A generator that is still running can't be closed.
            await asyncio.gather(ended, coming, return_exceptions=True)
            await events.aclose()
