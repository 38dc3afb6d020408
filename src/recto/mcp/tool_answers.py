"""Keeps what a server's tool answered whole, with its app, for the page."""

import msgspec
from mcp_types import CallToolResult, TextContent

from recto.mcp.apps import AppPage, ToolAnswer, page_of
from recto.mcp.definitions import ToolDefinition
from recto.mcp.failures import McpFailure
from recto.mcp.names import id_of
from recto.mcp.server import McpServer
from recto.tools import Artifact, OutputStore


async def keep_answer(
    server: McpServer,
    tool: ToolDefinition,
    arguments: dict[str, object],
    result: CallToolResult,
    outputs: OutputStore,
) -> Artifact | None:
    """Keep an answer that is more than words; None where there is nothing more to show."""
    is_words = all(isinstance(block, TextContent) for block in result.content)
    if is_words and result.structured_content is None and not tool.app:
        return None
    app, problem = await keep_app(server, tool.app, outputs) if tool.app else (None, "")
    answer = ToolAnswer(
        id_of(server.config),
        server.name,
        tool.name,
        arguments,
        as_sent(result),
        app,
        problem,
    )
    handle = await outputs.keep(msgspec.json.encode(answer).decode())
    return Artifact(handle, has_app=app is not None or bool(problem))


async def keep_app(server: McpServer, uri: str, outputs: OutputStore) -> tuple[AppPage | None, str]:
    """Read and keep an app; else why it can't be shown. The tool's answer stands without it."""
    try:
        found = await server.offers.read_app(uri)
    except McpFailure as failure:
        return None, failure.message
    return page_of(uri, await outputs.keep(found.html), found.meta), ""


def as_sent(result: CallToolResult) -> dict[str, object]:
    """A result in the words of the protocol."""
    return result.model_dump(by_alias=True, mode="json", exclude_none=True, exclude={"result_type"})
