"""Authorship: who wrote what of a text, and a statement of it to hand in."""

from starlette.responses import Response

from recto.reviews import statement
from recto.server.access import for_embedding, for_session
from recto.server.responses import may_answer
from recto.server.routes.files.files import Path
from recto.server.routes.router import Router
from recto.server.schemas.base import ResourceId
from recto.server.schemas.documents.reviews import Authorship
from recto.server.services import ServicesDependency
from recto.server.views.review import present_authorship

router = Router(prefix="/api/v1/projects/{project_id}", tags=["authorship"])

MAY_FAIL = may_answer(404, 409, 415, 422)


@router.get("/authorship", response_model=Authorship, responses=MAY_FAIL)
@for_session
async def get_authorship(
    project_id: ResourceId, services: ServicesDependency, path: Path
) -> Authorship:
    """Who wrote each part of a text."""
    return present_authorship(await services.authorships.of(project_id, path))


@router.get(
    "/authorship/statement",
    response_class=Response,
    responses={
        **MAY_FAIL,
        200: {"description": "The statement", "content": {"text/markdown": {}}},
    },
)
@for_embedding
async def get_statement(
    project_id: ResourceId, services: ServicesDependency, path: Path
) -> Response:
    """How much of a text AI wrote, with which models and when, in plain Markdown."""
    found = await services.authorships.of(project_id, path)
    text = statement(found, now_ms=services.clock.now_ms(), zone=services.zone)
    return Response(text, media_type="text/markdown", headers={"cache-control": "no-store"})
