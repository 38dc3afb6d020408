"""Which tools and earlier calls a chat sends along."""

from typing import Annotated

from fastapi import Query

from recto.context import ToolInclusion
from recto.server.access import for_session
from recto.server.responses import may_answer
from recto.server.routes.router import Router
from recto.server.schemas.base import ResourceId, Text
from recto.server.schemas.chats.chat_tools import (
    ChatTool,
    ChatTools,
    ChatToolsChoice,
    ChatToolsMode,
)
from recto.server.services import Services, ServicesDependency

router = Router(prefix="/api/v1/projects/{project_id}/chats/{chat_id}/tools", tags=["chats"])

MAY_FAIL = may_answer(400, 403, 404, 409, 413, 415, 422)
Model = Annotated[Text | None, Query(max_length=300)]


@router.get("", response_model=ChatTools, responses=MAY_FAIL)
@for_session
async def get_tools(
    project_id: ResourceId, chat_id: ResourceId, services: ServicesDependency, model: Model = None
) -> ChatTools:
    """How a chat sends tools along, the tokens of each tool, and what each other way would do."""
    return await present(services, project_id, chat_id, model)


@router.put("", response_model=ChatTools, responses=MAY_FAIL)
@for_session
async def choose_tools(
    project_id: ResourceId,
    chat_id: ResourceId,
    body: ChatToolsChoice,
    services: ServicesDependency,
    model: Model = None,
) -> ChatTools:
    """Send tools along in another way, from the next turn on."""
    wanted = ToolInclusion(body.mode, tuple(dict.fromkeys(body.tools)), body.forget_after)
    await services.chats.include_tools(project_id, chat_id, wanted)
    return await present(services, project_id, chat_id, model)


async def present(
    services: Services, project_id: str, chat_id: str, model: str | None
) -> ChatTools:
    """The ways to send tools along, as the API tells them."""
    view = await services.chats.inclusion(project_id, chat_id, model)
    return ChatTools(
        mode=view.inclusion.mode,
        tools=list(view.inclusion.tools),
        forget_after=view.inclusion.forget_after,
        offered=[ChatTool.model_validate(tool) for tool in view.tools],
        modes=[ChatToolsMode.model_validate(mode) for mode in view.modes],
    )
