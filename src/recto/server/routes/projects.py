"""Projects: the folders Recto works in."""

from typing import Annotated

from fastapi import Header, Query
from starlette.responses import Response

from recto.projects import Project as FoundProject
from recto.server.access import for_session
from recto.server.problems import Problem, problem_response
from recto.server.responses import may_answer
from recto.server.routes.router import Router
from recto.server.schemas.base import ResourceId
from recto.server.schemas.projects import NewProject, Project, ProjectPage, ProjectUpdate
from recto.server.services import ServicesDependency

router = Router(prefix="/api/v1/projects", tags=["projects"])

PAGE_SIZE = 50
NO_VERSION = Problem(
    428,
    "A version is needed",
    "A change must name the version it is based on.",
    remedy='Send the ETag you got as If-Match, such as If-Match: "3".',
)


@router.get("", response_model=ProjectPage, responses=may_answer(422))
@for_session
async def list_projects(
    services: ServicesDependency,
    cursor: Annotated[str | None, Query(max_length=500)] = None,
    limit: Annotated[int, Query(ge=1, le=200)] = PAGE_SIZE,
) -> ProjectPage:
    """The projects, the most recently used first."""
    return ProjectPage.model_validate(await services.projects.page(cursor, limit))


@router.post(
    "",
    status_code=201,
    response_model=Project,
    responses={**may_answer(400, 422), 200: {"model": Project, "description": "Known already"}},
)
@for_session
async def create_project(
    body: NewProject, services: ServicesDependency, response: Response
) -> Project:
    """Work in a folder. A folder that is a project already is answered as it is."""
    project, is_new = await services.projects.place(body.path, body.name)
    response.status_code = 201 if is_new else 200
    return tagged(project, response)


@router.get("/current", response_model=Project, responses=may_answer(422))
@for_session
async def current_project(services: ServicesDependency, response: Response) -> Project:
    """The project of the folder Recto was started on."""
    return tagged(await services.projects.current(), response)


@router.get("/{project_id}", response_model=Project, responses=may_answer(404, 422))
@for_session
async def get_project(
    project_id: ResourceId, services: ServicesDependency, response: Response
) -> Project:
    """One project; its version is the ETag."""
    return tagged(await services.projects.get(project_id), response)


@router.post("/{project_id}/open", response_model=Project, responses=may_answer(404, 422))
@for_session
async def open_project(
    project_id: ResourceId, services: ServicesDependency, response: Response
) -> Project:
    """Note that somebody turns to this project now."""
    return tagged(await services.projects.open(project_id), response)


@router.put("/{project_id}", response_model=Project, responses=may_answer(400, 404, 412, 422, 428))
@for_session
async def update_project(
    project_id: ResourceId,
    body: ProjectUpdate,
    services: ServicesDependency,
    response: Response,
    if_match: Annotated[str | None, Header(pattern=r'^"\d{1,18}"$')] = None,
) -> Response | Project:
    """Change a project's name and settings, if it is still in the version the caller saw."""
    if if_match is None:
        return problem_response(NO_VERSION)
    project = await services.projects.update(
        project_id,
        name=body.name,
        settings=body.settings.model_dump(),
        version=int(if_match.strip('"')),
    )
    return tagged(project, response)


@router.delete("/{project_id}", status_code=204, responses=may_answer(404, 409, 422))
@for_session
async def delete_project(
    project_id: ResourceId,
    services: ServicesDependency,
    confirm: Annotated[str | None, Query(max_length=500)] = None,
) -> Response:
    """Delete what Recto keeps of a project, never its files. `confirm` is its exact name."""
    await services.projects.remove(project_id, confirm)
    services.workspaces.forget(project_id)
    return Response(status_code=204)


def tagged(project: FoundProject, response: Response) -> Project:
    """The project, with its version in the header."""
    response.headers["etag"] = f'"{project.version}"'
    return Project.model_validate(project)
