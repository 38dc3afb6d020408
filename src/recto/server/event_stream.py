"""Streams of events to a page that end with its session, and leave nothing behind."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import TypeVar

import anyio
from starlette.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from recto.server.sessions import Session

KEEP_ALIVE_S = 15.0
KEEP_ALIVE = ": keep-alive\n\n"
Event = TypeVar("Event")


class EventStream(StreamingResponse):
    """Server-sent events. Their source is closed when the page goes, whatever it does then."""

    def __init__(self, content: AsyncGenerator[str]) -> None:
        headers = {"cache-control": "no-store", "x-accel-buffering": "no"}
        super().__init__(content, media_type="text/event-stream", headers=headers)
        self._source = content

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send everything until the page goes."""
        async with aclosing(self._source):
            await super().__call__(scope, receive, send)


async def until_ended(
    events: AsyncGenerator[Event], session: Session
) -> AsyncGenerator[Event | None]:
    """Each event as it comes, None when nothing came for a while; until the session ends."""
    ended = asyncio.ensure_future(session.ended.wait())
    coming = asyncio.ensure_future(anext(events, None))
    try:
        while not ended.done():
            await asyncio.wait(
                {ended, coming}, timeout=KEEP_ALIVE_S, return_when=asyncio.FIRST_COMPLETED
            )
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
            await asyncio.gather(ended, coming, return_exceptions=True)
            await events.aclose()
