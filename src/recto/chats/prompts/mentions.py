"""Resources of MCP servers that a message mentions: `@server:uri`."""

import re
from collections.abc import Sequence

from recto.chats.history.entries import AttachedText
from recto.chats.services import ChatServices
from recto.context import beginning
from recto.mcp import McpServer, ServerUnavailable
from recto.workspace import Workspace, content_hash

MENTION = re.compile(r"(?<![\w@/.])@([A-Za-z][\w-]{0,63}):([^\s\"'<>]{3,2000})")
AFTER = ".,;:!?)]}"
MOST = 20


async def mentioned_resources(
    services: ChatServices, project_id: str, workspace: Workspace, text: str
) -> Sequence[AttachedText]:
    """The resources that a message mentions, as they are now; what can't be read is named."""
    mentions = list(dict.fromkeys(MENTION.findall(text)))[:MOST]
    if services.mcp is None or not mentions:
        return ()
    look = await services.mcp.look(project_id, workspace)
    servers = {server.name: server for server in look.servers if server.may_run}
    return [
        await attach_resource(servers[name], uri.rstrip(AFTER))
        for name, uri in mentions
        if name in servers
    ]


async def attach_resource(server: McpServer, uri: str) -> AttachedText:
    """A resource that goes along with a message."""
    path = f"{server.name}:{uri}"
    try:
        found = await server.read_resource(uri)
    except ServerUnavailable as failure:
        return AttachedText(path, "", content_hash(b""), cut=f"not sent: {failure.message}")
    text, cut = beginning(found.text)
    digest = content_hash(text.encode("utf-8", "surrogatepass"))
    return AttachedText(path, text, digest, cut=cut)
