"""What was said in a chat and what goes on in it: opened, read, followed, branched, pinned."""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Annotated

from fastapi import Header, Query, Request, WebSocket
from fastapi import Path as InPath
from starlette.responses import Response, StreamingResponse

from recto.chats import ChatFailure, pins_of
from recto.projects import StorageFailure
from recto.server.access import for_embedding, for_session
from recto.server.event_stream import EventStream, Sending, StreamedEvent, until_ended
from recto.server.problems import Problem, problem_response
from recto.server.responses import may_answer
from recto.server.routes.router import Router
from recto.server.schemas.base import ResourceId
from recto.server.schemas.chats.chat_events import ChatEvent, ChatView
from recto.server.schemas.chats.chats import Chat
from recto.server.schemas.chats.entries import EntryPage
from recto.server.schemas.chats.turns import Pin
from recto.server.services import Services, ServicesDependency
from recto.server.sessions import Session
from recto.server.sockets import POLICY, send_events
from recto.server.views.chat import present_entries, present_event, present_view
from recto.server.views.chat_list import present_chat

router = Router(prefix="/api/v1", tags=["chats"])

FAR = 1 << 62
NO_PICTURE = Problem(415, "Not a picture", "There is no picture with this name.")
PICTURES = (
    (b"\x89PNG", "image/png"),
    (b"\xff\xd8", "image/jpeg"),
    (b"GIF8", "image/gif"),
    (b"RIFF", "image/webp"),
)


@router.get("/chats/{chat_id}", response_model=ChatView, responses=may_answer(404, 422))
@for_session
async def open_chat(chat_id: ResourceId, services: ServicesDependency) -> ChatView:
    """The end of a chat, what goes on in it, and from where to follow it."""
    return present_view(await services.chats.view(chat_id))


@router.get("/chats/{chat_id}/entries", response_model=EntryPage, responses=may_answer(404, 422))
@for_session
async def earlier_entries(
    chat_id: ResourceId,
    services: ServicesDependency,
    before: Annotated[int, Query(ge=1, le=FAR)] = FAR,
    limit: Annotated[int, Query(ge=1, le=500)] = 60,
) -> EntryPage:
    """Entries before a number, in order."""
    chat = await services.chats.get(chat_id)
    entries, has_earlier = await services.chats.entries(chat_id, before, limit)
    return EntryPage(items=present_entries(entries, pins_of(chat)), has_earlier=has_earlier)


@router.get(
    "/chats/{chat_id}/discarded/{entry_id}",
    response_model=EntryPage,
    responses=may_answer(404, 409, 422),
)
@for_session
async def discarded_entries(
    chat_id: ResourceId, entry_id: ResourceId, services: ServicesDependency
) -> EntryPage:
    """What an edit or a retry has put aside."""
    entries = await services.chats.discarded(chat_id, entry_id)
    return EntryPage(items=present_entries(entries, ()), has_earlier=False)


@router.post(
    "/chats/{chat_id}/entries/{entry_id}/branch",
    status_code=201,
    response_model=Chat,
    responses=may_answer(404, 422),
)
@for_session
async def branch_chat(
    chat_id: ResourceId, entry_id: ResourceId, services: ServicesDependency
) -> Chat:
    """A new chat that begins with everything up to an entry."""
    return present_chat(await services.chats.branch(chat_id, entry_id), is_running=False)


@router.put(
    "/chats/{chat_id}/entries/{entry_id}/pin",
    status_code=204,
    responses=may_answer(400, 404, 422),
)
@for_session
async def pin_entry(
    chat_id: ResourceId, entry_id: ResourceId, body: Pin, services: ServicesDependency
) -> None:
    """Have an entry sent whole whatever happens, or no longer."""
    await services.chats.pin(chat_id, (entry_id,), pinned=body.pinned)


@router.get(
    "/chats/{chat_id}/images/{digest}",
    response_class=Response,
    responses={**may_answer(404, 415, 422), 200: {"content": {"image/*": {}}}},
)
@for_embedding
async def read_image(
    chat_id: ResourceId,
    digest: Annotated[str, InPath(pattern=r"^[0-9a-f]{64}$")],
    services: ServicesDependency,
) -> Response:
    """A picture of a chat."""
    data = await services.chats.image(chat_id, digest)
    kind = next((kind for start, kind in PICTURES if data.startswith(start)), None)
    if kind is None:
        return problem_response(NO_PICTURE)
    headers = {"cache-control": "private, max-age=31536000, immutable"}
    return Response(data, media_type=kind, headers=headers)


@router.get(
    "/chats/{chat_id}/events",
    response_class=StreamingResponse,
    responses={
        **may_answer(404, 422),
        200: {
            "model": ChatEvent,
            "description": "Server-sent events named chat; each data is one ChatEvent, its id seq",
            "content": {"text/event-stream": {}},
        },
    },
)
@for_session
async def chat_events(
    chat_id: ResourceId,
    request: Request,
    services: ServicesDependency,
    after: Annotated[int, Query(ge=0, le=FAR)] = 0,
    last_event_id: Annotated[str | None, Header(pattern=r"^\d{0,18}$")] = None,
) -> EventStream:
    """Everything that happens in a chat after a number (`after`, or Last-Event-ID)."""
    await services.chats.get(chat_id)
    session: Session = request.state.session
    start = int(last_event_id) if last_event_id else after
    return EventStream(begun(until_ended(stream(services, chat_id, start), session)))


@router.websocket("/chats/{chat_id}/events")
@for_session
async def chat_events_socket(
    websocket: WebSocket, chat_id: ResourceId, after: Annotated[int, Query(ge=0, le=FAR)] = 0
) -> None:
    """The same events over a socket: in each message the name chat, then one ChatEvent."""
    services: Services = websocket.app.state.services
    session: Session = websocket.state.session
    try:
        await services.chats.get(chat_id)
    except (ChatFailure, StorageFailure):
        # Before it has opened: a page that is let in and out again would come back at once.
        await websocket.close(POLICY)
        return
    await websocket.accept()
    await send_events(websocket, stream(services, chat_id, after), session)


async def begun(events: Sending) -> Sending:
    """The events, after a word at once that they begin: a chat may say nothing for long."""
    async with aclosing(events):
        yield None
        async for event in events:
            yield event


async def stream(services: Services, chat_id: str, after: int) -> AsyncGenerator[StreamedEvent]:
    """The events, for as long as somebody listens."""
    pins = pins_of(await services.chats.get(chat_id))
    async with aclosing(services.chats.follow(chat_id, after)) as events:
        async for told in events:
            if event := present_event(told, pins):
                yield StreamedEvent("chat", event.model_dump_json(by_alias=True), event.seq)
