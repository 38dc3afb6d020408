"""Sockets to a page: how they are closed, and events over them.

A browser keeps six connections to an address at most, for all of its tabs together, and a stream of
server-sent events holds one for good. So the page follows over sockets, which are not counted among
them; scripts follow with nothing but HTTP.
"""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing, suppress

import anyio
from starlette.websockets import WebSocket, WebSocketDisconnect, WebSocketState

from recto.server.event_stream import StreamedEvent
from recto.server.sessions import Session

GOING_AWAY, PROTOCOL, POLICY = 1001, 1002, 1008
NOT_SIGNED_IN = "Not signed in"


async def send_events(
    websocket: WebSocket, source: AsyncGenerator[StreamedEvent], session: Session
) -> None:
    """Send everything over an accepted socket, until the page goes, or the session or source ends.

    One task goes through the source: a task and a timer for each event would cost more than it.
    """
    sending = asyncio.ensure_future(send_all(websocket, source))
    leaving = asyncio.ensure_future(until_left(websocket))
    tasks = (sending, leaving, asyncio.ensure_future(session.ended.wait()))
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
        with anyio.CancelScope(shield=True):
            # What the source must await to be closed is awaited.
            await asyncio.wait(tasks)
    if not sending.cancelled():
        sending.result()
    if session.ended.is_set():
        await close(websocket, POLICY, NOT_SIGNED_IN)
    else:
        await close(websocket, GOING_AWAY)


async def send_all(websocket: WebSocket, source: AsyncGenerator[StreamedEvent]) -> None:
    """Send each event. The page may leave between two of them; that is no failure."""
    async with aclosing(source):
        with suppress(WebSocketDisconnect):
            async for event in source:
                await websocket.send_text(event.as_message())


async def until_left(websocket: WebSocket) -> None:
    """Wait until the page leaves; what it says meanwhile is of no interest."""
    while (await websocket.receive())["type"] != "websocket.disconnect":
        pass


async def close(websocket: WebSocket, code: int, reason: str = "") -> None:
    """Close a socket, unless the page did."""
    if websocket.client_state is not WebSocketState.DISCONNECTED:
        with suppress(WebSocketDisconnect):
            await websocket.close(code, reason)


def shortened(reason: str) -> str:
    """A reason that fits into a closing frame."""
    return reason.encode()[:120].decode(errors="ignore")
