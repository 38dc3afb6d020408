"""Chats as files, and chats by their words: export, import, search."""

from typing import Annotated, Literal
from urllib.parse import quote

from fastapi import Query, Request
from starlette.responses import Response

from recto.server.access import for_embedding, for_session, takes_megabytes
from recto.server.responses import may_answer
from recto.server.routes.files.files import in_utf16, pair
from recto.server.routes.router import Router
from recto.server.schemas.base import ResourceId, Text
from recto.server.schemas.chats.chats import ChatMatch, ChatMatches, ImportResult
from recto.server.services import ServicesDependency

router = Router(prefix="/api/v1", tags=["chats"])


@router.get(
    "/chats/{chat_id}/export",
    response_class=Response,
    responses={
        **may_answer(404, 422),
        200: {
            "description": "The file",
            "content": {"text/markdown": {}, "text/html": {}, "application/json": {}},
        },
    },
)
@for_embedding
async def export_chat(
    chat_id: ResourceId,
    services: ServicesDependency,
    format: Literal["markdown", "html", "json"] = "markdown",
) -> Response:
    """A chat as a file: Markdown, one HTML page, or JSON with everything in it."""
    exported = await services.chats.export(chat_id, format)
    name = quote(exported.name, safe="")
    headers = {"content-disposition": f"attachment; filename*=UTF-8''{name}"}
    return Response(exported.data, media_type=exported.media_type, headers=headers)


@router.post(
    "/projects/{project_id}/chats/import",
    response_model=ImportResult,
    responses=may_answer(400, 404, 413, 422),
)
@for_session
@takes_megabytes(512)
async def import_chats(
    project_id: ResourceId, request: Request, services: ServicesDependency
) -> ImportResult:
    """Take in the chats of an export of ChatGPT, Claude, Open WebUI, LibreChat or Recto."""
    await services.projects.get(project_id)
    taken = await services.chats.take_in(project_id, await request.body())
    return ImportResult(imported=taken.imported, known=taken.known, skipped=list(taken.skipped))


@router.get(
    "/projects/{project_id}/chat-search",
    response_model=ChatMatches,
    responses=may_answer(404, 422),
)
@for_session
async def search_chats(
    project_id: ResourceId,
    services: ServicesDependency,
    query: Annotated[Text, Query(max_length=1000)],
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
) -> ChatMatches:
    """Places in chats that have these words."""
    await services.projects.get(project_id)
    found = await services.chats.search(project_id, query, limit)
    return ChatMatches(
        items=[
            ChatMatch(
                chat_id=hit.chat_id,
                title=hit.title,
                entry_id=hit.entry_id,
                seq=hit.seq,
                kind=hit.kind,
                snippet=hit.snippet,
                ranges=[pair(in_utf16(hit.snippet, ends)) for ends in hit.ranges],
                is_thread=hit.is_thread,
            )
            for hit in found
        ]
    )
