"""All that a page reads when it opens, in one answer instead of two dozen."""

from typing import Annotated

from fastapi import Query, Request
from starlette.responses import Response

from recto.server.access import for_session
from recto.server.many_answers import ManyAnswers
from recto.server.responses import may_answer
from recto.server.routes.router import Router
from recto.server.schemas.base import ResourceId
from recto.server.schemas.start import EarlyAnswer
from recto.server.services import ServicesDependency

router = Router(prefix="/api/v1", tags=["server"])

FOR_ANY = ("/projects", "/projects/current", "/preferences", "/providers", "/budget", "/tools")
FOR_ANY_LATER = ("/transforms", "/doctor")
MOST_PROJECTS = 200
IN_PROJECT = (
    "/folder?path=",
    "/chats?limit=500",
    "/chat-groups",
    "/contexts",
    "/skills",
    "/reviews",
    "/threads",
    "/file-names?query=&limit=1",
    "/git",
)
"""As the page asks for them: it finds each answer by its address."""


@router.get(
    "/start",
    response_class=Response,
    responses={
        **may_answer(422),
        200: {
            "model": EarlyAnswer,
            "description": "A line for each address, in the order in which they are ready",
            "content": {"application/x-ndjson": {}},
        },
    },
)
@for_session
async def start(
    request: Request,
    services: ServicesDependency,
    project: Annotated[ResourceId | None, Query()] = None,
) -> Response:
    """What a page needs to open a project, or the current one where there is no such project."""
    listed = await services.projects.page(None, MOST_PROJECTS)
    known = project is not None and any(one.id == project for one in listed.items)
    chosen = project if known else (await services.projects.current()).id
    addresses = (
        *FOR_ANY,
        *(f"/projects/{chosen}{part}" for part in IN_PROJECT),
        f"/models?projectId={chosen}",
        *FOR_ANY_LATER,
    )
    return ManyAnswers(request.app, [f"/api/v1{address}" for address in addresses])
