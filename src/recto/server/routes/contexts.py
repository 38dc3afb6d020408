"""Contexts: named groups of files."""

from typing import Annotated

from fastapi import Header, Query
from starlette.responses import Response

from recto.projects import CountedContext
from recto.server.access import for_session, takes_megabytes
from recto.server.problems import problem_response
from recto.server.responses import may_answer
from recto.server.routes.projects import NO_VERSION
from recto.server.routes.router import Router
from recto.server.schemas.base import ResourceId
from recto.server.schemas.contexts import Context, ContextPage, ContextUpdate, Model, NewContext
from recto.server.services import ServicesDependency

router = Router(prefix="/api/v1/projects/{project_id}/contexts", tags=["contexts"])

PAGE_SIZE = 50
LARGEST_BODY = 8
"""Megabytes: ten thousand long paths."""


@router.get("", response_model=ContextPage, responses=may_answer(404, 422))
@for_session
async def list_contexts(
    project_id: ResourceId,
    services: ServicesDependency,
    cursor: Annotated[str | None, Query(max_length=500)] = None,
    limit: Annotated[int, Query(ge=1, le=200)] = PAGE_SIZE,
    model: Annotated[Model | None, Query()] = None,
) -> ContextPage:
    """The contexts of a project, the newest first, as `model` counts their files now."""
    page = await services.contexts.page(project_id, cursor, limit, model or "")
    return ContextPage(items=[present(item) for item in page.items], next_cursor=page.next_cursor)


@router.post(
    "", status_code=201, response_model=Context, responses=may_answer(400, 404, 409, 413, 422)
)
@for_session
@takes_megabytes(LARGEST_BODY)
async def create_context(
    project_id: ResourceId, body: NewContext, services: ServicesDependency, response: Response
) -> Context:
    """Keep some files under a name. They need not be there yet, but must be inside the folder."""
    return tagged(
        await services.contexts.add(project_id, body.name, body.files, body.color), response
    )


@router.get("/{context_id}", response_model=Context, responses=may_answer(404, 422))
@for_session
async def get_context(
    project_id: ResourceId, context_id: ResourceId, services: ServicesDependency, response: Response
) -> Context:
    """One context; its version is the ETag."""
    return tagged(await services.contexts.get(project_id, context_id), response)


@router.put(
    "/{context_id}",
    response_model=Context,
    responses=may_answer(400, 404, 409, 412, 413, 422, 428),
)
@for_session
@takes_megabytes(LARGEST_BODY)
async def update_context(
    project_id: ResourceId,
    context_id: ResourceId,
    body: ContextUpdate,
    services: ServicesDependency,
    response: Response,
    if_match: Annotated[str | None, Header(pattern=r'^"\d{1,18}"$')] = None,
) -> Response | Context:
    """Change a context, if it is still in the version the caller saw."""
    if if_match is None:
        return problem_response(NO_VERSION)
    found = await services.contexts.update(
        project_id,
        context_id,
        name=body.name,
        files=body.files,
        color=body.color,
        version=int(if_match.strip('"')),
    )
    return tagged(found, response)


@router.delete("/{context_id}", status_code=204, responses=may_answer(404, 422))
@for_session
async def delete_context(
    project_id: ResourceId, context_id: ResourceId, services: ServicesDependency
) -> None:
    """Forget a context. Its files stay where they are."""
    await services.contexts.remove(project_id, context_id)


def tagged(found: CountedContext, response: Response) -> Context:
    """The context, with its version in the header."""
    response.headers["etag"] = f'"{found.context.version}"'
    return present(found)


def present(found: CountedContext) -> Context:
    """A context and its tokens as the API tells them."""
    context = found.context
    return Context(
        id=context.id,
        project_id=context.project_id,
        name=context.name,
        files=list(context.files),
        color=context.color,
        token_count=found.tokens,
        token_count_updated_at=found.counted_ms,
        missing_files=list(found.missing),
        created_at=context.created_ms,
        last_used_at=context.last_used_ms,
        version=context.version,
    )
