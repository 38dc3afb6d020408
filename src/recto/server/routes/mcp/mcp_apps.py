"""What servers' tools answered, whole, and their apps: shown in a frame without an origin."""

from typing import Annotated

import msgspec
from fastapi import Path as InPath
from starlette.responses import Response

from recto.mcp import (
    McpFailure,
    McpServer,
    NoSuchMcpServer,
    ToolAnswer,
    call_for_app,
    frame_policy,
    tool_for_app,
)
from recto.messages import ToolCall
from recto.server.access import for_page, for_session
from recto.server.problems import Problem, RequestProblem
from recto.server.responses import may_answer
from recto.server.routes.router import Router
from recto.server.schemas.base import ResourceId
from recto.server.schemas.mcp import McpResourceRequest
from recto.server.schemas.mcp_apps import (
    McpApp,
    McpAppCall,
    McpAppCallAnswer,
    McpAppResource,
    McpToolAnswer,
)
from recto.server.services import Services, ServicesDependency
from recto.tools import NoSuchOutput, ToolFailure

router = Router(prefix="/api/v1/projects/{project_id}/tool-answers/{handle}", tags=["mcp"])
Handle = Annotated[str, InPath(pattern=r"^output:[0-9a-f]{16}$")]
NO_ANSWER = Problem(404, "Not found", "This answer is not kept here.")
NO_APP = Problem(404, "Not found", "This answer has no app.")


@router.get("", response_model=McpToolAnswer, responses=may_answer(404, 422))
@for_session
async def read_tool_answer(
    project_id: ResourceId, handle: Handle, services: ServicesDependency
) -> McpToolAnswer:
    """What a server's tool was asked and answered, in the words of the protocol."""
    answer = await kept(handle, services)
    server = await server_of(answer, project_id, services)
    agreed = () if server is None else server.record.app_origins
    return McpToolAnswer(
        server_id=answer.server_id,
        server=answer.server,
        tool=answer.tool,
        arguments=answer.arguments,
        result=answer.result,
        problem=answer.problem,
        app=None
        if answer.app is None
        else McpApp(
            has_border=answer.app.has_border,
            agreed=[item for item in answer.app.origins if item in agreed],
            wanted=[item for item in answer.app.origins if item not in agreed],
        ),
    )


@router.get(
    "/app",
    response_class=Response,
    responses={
        **may_answer(404, 422),
        200: {"description": "The app's page", "content": {"text/html": {}}},
    },
)
@for_page
async def read_app_page(
    project_id: ResourceId, handle: Handle, services: ServicesDependency
) -> Response:
    """An app as its server made it, under a policy that keeps it in its frame.

    The cookie is enough for whoever knows the handle: the app can read the address of its frame, so
    that none of the page's secrets may stand there.
    """
    answer = await kept(handle, services)
    if answer.app is None:
        raise RequestProblem(NO_APP)
    server = await server_of(answer, project_id, services)
    agreed = () if server is None else server.record.app_origins
    headers = {
        "content-security-policy": frame_policy(answer.app, agreed),
        "referrer-policy": "no-referrer",
    }
    page = await output(answer.app.page, services)
    return Response(page, media_type="text/html", headers=headers)


@router.post("/calls", response_model=McpAppCallAnswer, responses=may_answer(400, 404, 422, 503))
@for_session
async def call_tool_for_app(
    project_id: ResourceId, handle: Handle, body: McpAppCall, services: ServicesDependency
) -> McpAppCallAnswer:
    """Call a tool of the app's own server. One that asks is called only once a person agreed."""
    server = await own_server(await kept(handle, services), project_id, services)
    definition, tool = tool_for_app(server, body.name)
    workspace = await services.workspaces.get(project_id)
    toolbox = (await services.tools.open(workspace)).with_tool(tool)
    verdict = await toolbox.judge(ToolCall("app", tool.name, body.arguments), workspace)
    if verdict.kind == "deny":
        return McpAppCallAnswer(state="denied", why=verdict.why)
    if verdict.kind == "ask" and not body.approved:
        return McpAppCallAnswer(state="asks", why=verdict.why, name=tool.name)
    try:
        result = await call_for_app(server, definition, body.arguments)
    except ToolFailure as failure:
        return McpAppCallAnswer(state="failed", why=str(failure))
    return McpAppCallAnswer(state="answered", result=result)


@router.post("/resources", response_model=McpAppResource, responses=may_answer(400, 404, 422, 503))
@for_session
async def read_resource_for_app(
    project_id: ResourceId, handle: Handle, body: McpResourceRequest, services: ServicesDependency
) -> McpAppResource:
    """A resource of the app's own server, in the words of the protocol."""
    server = await own_server(await kept(handle, services), project_id, services)
    return McpAppResource(result=await server.offers.raw_resource(body.uri))


async def kept(handle: str, services: Services) -> ToolAnswer:
    """What a tool answered. Raises RequestProblem."""
    try:
        return msgspec.json.decode(await output(handle, services), type=ToolAnswer)
    except msgspec.DecodeError:
        raise RequestProblem(NO_ANSWER) from None


async def output(handle: str, services: Services) -> str:
    """A text that is kept. Raises RequestProblem."""
    try:
        return await services.chats.output(handle)
    except NoSuchOutput:
        raise RequestProblem(NO_ANSWER) from None


async def server_of(answer: ToolAnswer, project_id: str, services: Services) -> McpServer | None:
    """The server that answered; None when it is not there any more."""
    workspace = await services.workspaces.get(project_id)
    try:
        return await services.mcp.find(project_id, workspace, answer.server_id)
    except NoSuchMcpServer:
        return None


async def own_server(answer: ToolAnswer, project_id: str, services: Services) -> McpServer:
    """The server that an app belongs to. Raises McpFailure."""
    server = await server_of(answer, project_id, services)
    if answer.app is None:
        raise RequestProblem(NO_APP)
    if server is None or not server.may_run:
        raise McpFailure(f"The MCP server {answer.server} is off.", "Switch it on in the settings.")
    return server
