"""What tools answered that was too long to be sent whole, for people to read."""

from typing import Annotated

from fastapi import Path, Query

from recto.server.access import for_session
from recto.server.problems import Problem, RequestProblem
from recto.server.responses import may_answer
from recto.server.routes.router import Router
from recto.server.schemas.base import ResourceId
from recto.server.schemas.chats.tool_outputs import ToolOutput
from recto.server.services import ServicesDependency
from recto.tools import NoSuchOutput

router = Router(prefix="/api/v1/projects/{project_id}/tool-outputs", tags=["chats"])
Handle = Annotated[str, Path(pattern=r"^output:[0-9a-f]{16}$")]
AT_ONCE = 100_000
NOT_KEPT = Problem(404, "Not found", "This output is not kept here.")


@router.get("/{handle}", response_model=ToolOutput, responses=may_answer(404, 422))
@for_session
async def read_tool_output(
    project_id: ResourceId,
    handle: Handle,
    services: ServicesDependency,
    start: Annotated[int, Query(ge=0)] = 0,
) -> ToolOutput:
    """A part of a kept output, from one of its characters on."""
    await services.projects.get(project_id)
    try:
        text = await services.chats.output(handle)
    except NoSuchOutput:
        raise RequestProblem(NOT_KEPT) from None
    return ToolOutput(text=text[start : start + AT_ONCE], characters=len(text))
