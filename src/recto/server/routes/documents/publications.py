"""Publishing a document, and its citations as they will print."""

from collections.abc import AsyncGenerator
from contextlib import aclosing

from starlette.responses import Response

from recto.projects import Publication
from recto.publishing import PublishFailed, Stage, common_styles
from recto.server.access import for_session
from recto.server.keep_alive import LiveStream
from recto.server.responses import may_answer
from recto.server.routes.router import Router
from recto.server.schemas.base import ResourceId, Schema
from recto.server.schemas.documents.publications import (
    CitationsBody,
    CitationsShown,
    PreviewBody,
    PublishBody,
    PublishDone,
    PublishProblem,
    PublishStage,
    StyleList,
    StyleRow,
    present_citations,
    present_publication,
    present_stage,
)
from recto.server.services import ServicesDependency
from recto.workspace import PathExists, WorkspaceFailure

router = Router(prefix="/api/v1/projects/{project_id}", tags=["publishing"])

MAY_FAIL = may_answer(400, 403, 404, 409, 413, 415, 422)


@router.get("/citation-styles", response_model=StyleList, responses=may_answer(404, 422))
@for_session
async def list_styles(project_id: ResourceId, services: ServicesDependency) -> StyleList:
    """The citation styles that people ask for most."""
    await services.projects.get(project_id)
    return StyleList(items=[StyleRow(name=name, title=title) for name, title in common_styles()])


@router.post("/citations", response_model=CitationsShown, responses=MAY_FAIL)
@for_session
async def show_citations(
    project_id: ResourceId, body: CitationsBody, services: ServicesDependency
) -> CitationsShown:
    """The citations of a document as they will print, in its style, and its bibliography."""
    found = await services.publications.citations(project_id, body.path, body.head, body.citations)
    return present_citations(found)


@router.post(
    "/publish/preview",
    response_class=Response,
    responses={**MAY_FAIL, 200: {"description": "A page", "content": {"image/png": {}}}},
)
@for_session
async def preview_page(
    project_id: ResourceId, body: PreviewBody, services: ServicesDependency
) -> Response:
    """A picture of one page as it will be printed; how many there are stands in a header."""
    data, pages = await services.publications.preview(
        project_id, body.path, body.options(), body.page, takes_edits=body.takes_edits
    )
    return Response(data, media_type="image/png", headers={"x-pages": str(pages)})


@router.post(
    "/publish",
    response_class=Response,
    responses={
        **MAY_FAIL,
        200: {
            "model": PublishStage | PublishDone | PublishProblem,
            "description": "Server-sent events: stage for each step, then done or problem",
            "content": {"text/event-stream": {}},
        },
    },
)
@for_session
async def publish_document(
    project_id: ResourceId, body: PublishBody, services: ServicesDependency
) -> Response:
    """Publish a document beside itself. Closing the request stops it."""
    await services.projects.get(project_id)
    steps = services.publications.publish(
        project_id,
        body.path,
        body.options(),
        body.output,
        replace=body.replace,
        takes_edits=body.takes_edits,
    )
    return LiveStream(frames(steps))


async def frames(steps: AsyncGenerator[Stage | Publication]) -> AsyncGenerator[bytes]:
    """The steps as they go over the wire."""
    async with aclosing(steps):
        try:
            async for step in steps:
                if isinstance(step, Stage):
                    yield frame("stage", present_stage(step))
                else:
                    yield frame("done", present_publication(step))
        except PathExists as failure:
            yield frame("problem", PublishProblem(detail=str(failure), is_in_the_way=True))
        except (PublishFailed, WorkspaceFailure) as failure:
            yield frame("problem", PublishProblem(detail=str(failure), is_in_the_way=False))


def frame(name: str, body: Schema) -> bytes:
    """One server-sent event."""
    return f"event: {name}\ndata: {body.model_dump_json(by_alias=True)}\n\n".encode()
