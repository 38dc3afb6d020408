"""What MCP servers offer besides tools (resources, prompts, completions), and signing in."""

from recto.server.access import for_session
from recto.server.responses import may_answer
from recto.server.routes.mcp.mcp import found
from recto.server.routes.router import Router
from recto.server.schemas.base import ResourceId
from recto.server.schemas.mcp import (
    McpCompletionRequest,
    McpCompletions,
    McpPromptList,
    McpPromptRequest,
    McpPromptText,
    McpResourceList,
    McpResourceRequest,
    McpResourceText,
    McpServerId,
    McpSignIn,
)
from recto.server.services import ServicesDependency

router = Router(prefix="/api/v1/projects/{project_id}/mcp/{server_id}", tags=["mcp"])


@router.get("/resources", response_model=McpResourceList, responses=may_answer(404, 422, 503))
@for_session
async def list_mcp_resources(
    project_id: ResourceId, server_id: McpServerId, services: ServicesDependency
) -> McpResourceList:
    """What can be read of a server, and the forms of addresses that it has besides."""
    server = await found(project_id, server_id, services)
    return McpResourceList.model_validate(await server.offers.resources())


@router.post(
    "/resources/read", response_model=McpResourceText, responses=may_answer(400, 404, 422, 503)
)
@for_session
async def read_mcp_resource(
    project_id: ResourceId,
    server_id: McpServerId,
    body: McpResourceRequest,
    services: ServicesDependency,
) -> McpResourceText:
    """A resource as text."""
    server = await found(project_id, server_id, services)
    return McpResourceText.model_validate(await server.offers.read_resource(body.uri))


@router.get("/prompts", response_model=McpPromptList, responses=may_answer(404, 422, 503))
@for_session
async def list_mcp_prompts(
    project_id: ResourceId, server_id: McpServerId, services: ServicesDependency
) -> McpPromptList:
    """The words that a server has ready, each with what it wants to know."""
    server = await found(project_id, server_id, services)
    return McpPromptList.model_validate({"items": await server.offers.prompts()})


@router.post("/prompts/get", response_model=McpPromptText, responses=may_answer(400, 404, 422, 503))
@for_session
async def get_mcp_prompt(
    project_id: ResourceId,
    server_id: McpServerId,
    body: McpPromptRequest,
    services: ServicesDependency,
) -> McpPromptText:
    """A prompt with its arguments, as words to send."""
    server = await found(project_id, server_id, services)
    return McpPromptText(text=await server.offers.get_prompt(body.name, body.arguments))


@router.post("/sign-in", response_model=McpSignIn, responses=may_answer(404, 422))
@for_session
async def sign_in_to_mcp_server(
    project_id: ResourceId, server_id: McpServerId, services: ServicesDependency
) -> McpSignIn:
    """Begin a sign-in: an address for the browser. The server starts by itself once it is done."""
    server = await found(project_id, server_id, services)
    return McpSignIn(url=await server.sign_in())


@router.delete("/sign-in", status_code=204, responses=may_answer(404, 422))
@for_session
async def sign_out_of_mcp_server(
    project_id: ResourceId, server_id: McpServerId, services: ServicesDependency
) -> None:
    """Forget the tokens of a sign-in."""
    await (await found(project_id, server_id, services)).sign_out()


@router.post("/complete", response_model=McpCompletions, responses=may_answer(400, 404, 422, 503))
@for_session
async def complete_mcp_argument(
    project_id: ResourceId,
    server_id: McpServerId,
    body: McpCompletionRequest,
    services: ServicesDependency,
) -> McpCompletions:
    """What an argument of a prompt, or a part of a resource's address, could be."""
    server = await found(project_id, server_id, services)
    completions = await server.offers.complete(
        body.kind, body.name, body.argument, body.value, body.known
    )
    return McpCompletions.model_validate(completions)
