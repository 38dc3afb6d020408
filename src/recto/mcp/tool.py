"""A server's tool as one of ours: under our permissions, its input and output checked."""

import hashlib
from dataclasses import replace
from functools import partial
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

import anyio.to_thread

from recto.mcp.calls import IDLE_S, PendingCall
from recto.mcp.definitions import ToolDefinition
from recto.mcp.failures import ServerUnavailable
from recto.mcp.names import offered_name
from recto.mcp.server import McpServer
from recto.messages import Json
from recto.tools import Declaration, Tool, ToolContext, ToolFailure, ToolOutcome

if TYPE_CHECKING:
    from mcp_types import CallToolResult

MAX_DESCRIPTION = 8000
MAX_SCHEMA = 60_000
MAX_TITLE = 200
CONNECTION_CLOSED = -32000
OUTCOME_UNKNOWN = (
    "The call of {} failed: {}. Whether it did what was asked is not known. Don't just try again."
)


def declaration_of(server: McpServer, tool: ToolDefinition) -> Declaration:
    """The tool as models and rules know it."""
    name = offered_name(server.name, tool.name)
    return Declaration(
        name=name,
        title=(tool.title or tool.name)[:MAX_TITLE],
        description=described(server, tool),
        parameters=tool.parameters,
        group="mcp",
        # What a server says of its tools is not believed: each may change anything, anywhere.
        changes=True,
        reaches_out=True,
        asks=True,
        doing=f"Calling {server.name}:",
        done=f"Called {server.name}:",
        rules_of=rules_name(name, server.config.root),
    )


def rules_name(name: str, root: str | None) -> str:
    """What rules know a tool by; a folder's server shares no rule with that of another folder."""
    if root is None:
        return ""
    place = "".join(letter for letter in PurePath(root).name if letter.isalnum() or letter in "-_")
    return f"{name}@{place[:30]}-{hashlib.sha256(root.encode()).hexdigest()[:8]}"


def described(server: McpServer, tool: ToolDefinition) -> str:
    """What models are told of a tool; its own words are cut where they go on for ever."""
    words = tool.description.strip() or tool.title or tool.name
    cut = f"{words[:MAX_DESCRIPTION]}…" if len(words) > MAX_DESCRIPTION else words
    return f"[MCP server {server.name}] {cut}"


def make_tool(server: McpServer, tool: ToolDefinition) -> Tool:
    """The tool, ready to be called."""
    return Tool(
        declaration_of(server, tool),
        run=partial(run, server, tool),
        arguments=dict,
        read=partial(read_arguments, tool),
    )


def read_arguments(tool: ToolDefinition, given: Json) -> dict[str, Any]:
    """The arguments exactly as the model wrote them, if they fit the schema. Raises ToolFailure."""
    from recto.mcp.checking.schemas import SchemaUnusable, misfits

    try:
        wrong = misfits(tool.parameters, dict(given))
    except SchemaUnusable as unusable:
        raise ToolFailure(f"The schema of {tool.name} can't be used: {unusable}.") from unusable
    if wrong:
        raise ToolFailure(f"The arguments of {tool.name} don't fit: {'; '.join(wrong)}.")
    return dict(given)


async def run(
    server: McpServer, tool: ToolDefinition, arguments: dict[str, Any], context: ToolContext
) -> ToolOutcome:
    """Call it. Whatever the server does becomes an answer of this call."""
    from recto.mcp import results, tool_answers

    call = PendingCall(server.name, context.tell, context.elicit, IDLE_S)
    result = await answered(server, tool, arguments, call)
    outcome = await results.outcome_of(result, context.outputs, sees_images=context.sees_images)
    artifact = await tool_answers.keep_answer(server, tool, arguments, result, context.outputs)
    return replace(outcome, artifact=artifact)


async def answered(
    server: McpServer, tool: ToolDefinition, arguments: dict[str, Any], call: PendingCall
) -> "CallToolResult":
    """What the server answers, if it fits what it promised. Raises ToolFailure."""
    if is_changed(server, tool.name):
        raise ToolFailure(
            f"{server.name} has changed {tool.name}: it is off until the user has seen the change."
        )
    from recto.mcp import session
    from recto.mcp.connection import MCPError
    from recto.mcp.http import FAILED

    try:
        result = await server.call(tool.name, arguments, call)
    except ServerUnavailable as unavailable:
        raise ToolFailure(str(unavailable)) from unavailable
    except MCPError as refused:
        if refused.code in (CONNECTION_CLOSED, FAILED):
            why = "it ended" if refused.code == CONNECTION_CLOSED else session.words_of(refused)
            raise ToolFailure(OUTCOME_UNKNOWN.format(server.name, why)) from refused
        words = " ".join(str(refused).split())[:MAX_DESCRIPTION]
        raise ToolFailure(f"{server.name} answered with an error: {words}") from refused
    except session.EXPECTED as error:
        raise ToolFailure(OUTCOME_UNKNOWN.format(server.name, session.words_of(error))) from error
    if result.is_error or tool.output is None:
        return result
    # Not on the event loop: an answer may be long, and its schema is the server's.
    wrong = await anyio.to_thread.run_sync(wrong_output, tool.output, result.structured_content)
    if wrong:
        raise ToolFailure(f"What {server.name} answered does not fit its own schema: {wrong}.")
    return result


def is_changed(server: McpServer, name: str) -> bool:
    """Whether a tool is another one now than a person last saw: also in the middle of a turn."""
    return any(
        tool.name == name and server.changed_from(tool) is not None for tool in server.definitions
    )


def wrong_output(schema: dict[str, Any], structured: Any) -> str:
    """Why structured content does not fit what the tool promised; empty when it does."""
    from recto.mcp.checking.schemas import MOST_STEPS_ASIDE, SchemaUnusable, misfits

    if structured is None:
        return "there is no structured content"
    try:
        return "; ".join(misfits(schema, structured, MOST_STEPS_ASIDE))
    except SchemaUnusable as unusable:
        return f"the schema can't be used ({unusable})"


def unusable(tool: ToolDefinition) -> str:
    """Why a tool can't be offered to any model; empty when it can.

    A provider refuses a whole request for one schema that is wrong.
    """
    from recto.mcp.checking.schemas import unusable_schema

    return unusable_schema(tool.parameters, MAX_SCHEMA)
