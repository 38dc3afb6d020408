"""Recto as an MCP server: the folder it was started with at /mcp, any project at its own address.

Only for programs that know the token, or a signed-in page; the gate checks where a request is from.
"""

from fastapi import Request
from starlette.responses import Response

from recto.server.access import for_session, takes_megabytes
from recto.server.mcp_server.endpoint import McpResponse
from recto.server.problems import Problem, RequestProblem
from recto.server.routes.router import Router
from recto.server.schemas.base import ResourceId
from recto.server.services import ServicesDependency

router = Router(prefix="/mcp", include_in_schema=False)

NO_STREAM = Problem(
    405, "Nothing to listen to", "Recto answers what it is asked, and tells nothing by itself."
)


@router.post("")
@router.delete("")
@for_session
@takes_megabytes(4)
async def current(request: Request, services: ServicesDependency) -> Response:
    """The MCP server of the folder that Recto was started with."""
    project = await services.projects.current()
    return McpResponse(services.mcp_endpoint, request, project.id)


@router.post("/{project_id}")
@router.delete("/{project_id}")
@for_session
@takes_megabytes(4)
async def of_project(
    project_id: ResourceId, request: Request, services: ServicesDependency
) -> Response:
    """The MCP server of a project."""
    project = await services.projects.get(project_id)
    return McpResponse(services.mcp_endpoint, request, project.id)


@router.get("")
@router.get("/{project_id}")
@for_session
async def listen() -> Response:
    """A stream of messages that are no answers: there are none."""
    raise RequestProblem(NO_STREAM)
