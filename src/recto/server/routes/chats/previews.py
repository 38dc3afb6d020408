"""What will be sent: the next request of a chat, shown before it leaves."""

from recto.chats import Preview as Shown
from recto.server.access import for_session, takes_megabytes
from recto.server.responses import may_answer
from recto.server.routes.chats.turns import said
from recto.server.routes.router import Router
from recto.server.schemas.base import ResourceId
from recto.server.schemas.chats.previews import (
    AskPreview,
    CacheBreak,
    PartRemoved,
    Preview,
    PreviewLeftOut,
    PreviewPart,
)
from recto.server.services import ServicesDependency

router = Router(prefix="/api/v1", tags=["turns"])


@router.post(
    "/projects/{project_id}/preview",
    response_model=Preview,
    responses=may_answer(400, 403, 404, 409, 413, 415, 422),
)
@for_session
@takes_megabytes(32)
async def preview(
    project_id: ResourceId, body: AskPreview, services: ServicesDependency
) -> Preview:
    """The next request, part for part, with its price; nothing is sent or stored."""
    shown = await services.chats.preview(
        project_id, body.chat_id, said(body.turn), edits=body.edits
    )
    return present(shown, texts=body.texts)


def present(shown: Shown, *, texts: bool) -> Preview:
    """A preview as the API shows it."""
    return Preview(
        model=shown.access.id,
        model_name=shown.access.name,
        window=shown.access.window,
        tokens=shown.tokens,
        cost_micros=shown.cost_micros,
        cost_if_cached_micros=shown.cost_if_cached_micros,
        cached_tokens=shown.cached_tokens,
        parts=[
            PreviewPart(
                origin=part.slice.origin,
                name=part.slice.name,
                reason=part.reason,
                tokens=part.slice.tokens,
                cost_micros=part.cost_micros,
                state=part.state,
                is_cached=part.is_cached,
                entry_id=part.slice.entry_id or None,
                hash=part.slice.hash,
                text=part.text if texts else None,
            )
            for part in shown.parts
        ],
        removed=[PartRemoved.model_validate(removed_part) for removed_part in shown.removed],
        cache_break=None
        if shown.cache_break is None
        else CacheBreak.model_validate(shown.cache_break),
        left_out=[PreviewLeftOut.model_validate(item) for item in shown.left_out],
        too_long=shown.too_long,
    )
