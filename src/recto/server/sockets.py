"""Sockets to a page: how they are closed, and events over them.

A browser keeps six connections to an address at most, for all of its tabs together, and a stream of
server-sent events holds one for good. So the page follows over sockets, which are not counted among
them; scripts follow with nothing but HTTP.
"""

from contextlib import aclosing, suppress

import anyio
from anyio.abc import TaskGroup
from fastapi import WebSocket
from starlette.websockets import WebSocketDisconnect

from recto.server.event_stream import Sending
from recto.server.sessions import Session

GOING_AWAY, PROTOCOL, POLICY = 1001, 1002, 1008
NOT_SIGNED_IN = "Not signed in"


async def send_events(websocket: WebSocket, source: Sending, session: Session) -> None:
    """Send everything over an accepted socket, until the page goes or the source ends."""
    async with aclosing(source), anyio.create_task_group() as tasks:
        tasks.start_soon(until_left, websocket, tasks)
        # The page may leave between two events; that is no failure.
        with suppress(WebSocketDisconnect):
            async for event in source:
                if event is not None:
                    await websocket.send_text(event.as_message())
            if session.ended.is_set():
                await websocket.close(POLICY, NOT_SIGNED_IN)
            else:
                await websocket.close(GOING_AWAY)
        tasks.cancel_scope.cancel()


async def until_left(websocket: WebSocket, tasks: TaskGroup) -> None:
    """Wait until the page leaves; what it says meanwhile is of no interest."""
    while (await websocket.receive())["type"] != "websocket.disconnect":
        pass
    tasks.cancel_scope.cancel()


def shortened(reason: str) -> str:
    """A reason that fits into a closing frame."""
    return reason.encode()[:120].decode(errors="ignore")
