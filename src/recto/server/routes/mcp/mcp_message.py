"""What a message can take of MCP servers: resources to mention, and prompts."""

from recto.mcp import id_of
from recto.server.access import for_session
from recto.server.responses import may_answer
from recto.server.routes.router import Router
from recto.server.schemas.base import ResourceId
from recto.server.schemas.mcp import (
    McpMessageOffers,
    McpMessageOffersList,
    McpPrompt,
    McpResource,
    McpResourceTemplate,
)
from recto.server.services import ServicesDependency

router = Router(prefix="/api/v1/projects/{project_id}/mcp-offers", tags=["mcp"])


@router.get("", response_model=McpMessageOffersList, responses=may_answer(404, 422))
@for_session
async def list_mcp_offers(
    project_id: ResourceId, services: ServicesDependency
) -> McpMessageOffersList:
    """What a message can take of all servers that run: resources to mention, and prompts."""
    workspace = await services.workspaces.get(project_id)
    return McpMessageOffersList(
        items=[
            McpMessageOffers(
                server_id=id_of(server.config),
                server=server.name,
                resources=[McpResource.model_validate(one) for one in found.resources.items],
                templates=[
                    McpResourceTemplate.model_validate(one) for one in found.resources.templates
                ],
                prompts=[McpPrompt.model_validate(one) for one in found.prompts],
                problem=found.problem,
            )
            for server, found in await services.mcp.message_offers(project_id, workspace)
        ]
    )
