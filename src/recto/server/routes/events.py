"""The event stream: what changed, to every open page, resumable by number."""

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from typing import Annotated

from fastapi import APIRouter, Header, Query, Request
from starlette.responses import StreamingResponse

from recto.projects import FilesChanged, Follower, ResourceChanged
from recto.server.access import for_session
from recto.server.responses import may_answer
from recto.server.services import Given, Services
from recto.server.sessions import Session

router = APIRouter(tags=["events"])

KEEP_ALIVE_S = 15.0
KEEP_ALIVE = ": keep-alive\n\n"


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
) -> StreamingResponse:
    """What changed since a number (`after`, or Last-Event-ID), then what changes."""
    start = int(last_event_id) if last_event_id else after
    session: Session = request.state.session
    return StreamingResponse(
        stream(services, session, start),
        media_type="text/event-stream",
        headers={"cache-control": "no-store", "x-accel-buffering": "no"},
    )


async def stream(services: Services, session: Session, after: int | None) -> AsyncIterator[str]:
    """The stream's text, until the session or the server ends."""
    async with services.feed.follow(after) as follower:
        yield format_event("hello", {"version": services.version})
        async for text in until_ended(follower, session):
            yield text


async def until_ended(follower: Follower, session: Session) -> AsyncIterator[str]:
    """Each event as it comes; a comment when nothing comes for a while."""
    ended = asyncio.ensure_future(session.ended.wait())
    events = follower.events()
    coming = asyncio.ensure_future(anext(events, None))
    try:
        while not ended.done():
            await asyncio.wait(
                {ended, coming}, timeout=KEEP_ALIVE_S, return_when=asyncio.FIRST_COMPLETED
            )
            if not coming.done():
                yield KEEP_ALIVE
                continue
            event = coming.result()
            if event is None:
                return
            coming = asyncio.ensure_future(anext(events, None))
            yield present(event)
    finally:
        ended.cancel()
        coming.cancel()
        await asyncio.gather(ended, coming, return_exceptions=True)
        await events.aclose()


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
