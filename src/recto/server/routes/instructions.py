"""What a folder tells the AI: read by people, and agreed to or not."""

from recto.server.access import for_session
from recto.server.responses import may_answer
from recto.server.routes.router import Router
from recto.server.schemas.base import ResourceId
from recto.server.schemas.instructions import (
    InstructionConsent,
    InstructionList,
    present_instruction,
)
from recto.server.services import ServicesDependency

router = Router(prefix="/api/v1/projects/{project_id}/instructions", tags=["instructions"])


@router.get("", response_model=InstructionList, responses=may_answer(404, 422))
@for_session
async def list_instructions(
    project_id: ResourceId, services: ServicesDependency
) -> InstructionList:
    """The instructions that the folder has now, each with what was said to it."""
    found = await services.instructions.list(project_id)
    return InstructionList(items=[present_instruction(item) for item in found])


@router.put("", response_model=InstructionList, responses=may_answer(400, 404, 409, 422))
@for_session
async def put_consent(
    project_id: ResourceId, body: InstructionConsent, services: ServicesDependency
) -> InstructionList:
    """Have a text followed everywhere, or not by suggestions; chats go on to ask about it."""
    follow = body.consent == "follow"
    await services.instructions.answer(project_id, body.path, body.hash, follow=follow)
    return await list_instructions(project_id, services)
