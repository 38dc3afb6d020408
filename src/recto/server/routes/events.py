"""The event stream: what changed, to every open page, resumable by number."""

import json
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Annotated

from fastapi import Header, Query, Request, WebSocket
from starlette.responses import StreamingResponse

from recto.projects import Event, FilesChanged, StoreAnswering
from recto.server.access import for_session
from recto.server.event_stream import EventStream, StreamedEvent, until_ended
from recto.server.responses import may_answer
from recto.server.routes.router import Router
from recto.server.services import Services, ServicesDependency
from recto.server.sessions import Session
from recto.server.sockets import send_events

router = Router(tags=["events"])


@router.get(
    "/api/v1/events",
    response_class=StreamingResponse,
    responses={
        **may_answer(422),
        200: {
            "description": "Server-sent events: hello, change (with an id), files, store",
            "content": {"text/event-stream": {}},
        },
    },
)
@for_session
async def events(
    request: Request,
    services: ServicesDependency,
    after: Annotated[int | None, Query(ge=0, le=1 << 62)] = None,
    last_event_id: Annotated[str | None, Header(pattern=r"^\d{0,18}$")] = None,
) -> EventStream:
    """What changed since a number (`after`, or Last-Event-ID), then what changes."""
    start = int(last_event_id) if last_event_id else after
    session: Session = request.state.session
    return EventStream(until_ended(stream(services, start), session))


@router.websocket("/api/v1/events")
@for_session
async def events_socket(
    websocket: WebSocket, after: Annotated[int | None, Query(ge=0, le=1 << 62)] = None
) -> None:
    """The same events over a socket: in each message the event's name, then its data."""
    services: Services = websocket.app.state.services
    session: Session = websocket.state.session
    await websocket.accept()
    await send_events(websocket, stream(services, after), session)


async def stream(services: Services, after: int | None) -> AsyncGenerator[StreamedEvent]:
    """The events, for as long as somebody listens."""
    feed = services.feed
    if not feed.is_answering:  # the greeting may have to wait for the store
        yield present(StoreAnswering(is_answering=False))
    async with feed.follow(after) as follower:
        greeting = {"version": services.version, "storeAnswers": feed.is_answering}
        yield StreamedEvent("hello", json.dumps(greeting))
        async with aclosing(follower.events()) as events:
            async for event in events:
                yield present(event)


def present(event: Event) -> StreamedEvent:
    """An event as a page gets it. Only changes of records can be resumed and have numbers."""
    if isinstance(event, StoreAnswering):
        return StreamedEvent("store", json.dumps({"answers": event.is_answering}))
    if isinstance(event, FilesChanged):
        changed = {
            "projectId": event.project_id,
            "folders": sorted(event.folders),
            "overflow": event.overflow,
            "git": event.git,
            "note": event.note,
            "moved": [{"path": path, "newPath": new_path} for path, new_path in event.moved],
            "removed": list(event.removed),
        }
        return StreamedEvent("files", json.dumps(changed))
    data = {
        "seq": event.seq,
        "kind": event.kind,
        "id": event.id,
        "projectId": event.project_id,
        "action": event.action,
        "version": event.version,
    }
    return StreamedEvent("change", json.dumps(data), event.seq)
