"""All servers: those of the home, and those of each folder in use, as their files name them now."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import anyio
import anyio.to_thread

from recto.mcp.approval import start_digest
from recto.mcp.configuration import (
    FOLDER_FILE,
    FOREIGN_FILES,
    HOME_FILE,
    MAX_BYTES,
    ServerConfig,
    read_server,
    read_servers,
    with_server,
)
from recto.mcp.definitions import ToolDefinition, digest_of
from recto.mcp.failures import (
    McpChanged,
    McpFailure,
    McpFileInvalid,
    NoSuchMcpServer,
    NoSuchMcpTool,
)
from recto.mcp.file_locks import locked
from recto.mcp.names import id_of, offered_name
from recto.mcp.resources import MessageOffers
from recto.mcp.server import McpServer
from recto.mcp.server_services import ServerServices
from recto.mcp.tool import make_tool, unusable
from recto.tools import Tool, Toolboxes
from recto.workspace import PathNotFound, Workspace, WorkspaceFailure

FIRST_LOOK_S = 15.0
"""How long a turn waits for a server that was never connected before."""
TAKEN = "The home has a server of this name, which comes first. Give this one another name."


@dataclass(frozen=True, slots=True)
class ServerFile:
    """A file of a folder that names servers, or could."""

    path: str
    exists: bool
    is_read: bool
    problem: str = ""


@dataclass(frozen=True, slots=True)
class FolderServers:
    """The servers that count in a folder, and the files that name them."""

    servers: tuple[McpServer, ...]
    files: tuple[ServerFile, ...]


@dataclass(frozen=True, slots=True)
class ServerInstructions:
    """What a server wants models to know."""

    server: str
    text: str


@dataclass(frozen=True, slots=True)
class OfferedTools:
    """What a turn is offered by servers."""

    tools: tuple[Tool, ...]
    instructions: tuple[ServerInstructions, ...]


class McpServers:
    """Starts servers when a folder is used, and ends them with it."""

    def __init__(self, services: ServerServices) -> None:
        self._services = services
        self._running: dict[tuple[str, str], McpServer] = {}
        self._roots: dict[str, str] = {}
        self._looking = anyio.Lock()

    async def look(self, project_id: str, workspace: Workspace) -> FolderServers:
        """The servers of a folder as its files name them now; those that may run are started."""
        async with self._looking:
            self._roots[project_id] = workspace.root
            configs, files = await self.named(workspace)
            for root in ("", workspace.root):
                of_root = [config for config in configs if (config.root or "") == root]
                await self._end_unnamed(root, of_root)
            servers = [await self._current(config, workspace.root) for config in configs]
        return FolderServers(tuple(servers), files)

    async def named(
        self, workspace: Workspace
    ) -> tuple[tuple[ServerConfig, ...], tuple[ServerFile, ...]]:
        """The servers that files name now, the home's first. Nothing is started."""
        homes, problem = await self._of_home()
        found, files = await self._of_folder(workspace)
        taken = {config.name for config in homes}
        folders = [taken_name(item) if item.name in taken else item for item in found]
        exists = bool(homes) or bool(problem)
        own = ServerFile(HOME_FILE, exists=exists, is_read=True, problem=problem)
        return (*homes, *folders), (own, *files)

    async def find(self, project_id: str, workspace: Workspace, server_id: str) -> McpServer:
        """A server by its id. Raises NoSuchMcpServer."""
        for server in (await self.look(project_id, workspace)).servers:
            if id_of(server.config) == server_id:
                return server
        raise NoSuchMcpServer(server_id)

    async def offer(
        self,
        project_id: str,
        workspace: Workspace,
        *,
        in_document: bool = False,
        waits: bool = True,
    ) -> OfferedTools:
        """What a turn is offered, always in the same order, and what its servers say of it."""
        servers = [
            server
            for server in (await self.look(project_id, workspace)).servers
            if server.may_run and (server.record.in_documents or not in_document)
        ]
        if waits:
            async with anyio.create_task_group() as group:
                for server in servers:
                    group.start_soon(server.first_look, FIRST_LOOK_S)
        found = [(server, offered(server)) for server in servers]
        return OfferedTools(
            tuple(make_tool(server, tool) for server, tools in found for tool in tools),
            tuple(
                ServerInstructions(server.name, server.record.instructions)
                for server, tools in found
                if tools and server.record.instructions.strip()
            ),
        )

    async def message_offers(
        self, project_id: str, workspace: Workspace
    ) -> tuple[tuple[McpServer, MessageOffers], ...]:
        """What a message can take of the servers that run, each asked beside the others."""
        servers = [
            server
            for server in (await self.look(project_id, workspace)).servers
            if server.state.kind == "ready"
        ]
        found: dict[str, MessageOffers] = {}

        async def ask(server: McpServer) -> None:
            found[server.name] = await server.offers.for_message()

        async with anyio.create_task_group() as group:
            for server in servers:
                group.start_soon(ask, server)
        return tuple((server, found[server.name]) for server in servers)

    async def add(self, name: str, server: Mapping[str, Any]) -> None:
        """Name a server in the home's file. Raises McpFailure."""
        config = read_server(name, dict(server), HOME_FILE, None)
        if config.problem:
            raise McpFailure(config.problem, "Correct it.")
        await self.change_home(name, server)

    async def remove(self, name: str) -> None:
        """Take a server out of the home's file, with all that is kept of it.

        Also what its tools may do: another server of this name is not the one that was trusted.
        Raises McpFailure, RulesInvalid.
        """
        services = self._services
        before, _ = await self._of_home()
        await self.change_home(name, None)
        rest, _ = await self._of_home()
        used = {config.url for config in rest}
        for url in {config.url for config in before} - used:
            if url is not None:
                await services.sign_ins.remove(url)
        ruled = {offered_name(name, tool) for tool in services.records.get("", name).seen}
        await anyio.to_thread.run_sync(Toolboxes(services.home).forget, ruled)
        await services.records.forget("", name)

    async def change_home(self, name: str, server: Mapping[str, Any] | None) -> None:
        """Write the home's file with a server or without it.

        Raises McpFileInvalid, McpNameTaken.
        """
        home = self._services.home

        def write() -> None:
            with locked(home.mcp_file):
                home.replace(home.mcp_file, with_server(read_if_there(home.mcp_file), name, server))

        async with self._looking:
            await anyio.to_thread.run_sync(write)
        self._services.changed()

    async def decide(self, server: McpServer, digest: str, *, approved: bool) -> None:
        """A person says whether what a folder names may be started. Raises McpChanged."""
        if digest != start_digest(server.config):
            raise McpChanged(server.name)
        if approved:
            await server.approve()
            await server.restart()
        else:
            await server.keep(approved=None, declined=digest)
            await server.stop()
        self._services.changed()

    async def switch(self, server: McpServer, **changes: object) -> None:
        """Change how a server is used: on, in documents, whether its words are trusted."""
        was_on = server.record.is_on
        await server.keep(**changes)
        await server.take_in(server.definitions)
        if server.record.is_on != was_on:
            await server.restart()
        self._services.changed()

    async def see(self, server: McpServer, name: str, digest: str) -> None:
        """A person has seen how a tool has changed. Raises NoSuchMcpTool, McpChanged."""
        tool = find_tool(server, name)
        if digest_of(tool) != digest:
            raise McpChanged(tool.name)
        await server.see(tool)
        self._services.changed()

    async def read_file(self, workspace: Workspace, path: str, *, wanted: bool) -> None:
        """Say whether a file of another program is read in a folder. Raises McpFailure."""
        if path not in FOREIGN_FILES:
            raise McpFailure(f"{path} is no file of servers.", "Choose one from the list.")
        await self._services.records.read_file(workspace.root, path, wanted=wanted)
        self._services.changed()

    async def forget(self, project_id: str) -> None:
        """A project is gone: its folder's servers end."""
        root = self._roots.pop(project_id, None)
        if root is not None and root not in self._roots.values():
            async with self._looking:
                await self._end_unnamed(root, ())

    async def close(self) -> None:
        """End every server."""
        async with anyio.create_task_group() as group:
            for server in self._running.values():
                group.start_soon(server.stop)

    async def _of_home(self) -> tuple[tuple[ServerConfig, ...], str]:
        try:
            data = await anyio.to_thread.run_sync(read_if_there, self._services.home.mcp_file)
            return (read_servers(data, HOME_FILE, None) if data else ()), ""
        except McpFileInvalid as invalid:
            return (), str(invalid)

    async def _of_folder(self, workspace: Workspace) -> tuple[list[ServerConfig], list[ServerFile]]:
        wanted = self._services.records.files(workspace.root)
        configs: dict[str, ServerConfig] = {}
        files: list[ServerFile] = []
        for path in (FOLDER_FILE, *FOREIGN_FILES):
            is_read = path == FOLDER_FILE or path in wanted
            file, found = await self._read(workspace, path, is_read=is_read)
            files.append(file)
            for config in found:
                configs.setdefault(config.name, config)
        return list(configs.values()), files

    async def _read(
        self, workspace: Workspace, path: str, *, is_read: bool
    ) -> tuple[ServerFile, Sequence[ServerConfig]]:
        try:
            data = await workspace.read_bytes(path, max_bytes=MAX_BYTES)
        except PathNotFound:
            return ServerFile(path, exists=False, is_read=is_read), ()
        except WorkspaceFailure as failure:
            return ServerFile(path, exists=True, is_read=is_read, problem=str(failure)), ()
        if not is_read:
            return ServerFile(path, exists=True, is_read=False), ()
        try:
            found = read_servers(data, path, workspace.root)
        except McpFileInvalid as invalid:
            return ServerFile(path, exists=True, is_read=True, problem=str(invalid)), ()
        return ServerFile(path, exists=True, is_read=True), found

    async def _current(self, config: ServerConfig, root: str) -> McpServer:
        """The server of a configuration; one that is configured otherwise begins anew."""
        key = (config.root or "", config.name)
        server = self._running.get(key)
        if server is None or server.config != config:
            if server is not None:
                await server.stop()
            # A server of the home serves every folder, so it stands in none of them.
            folder = str(Path.home()) if config.root is None else root
            server = self._running[key] = McpServer(config, self._services, folder)
        if server.may_run:
            server.start()
        return server

    async def _end_unnamed(self, root: str, configs: Sequence[ServerConfig]) -> None:
        named = {config.name for config in configs}
        for key in [key for key in self._running if key[0] == root and key[1] not in named]:
            await self._running.pop(key).stop()


def taken_name(config: ServerConfig) -> ServerConfig:
    """A folder's server that has the name of one of the home's."""
    return replace(config, problem=TAKEN)


def offered(server: McpServer) -> list[ToolDefinition]:
    """The tools of a server that may be offered: usable, and none that nobody has seen so.

    By name: a server that lists them in another order each time must not cost the cached prefix.
    """
    found = (
        tool
        for tool in server.definitions
        if tool.for_models and server.changed_from(tool) is None and not unusable(tool)
    )
    return sorted(found, key=lambda tool: tool.name)


def find_tool(server: McpServer, name: str) -> ToolDefinition:
    """A tool by the name that models know it by. Raises NoSuchMcpTool."""
    for tool in server.definitions:
        if offered_name(server.name, tool.name) == name:
            return tool
    raise NoSuchMcpTool(server.name, name)


def read_if_there(file: Path) -> bytes:
    """A file of the home; nothing when it is not there. Raises McpFileInvalid."""
    try:
        return file.read_bytes()
    except FileNotFoundError:
        return b""
    except OSError as error:
        raise McpFileInvalid(file.name, error.strerror or "it can't be opened") from error
