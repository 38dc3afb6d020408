"""An MCP server that hands everything on to another one: how stdio reaches a running Recto.

It speaks whatever revision its client does, and the latest one with Recto.
"""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import mcp_types as types
from mcp.server import Server, ServerRequestContext
from mcp_types.version import LATEST_MODERN_VERSION

from recto.server.mcp_server.protocol import INSTRUCTIONS, NAME

Forward = Callable[[str, Mapping[str, Any], str], Awaitable[dict[str, Any]]]
"""Asks Recto: the method, its parameters and the name in the request's head; the result."""


def build_relay(forward: Forward, version: str) -> Server[Any]:
    """The server, with the tools of whoever is behind `forward`."""

    async def list_tools(
        context: ServerRequestContext[Any], _: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        found = await forward("tools/list", {"_meta": envelope(context)}, "")
        return types.ListToolsResult.model_validate(found)

    async def call_tool(
        context: ServerRequestContext[Any], params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        asked = {
            "name": params.name,
            "arguments": params.arguments or {},
            "_meta": envelope(context),
        }
        return types.CallToolResult.model_validate(await forward("tools/call", asked, params.name))

    return Server(
        NAME,
        version=version,
        title="Recto",
        instructions=INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )


def envelope(context: ServerRequestContext[Any]) -> dict[str, Any]:
    """What every request says of itself: the revision, and who really asks."""
    client = context.session.client_params
    named = None if client is None else client.client_info
    told = {} if named is None else {types.CLIENT_INFO_META_KEY: named.model_dump(by_alias=True)}
    return {
        types.PROTOCOL_VERSION_META_KEY: LATEST_MODERN_VERSION,
        types.CLIENT_CAPABILITIES_META_KEY: {},
        **told,
    }
