"""What a server's apps ask for: their own server's tools, and nothing else."""

from typing import Any

from recto.mcp.calls import PendingCall, tell_nobody
from recto.mcp.definitions import ToolDefinition
from recto.mcp.failures import NoSuchMcpTool
from recto.mcp.server import McpServer
from recto.mcp.tool import answered, make_tool, read_arguments, unusable
from recto.tools import Tool

IDLE_S = 45.0
"""Less than a page waits for an answer."""


def tool_for_app(server: McpServer, name: str) -> tuple[ToolDefinition, Tool]:
    """A tool that an app may call, by the name its server gave it. Raises NoSuchMcpTool."""
    for tool in server.definitions:
        is_offered = tool.for_apps and server.changed_from(tool) is None and not unusable(tool)
        if tool.name == name and is_offered:
            return tool, make_tool(server, tool)
    raise NoSuchMcpTool(server.name, name)


async def call_for_app(
    server: McpServer, tool: ToolDefinition, arguments: dict[str, Any]
) -> dict[str, Any]:
    """Call a tool for an app; the answer in the words of the protocol. Raises ToolFailure."""
    given = read_arguments(tool, arguments)
    # Nobody is asked for an app: its questions belong in its own frame.
    result = await answered(
        server, tool, given, PendingCall(server.name, tell_nobody, None, IDLE_S)
    )
    server.log.note(f"An app called {tool.name}.")
    return result.model_dump(by_alias=True, mode="json", exclude_none=True, exclude={"result_type"})
