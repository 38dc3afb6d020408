"""Suggestions at the cursor: streamed as they come, with what becomes of them."""

from collections.abc import AsyncGenerator
from contextlib import aclosing

from starlette.responses import Response

from recto.assist import OfferedSuggestion, SuggestionsDone
from recto.context import CursorPlace
from recto.server.access import for_session
from recto.server.keep_alive import LiveStream
from recto.server.responses import may_answer
from recto.server.routes.router import Router
from recto.server.schemas.base import ResourceId, Schema
from recto.server.schemas.documents.suggestions import (
    Calibration,
    OutcomeBody,
    SuggestBody,
    SuggestDone,
    Suggested,
    present_calibration,
    present_done,
    present_offered,
)
from recto.server.services import ServicesDependency

router = Router(prefix="/api/v1", tags=["suggestions"])


@router.post(
    "/suggest",
    response_class=Response,
    responses={
        **may_answer(400, 404, 409, 413, 422),
        200: {
            "model": Suggested | SuggestDone,
            "description": "Server-sent events: suggestion for each, then done",
            "content": {"text/event-stream": {}},
        },
    },
)
@for_session
async def suggest(body: SuggestBody, services: ServicesDependency) -> Response:
    """How a text could go on at the cursor. Closing the request stops the model."""
    around = CursorPlace(
        path=body.path,
        before=body.prefix,
        after=body.suffix,
        language=body.language or "",
    )
    return LiveStream(frames(await services.suggestions.ask(body.project_id, around)))


async def frames(
    events: AsyncGenerator[OfferedSuggestion | SuggestionsDone],
) -> AsyncGenerator[bytes]:
    """The events as they go over the wire."""
    async with aclosing(events):
        async for event in events:
            if isinstance(event, OfferedSuggestion):
                yield frame("suggestion", present_offered(event))
            else:
                yield frame("done", present_done(event))


def frame(name: str, body: Schema) -> bytes:
    """One server-sent event."""
    return f"event: {name}\ndata: {body.model_dump_json(by_alias=True)}\n\n".encode()


@router.post(
    "/suggestions/{suggestion_id}/outcome", status_code=204, responses=may_answer(404, 422)
)
@for_session
async def put_outcome(
    suggestion_id: ResourceId, body: OutcomeBody, services: ServicesDependency
) -> None:
    """Say what became of suggestions."""
    await services.suggestions.decide(
        suggestion_id, body.outcome, index=body.index, characters=body.characters
    )


@router.get("/calibration", response_model=Calibration, responses=may_answer())
@for_session
async def get_calibration(services: ServicesDependency) -> Calibration:
    """How often what AI offered was taken, by how sure it was said to be."""
    return present_calibration(await services.calibration.curves())
