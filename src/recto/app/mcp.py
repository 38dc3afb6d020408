"""The MCP servers of the running program: pages hear of them, and they end with their projects."""

import anyio
import anyio.lowlevel

from recto.clock import SystemClock, SystemIds
from recto.config import Home
from recto.mcp import McpServers, McpSignIns, ServerRecords, ServerServices
from recto.projects import Feed, ResourceChanged
from recto.projects.workspaces import is_removal
from recto.supervisor import Supervisor


class McpAnnouncements:
    """Tells pages that something about servers changed, however often it does at once."""

    def __init__(self, feed: Feed) -> None:
        self._feed = feed
        self._changed = anyio.Event()

    def note(self) -> None:
        """Something changed."""
        self._changed.set()

    async def run(self) -> None:
        """Tell pages, while the program runs."""
        while True:
            await self._changed.wait()
            self._changed = anyio.Event()
            await self._feed.announce("mcp")


class McpProjects:
    """Ends the servers of a folder with its project, in whichever process that was deleted."""

    def __init__(self, feed: Feed, servers: McpServers) -> None:
        self._feed = feed
        self._servers = servers
        self._heard: int | None = None

    async def run(self) -> None:
        """Follow the projects, while the program runs."""
        while True:
            async with self._feed.follow(self._heard) as follower:
                self._heard = follower.seen
                async for event in follower.events():
                    self._heard = follower.seen
                    if isinstance(event, ResourceChanged) and is_removal(event):
                        await self._servers.forget(event.id)
            await anyio.lowlevel.checkpoint()


async def open_mcp_servers(
    home: Home, supervisor: Supervisor, feed: Feed, clock: SystemClock, ids: SystemIds
) -> McpServers:
    """The servers, of which none is started before a folder is used."""
    announcements = McpAnnouncements(feed)
    supervisor.keep("MCP announcements", announcements.run)
    servers = McpServers(
        ServerServices(
            home=home,
            records=ServerRecords(home),
            sign_ins=McpSignIns(home),
            supervisor=supervisor,
            now_ms=clock.now_ms,
            new_id=ids.new,
            changed=announcements.note,
        )
    )
    supervisor.keep("MCP projects", McpProjects(feed, servers).run)
    return servers
