"""The chats of a project: listed, begun, synced, changed, moved, added to, put away."""

from collections.abc import Collection
from typing import Annotated

from fastapi import Header, Query
from starlette.responses import Response

from recto.chats import Chat as Found
from recto.chats import (
    ChatChange,
    ClientChat,
    NewChatOptions,
    PinnedItems,
    PlainMessage,
    SyncOutcome,
)
from recto.server.access import for_session, takes_megabytes
from recto.server.problems import problem_response
from recto.server.responses import may_answer
from recto.server.routes.projects import NO_VERSION
from recto.server.routes.router import Router
from recto.server.rows import read_rows
from recto.server.schemas.base import ResourceId
from recto.server.schemas.chats.chats import (
    Chat,
    ChatMessage,
    ChatPage,
    ChatsToSync,
    ChatUpdate,
    NewChat,
    NewMessage,
    SyncedChat,
    SyncedChatResult,
    SyncedChats,
    WholeChat,
)
from recto.server.services import Services, ServicesDependency
from recto.server.views.chat_list import present_chat, present_message

router = Router(prefix="/api/v1/projects/{project_id}/chats", tags=["chats"])

PAGE_SIZE = 50
MOST_NAMED = 100


@router.get("", response_model=ChatPage, responses=may_answer(404, 422))
@for_session
async def list_chats(
    project_id: ResourceId,
    services: ServicesDependency,
    cursor: Annotated[str | None, Query(max_length=500)] = None,
    limit: Annotated[int, Query(ge=1, le=1000)] = PAGE_SIZE,
    id: Annotated[list[ResourceId] | None, Query(max_length=MOST_NAMED)] = None,
) -> ChatPage:
    """The chats of a project and the global ones, the most recently active first.

    With `id`, once or more often, those of these that it has.
    """
    await services.projects.get(project_id)
    if id is None:
        page = await services.chats.page(project_id, cursor, limit)
        found, next_cursor = page.items, page.next_cursor
    else:
        found, next_cursor = await services.chats.some(project_id, id), None
    running = await services.chats.running()
    items = [present_chat(chat, is_running=chat.id in running) for chat in found]
    return ChatPage(items=items, next_cursor=next_cursor)


@router.post(
    "", status_code=201, response_model=Chat, responses=may_answer(400, 404, 409, 413, 422)
)
@for_session
async def create_chat(
    project_id: ResourceId, body: NewChat, services: ServicesDependency, response: Response
) -> Chat:
    """Begin a chat."""
    options = NewChatOptions(
        id=body.id,
        group_id=body.group_id,
        context_ids=None if body.context_ids is None else tuple(body.context_ids),
        skill_ids=None if body.skill_ids is None else tuple(body.skill_ids),
        additional_files=tuple(body.additional_files),
        additional_prompt=body.additional_prompt,
        is_global=body.is_global,
    )
    chat = await services.chats.create(project_id, body.title, body.model, options)
    return await tagged(services, chat, response)


# Before the routes with an id: "bulk-sync" is none.
@router.post("/bulk-sync", response_model=SyncedChats, responses=may_answer(400, 404, 413, 422))
@for_session
@takes_megabytes(64)
async def sync_chats(
    project_id: ResourceId, body: ChatsToSync, services: ServicesDependency
) -> SyncedChats:
    """Bring the chats of a client and of the server together.

    The higher `_version` wins, then the later `lastActiveAt`; histories only grow. Each row is
    taken, kept or refused by itself; the same call twice changes nothing.
    """
    rows = read_rows(SyncedChat, body.chats)
    synced = await services.chats.sync(project_id, [row_of(row) for row in rows.read.values()])
    running = await services.chats.running()
    results = dict(zip(rows.read, (present_synced(item, running) for item in synced), strict=True))
    for place, row in rows.refused.items():
        results[place] = SyncedChatResult(id=row.id, outcome="refused", reason=row.reason)
    return SyncedChats(results=[results[place] for place in range(len(body.chats))])


@router.get("/{chat_id}", response_model=WholeChat, responses=may_answer(404, 422))
@for_session
async def get_chat(
    project_id: ResourceId, chat_id: ResourceId, services: ServicesDependency, response: Response
) -> WholeChat:
    """A chat with everything that was said; its version is the ETag."""
    chat = await services.chats.find(project_id, chat_id)
    messages = await services.chats.messages(chat_id)
    return WholeChat(
        **dict(await tagged(services, chat, response)),
        messages=[present_message(message) for message in messages],
    )


@router.put(
    "/{chat_id}", response_model=Chat, responses=may_answer(400, 404, 409, 412, 413, 422, 428)
)
@for_session
async def update_chat(
    project_id: ResourceId,
    chat_id: ResourceId,
    body: ChatUpdate,
    services: ServicesDependency,
    response: Response,
    if_match: Annotated[str | None, Header(pattern=r'^"\d{1,18}"$')] = None,
) -> Response | Chat:
    """Change a chat: its title, model, folder, what is pinned to it, where it is listed.

    Another `projectId` moves it. What the other project has not stays behind: the folder, contexts
    and skills of one's own.
    """
    if if_match is None:
        return problem_response(NO_VERSION)
    wanted = ChatChange(
        title=body.title,
        model=body.model,
        group_id=body.group_id,
        pinned=pinned_in(body),
        is_global=body.is_global,
        project_id=body.project_id,
    )
    version = int(if_match.strip('"'))
    chat = await services.chats.change(project_id, chat_id, wanted, version=version)
    return await tagged(services, chat, response)


@router.delete("/{chat_id}", status_code=204, responses=may_answer(404, 422))
@for_session
async def delete_chat(
    project_id: ResourceId, chat_id: ResourceId, services: ServicesDependency
) -> None:
    """Put a chat away: nobody can open or find it any more, and no sync brings it back.

    What it cost stays in the ledger.
    """
    await services.chats.find(project_id, chat_id)
    await services.chats.delete(chat_id)


@router.post(
    "/{chat_id}/messages",
    status_code=201,
    response_model=ChatMessage,
    responses={
        **may_answer(400, 404, 409, 413, 422),
        200: {"model": ChatMessage, "description": "Known already"},
    },
)
@for_session
@takes_megabytes(16)
async def add_message(
    project_id: ResourceId,
    chat_id: ResourceId,
    body: NewMessage,
    services: ServicesDependency,
    response: Response,
) -> ChatMessage:
    """Add something that was said elsewhere to a chat; no model is asked."""
    message = PlainMessage(
        id=body.id or services.ids.new(),
        role=body.role,
        text=body.text,
        created_ms=services.clock.now_ms() if body.created_at is None else body.created_at,
    )
    added = await services.chats.add_message(project_id, chat_id, message)
    response.status_code = 201 if added.is_new else 200
    return present_message(added.message)


async def tagged(services: Services, chat: Found, response: Response) -> Chat:
    """The chat, with its version in the header."""
    response.headers["etag"] = f'"{chat.version}"'
    return present_chat(chat, is_running=chat.id in await services.chats.running())


def present_synced(synced: SyncOutcome[Found], running: Collection[str]) -> SyncedChatResult:
    """What became of a chat that a client sent."""
    chat = synced.row
    return SyncedChatResult(
        id=synced.id,
        outcome=synced.outcome,
        reason=synced.reason,
        row=None if chat is None else present_chat(chat, is_running=chat.id in running),
    )


def row_of(body: SyncedChat) -> ClientChat:
    """A chat as a client has it."""
    return ClientChat(
        id=body.id,
        title=body.title,
        created_ms=body.created_at,
        last_active_ms=body.last_active_at,
        version=body.version,
        group_id=body.group_id,
        pinned=pinned_in(body),
        is_global=body.is_global,
        model=body.model,
        messages=None
        if body.messages is None
        else tuple(
            PlainMessage(message.id, message.role, message.text, message.created_at)
            for message in body.messages
        ),
    )


def pinned_in(body: ChatUpdate | SyncedChat) -> PinnedItems:
    """What a body says is pinned to a chat."""
    return PinnedItems(
        tuple(body.context_ids),
        tuple(body.skill_ids),
        tuple(body.additional_files),
        body.additional_prompt,
    )
