"""MCP servers as the API shows them."""

import json
from typing import Literal, cast

from recto.mcp import McpServer as FoundServer
from recto.mcp import (
    ServerFile,
    ToolDefinition,
    declaration_of,
    difference,
    digest_of,
    id_of,
    start_digest,
    start_lines,
    unusable,
    written_out,
)
from recto.server.schemas.mcp import McpApproval, McpFile, McpServer, McpTool
from recto.server.services import Services
from recto.tools import Declaration

MAX_SHOWN = 4000


def present_server(server: FoundServer, services: Services) -> McpServer:
    """A server as the settings show it."""
    config, record, state = server.config, server.record, server.state
    tools = [present_tool(server, tool, services) for tool in server.definitions]
    return McpServer(
        id=id_of(config),
        name=config.name,
        title=server.title,
        icon=record.icon,
        source=config.source,
        is_own=config.root is None,
        transport=cast(Literal["stdio", "http"], config.transport),
        lines=list(start_lines(config)),
        warnings=list(config.warnings),
        state=state.kind,
        words=state.words,
        revision=server.revision,
        is_on=record.is_on,
        in_documents=record.in_documents,
        trusts_words=record.trusts_words,
        app_origins=record.app_origins,
        is_signed_in=server.is_signed_in,
        approval=present_approval(server) if state.kind == "unapproved" else None,
        tools=tools,
        tokens=sum(tool.tokens for tool in tools if is_offered(tool)),
    )


def is_offered(tool: McpTool) -> bool:
    """Whether models are told of a tool."""
    return tool.permission != "deny" and tool.difference is None and tool.unusable is None


def present_approval(server: FoundServer) -> McpApproval:
    """What a person decides about, beside what they approved before."""
    before, digest = server.record.approved, start_digest(server.config)
    return McpApproval(
        digest=digest,
        lines=list(start_lines(server.config)),
        previous_lines=None if before is None else before.lines,
        previous_at=None if before is None else before.at_ms,
        is_declined=server.record.declined == digest,
    )


def present_tool(server: FoundServer, tool: ToolDefinition, services: Services) -> McpTool:
    """A tool of a server."""
    declared = declaration_of(server, tool)
    before = server.changed_from(tool)
    return McpTool(
        name=declared.name,
        own_name=tool.name,
        title=declared.title,
        description=written_out(tool.description[:MAX_SHOWN], plain="\n\t"),
        tokens=tokens_of(declared, services),
        permission=services.tools.setting(declared).permission,
        says_read_only=tool.hints.get("readOnlyHint") is True,
        says_destructive=tool.hints.get("destructiveHint") is True,
        digest=digest_of(tool),
        difference=None if before is None else difference(before, tool),
        unusable=unusable(tool) or None,
    )


def tokens_of(tool: Declaration, services: Services) -> int:
    """What the definition of a tool takes in a request."""
    parameters = json.dumps(tool.parameters)
    return services.counter.text(f"{tool.name}\n{tool.description}\n{parameters}")


def present_file(file: ServerFile) -> McpFile:
    """A file that names servers, or could."""
    return McpFile(
        path=file.path, exists=file.exists, is_read=file.is_read, problem=file.problem or None
    )
