"""Resources of MCP servers that a message mentions: `@server:uri`."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from recto.chats.history.entries import AttachedText, User
from recto.chats.services import ChatServices
from recto.context import beginning
from recto.mcp import McpServer, ServerUnavailable
from recto.storage import Chat
from recto.workspace import Workspace, content_hash

MENTION = re.compile(r"(?<![\w@/.])@([A-Za-z][\w-]{0,63}):([^\s\"'<>]{3,2000})")
SENT = re.compile(r"[A-Za-z][\w-]{0,63}:.{3}")
AFTER = ".,;:!?)]}"
MOST = 20
LOOKED_AT = 60
"""How many of the last entries may have sent a resource that is still followed."""


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


async def with_changed_resources(services: ChatServices, chat: Chat, user: User) -> User:
    """A message with those followed resources that are otherwise than when they were sent."""
    if services.mcp is None or not chat.id:
        return user
    sent = {
        item.path: item
        # What a summary stands for is not sent any more, and so not followed.
        for entry in (await services.archive.since_checkpoint(chat.id))[-LOOKED_AT:]
        if isinstance(entry.content, User)
        for item in entry.content.attached
        if SENT.match(item.path)
    }
    for item in user.attached:
        sent.pop(item.path, None)
    if not sent:
        return user
    workspace = await services.open_workspace(chat.project_id)
    look = await services.mcp.look(chat.project_id, workspace)
    servers = {server.name: server for server in look.servers if server.may_run}
    found = [await changed(servers, item) for item in list(sent.values())[-MOST:]]
    more = tuple(item for item in found if item is not None)
    return replace(user, attached=(*user.attached, *more))


async def changed(servers: Mapping[str, McpServer], item: AttachedText) -> AttachedText | None:
    """A resource that was sent before, if it is another one now and its server tells of that."""
    name, _, uri = item.path.partition(":")
    server = servers.get(name)
    if server is None or not server.tells_changes or server.followed.is_fresh(uri):
        return None
    now = await attach_resource(server, uri)
    return None if now.hash == item.hash or not now.text else now


async def attach_resource(server: McpServer, uri: str) -> AttachedText:
    """A resource that goes along with a message."""
    path = f"{server.name}:{uri}"
    # Before it is read: a change meanwhile is not missed.
    server.followed.follow(uri)
    try:
        found = await server.offers.read_resource(uri)
    except ServerUnavailable as failure:
        return AttachedText(path, "", content_hash(b""), cut=f"not sent: {failure.message}")
    text, cut = beginning(found.text)
    digest = content_hash(text.encode("utf-8", "surrogatepass"))
    return AttachedText(path, text, digest, cut=cut)
