"""The event stream: what changed, to every open page, resumable by number."""

import json
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from typing import Annotated

from fastapi import APIRouter, Header, Query, Request
from starlette.responses import StreamingResponse

from recto.projects import FilesChanged, ResourceChanged
from recto.server.access import for_session
from recto.server.event_stream import KEEP_ALIVE, EventStream, until_ended
from recto.server.responses import may_answer
from recto.server.services import Given, Services
from recto.server.sessions import Session

router = APIRouter(tags=["events"])


@router.get(
    "/api/v1/events",
    response_class=StreamingResponse,
    responses={
        **may_answer(422),
        200: {
            "description": "Server-sent events: hello, change (with an id), files",
            "content": {"text/event-stream": {}},
        },
    },
)
@for_session
async def events(
    request: Request,
    services: Given,
    after: Annotated[int | None, Query(ge=0, le=1 << 62)] = None,
    last_event_id: Annotated[str | None, Header(pattern=r"^\d{0,18}$")] = None,
) -> EventStream:
    """What changed since a number (`after`, or Last-Event-ID), then what changes."""
    start = int(last_event_id) if last_event_id else after
    session: Session = request.state.session
    return EventStream(stream(services, session, start))


async def stream(services: Services, session: Session, after: int | None) -> AsyncGenerator[str]:
    """The stream's text, until the session or the server ends."""
    async with services.feed.follow(after) as follower:
        yield format_event("hello", {"version": services.version})
        async with aclosing(until_ended(follower.events(), session)) as events:
            async for event in events:
                yield KEEP_ALIVE if event is None else present(event)


def present(event: ResourceChanged | FilesChanged) -> str:
    """An event in the stream's format. Only changes of records can be resumed and have ids."""
    if isinstance(event, FilesChanged):
        changed = {
            "projectId": event.project_id,
            "folders": sorted(event.folders),
            "overflow": event.overflow,
            "git": event.git,
            "note": event.note,
        }
        return format_event("files", changed)
    data = {
        "seq": event.seq,
        "kind": event.kind,
        "id": event.id,
        "projectId": event.project_id,
        "action": event.action,
        "version": event.version,
    }
    return f"id: {event.seq}\n" + format_event("change", data)


def format_event(name: str, data: Mapping[str, object]) -> str:
    """One server-sent event."""
    return f"event: {name}\ndata: {json.dumps(data)}\n\n"
