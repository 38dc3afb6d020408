"""MCP servers of a project: the user's own and those of its folder, and what they offer."""

from recto.mcp import McpFailure, declaration_of, find_tool
from recto.mcp import McpServer as FoundServer
from recto.server.access import for_session
from recto.server.responses import may_answer
from recto.server.routes.router import Router
from recto.server.schemas.base import ResourceId
from recto.server.schemas.mcp import (
    McpDecision,
    McpFileUse,
    McpLog,
    McpServer,
    McpServerId,
    McpServerList,
    McpServerUpdate,
    McpToolName,
    McpToolSeen,
    McpToolUpdate,
    NewMcpServer,
)
from recto.server.services import Services, ServicesDependency
from recto.server.views.mcp import present_file, present_server, tokens_of
from recto.tools import DECLARATIONS

router = Router(prefix="/api/v1/projects/{project_id}/mcp", tags=["mcp"])


@router.get("", response_model=McpServerList, responses=may_answer(404, 422))
@for_session
async def list_mcp_servers(project_id: ResourceId, services: ServicesDependency) -> McpServerList:
    """The servers that count in a project; those that may run are started."""
    return await listed(project_id, services)


@router.post(
    "", status_code=201, response_model=McpServerList, responses=may_answer(400, 404, 409, 422)
)
@for_session
async def add_mcp_server(
    project_id: ResourceId, body: NewMcpServer, services: ServicesDependency
) -> McpServerList:
    """Add a server to the home's file, for every project, and start it."""
    given = body.model_dump(exclude_defaults=True, exclude={"name"})
    await services.mcp.add(body.name, given)
    return await listed(project_id, services)


@router.put("/files", response_model=McpServerList, responses=may_answer(400, 404, 422))
@for_session
async def use_mcp_file(
    project_id: ResourceId, body: McpFileUse, services: ServicesDependency
) -> McpServerList:
    """Say whether a file of another program is read in this project."""
    workspace = await services.workspaces.get(project_id)
    await services.mcp.read_file(workspace, body.path, wanted=body.is_read)
    return await listed(project_id, services)


@router.get("/{server_id}", response_model=McpServer, responses=may_answer(404, 422))
@for_session
async def get_mcp_server(
    project_id: ResourceId, server_id: McpServerId, services: ServicesDependency
) -> McpServer:
    """One server."""
    return present_server(await found(project_id, server_id, services), services)


@router.put("/{server_id}", response_model=McpServer, responses=may_answer(400, 404, 422))
@for_session
async def update_mcp_server(
    project_id: ResourceId,
    server_id: McpServerId,
    body: McpServerUpdate,
    services: ServicesDependency,
) -> McpServer:
    """Switch a server on or off, and say how it is used."""
    server = await found(project_id, server_id, services)
    await services.mcp.switch(server, **body.model_dump(exclude_none=True))
    return present_server(server, services)


@router.delete("/{server_id}", status_code=204, responses=may_answer(404, 422))
@for_session
async def remove_mcp_server(
    project_id: ResourceId, server_id: McpServerId, services: ServicesDependency
) -> None:
    """Take a server out of the home's file, with all that is kept of it."""
    server = await found(project_id, server_id, services)
    if server.config.root is not None:
        raise McpFailure(
            f"{server.name} is named in {server.config.source}.",
            "Change that file, or switch it off.",
        )
    await services.mcp.remove(server.name)
    await services.mcp.look(project_id, await services.workspaces.get(project_id))


@router.put(
    "/{server_id}/approval", response_model=McpServer, responses=may_answer(400, 404, 409, 422)
)
@for_session
async def decide_mcp_server(
    project_id: ResourceId, server_id: McpServerId, body: McpDecision, services: ServicesDependency
) -> McpServer:
    """Say whether a folder's server may be started as it was shown. A change asks again."""
    server = await found(project_id, server_id, services)
    await services.mcp.decide(server, body.digest, approved=body.approved)
    return present_server(server, services)


@router.post("/{server_id}/restart", response_model=McpServer, responses=may_answer(404, 422))
@for_session
async def restart_mcp_server(
    project_id: ResourceId, server_id: McpServerId, services: ServicesDependency
) -> McpServer:
    """End a server with all that it started, and begin again."""
    server = await found(project_id, server_id, services)
    await server.restart()
    return present_server(server, services)


@router.get("/{server_id}/log", response_model=McpLog, responses=may_answer(404, 422))
@for_session
async def read_mcp_log(
    project_id: ResourceId, server_id: McpServerId, services: ServicesDependency
) -> McpLog:
    """The newest lines of what a server wrote to its error output."""
    server = await found(project_id, server_id, services)
    return McpLog(lines=list(server.log.lines))


@router.put(
    "/{server_id}/tools/{name}", response_model=McpServer, responses=may_answer(400, 404, 422)
)
@for_session
async def permit_mcp_tool(
    project_id: ResourceId,
    server_id: McpServerId,
    name: McpToolName,
    body: McpToolUpdate,
    services: ServicesDependency,
) -> McpServer:
    """Say how a tool may be used from now on."""
    server = await found(project_id, server_id, services)
    declared = declaration_of(server, find_tool(server, name))
    services.tools.permit_declared(declared, body.permission)
    await services.feed.announce("mcp")
    return present_server(server, services)


@router.put(
    "/{server_id}/tools/{name}/seen",
    response_model=McpServer,
    responses=may_answer(400, 404, 409, 422),
)
@for_session
async def see_mcp_tool(
    project_id: ResourceId,
    server_id: McpServerId,
    name: McpToolName,
    body: McpToolSeen,
    services: ServicesDependency,
) -> McpServer:
    """Say that a tool's change was seen: it is on again as it is now."""
    server = await found(project_id, server_id, services)
    await services.mcp.see(server, name, body.digest)
    return present_server(server, services)


async def found(project_id: str, server_id: str, services: Services) -> FoundServer:
    """A server of a project. Raises NoSuchMcpServer, RecordNotFound."""
    workspace = await services.workspaces.get(project_id)
    return await services.mcp.find(project_id, workspace, server_id)


async def listed(project_id: str, services: Services) -> McpServerList:
    """The servers as the settings show them."""
    seen = await services.mcp.look(project_id, await services.workspaces.get(project_id))
    return McpServerList(
        items=[present_server(server, services) for server in seen.servers],
        files=[present_file(file) for file in seen.files],
        own_tokens=sum(tokens_of(item, services) for item in DECLARATIONS),
    )
