"""A server's transport and connection together, and what ends them."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import cast

import anyio
import httpx2
from mcp.client.subscriptions import ServerEvent, SubscriptionLost
from mcp.shared.subscriptions import PromptsListChanged, ToolsListChanged

from recto.mcp.calls import PendingCalls
from recto.mcp.configuration import ServerConfig
from recto.mcp.connection import ConnectionEvents, McpConnection, MCPError, open_connection
from recto.mcp.failures import ServerEnded
from recto.mcp.http import NEEDS_SIGN_IN, http_client, http_streams
from recto.mcp.log import ServerLog
from recto.mcp.oauth import RenewingAuth
from recto.mcp.stdio import stdio_streams

__all__ = [
    "EXPECTED",
    "RenewingAuth",
    "SessionSignals",
    "open_session",
    "refused_scope",
    "words_of",
]
MODERN = "2026-"
MAX_WORDS = 300
LISTEN_AGAIN_S = 5.0
EXPECTED = (
    MCPError,
    ServerEnded,
    SubscriptionLost,
    OSError,
    ValueError,
    RuntimeError,
    httpx2.HTTPError,
    httpx2.StreamError,
    ExceptionGroup,
    anyio.BrokenResourceError,
    anyio.ClosedResourceError,
)
"""What a server can bring about, at its start and later. A timeout is an OSError."""


@dataclass(slots=True)
class SessionSignals:
    """What is heard of a connection while it is used."""

    ended: str = ""
    refused: str | None = None
    """The scope of a sign-in that is wanted; None when none is."""
    changed: set[str] = field(default_factory=set[str])
    event: anyio.Event = field(default_factory=anyio.Event)

    def end(self, words: str) -> None:
        """The connection is over; the first words count."""
        self.ended = self.ended or words
        self.event.set()

    def change(self, what: str) -> None:
        """A list is another one now."""
        self.changed.add(what)
        self.event.set()

    def refuse(self, scope: str) -> None:
        """A server at an address wants a sign-in."""
        self.refused = scope

    async def next_changes(self) -> set[str]:
        """Which lists have changed, once some have. Raises ServerEnded."""
        await self.event.wait()
        if self.ended:
            raise ServerEnded(self.ended)
        self.event = anyio.Event()
        found, self.changed = self.changed, set()
        return found


@dataclass(frozen=True, slots=True)
class McpSession:
    """A connection, and what is heard of it."""

    connection: McpConnection
    signals: SessionSignals


@asynccontextmanager
async def open_session(
    config: ServerConfig,
    folder: str,
    mark: str,
    log: ServerLog,
    calls: PendingCalls,
    signals: SessionSignals,
    start_s: float,
    auth: httpx2.Auth,
) -> AsyncGenerator[McpSession]:
    """A server, connected, for the length of the block."""
    events = ConnectionEvents(changed=signals.change)
    if config.url is None:
        transport = stdio_streams(config, folder, mark, log, signals.end)
        async with (
            open_connection(transport, calls, events, start_s) as connection,
            listening(connection, signals),
        ):
            yield McpSession(connection, signals)
        return
    async with http_client(config.url, config.headers, auth, signals.refuse) as client:
        transport = http_streams(config.url, client)
        async with (
            open_connection(transport, calls, events, start_s) as connection,
            listening(connection, signals),
        ):
            yield McpSession(connection, signals)


@asynccontextmanager
async def listening(connection: McpConnection, signals: SessionSignals) -> AsyncGenerator[None]:
    """Hear of changed lists where that takes a stream of its own."""
    wanted = wanted_lists(connection)
    if not connection.revision.startswith(MODERN) or not wanted:
        yield
        return

    async def listen() -> None:
        while True:
            try:
                async with connection.client.listen(
                    tools_list_changed="tools" in wanted,
                    prompts_list_changed="prompts" in wanted,
                    resources_list_changed="resources" in wanted,
                ) as subscription:
                    # What changed before the stream stood is not told.
                    async for event in subscription:
                        signals.change(list_of(event))
            except EXPECTED:
                if signals.ended:
                    return
            await anyio.sleep(LISTEN_AGAIN_S)

    async with anyio.create_task_group() as group:
        group.start_soon(listen)
        try:
            yield
        finally:
            group.cancel_scope.cancel()


def wanted_lists(connection: McpConnection) -> set[str]:
    """The lists whose changes the server tells of."""
    able = connection.client.server_capabilities
    told = {"tools": able.tools, "prompts": able.prompts, "resources": able.resources}
    return {name for name, item in told.items() if item is not None and item.list_changed}


def list_of(event: ServerEvent) -> str:
    """The list that a change is about."""
    if isinstance(event, ToolsListChanged):
        return "tools"
    return "prompts" if isinstance(event, PromptsListChanged) else "resources"


def refused_scope(error: BaseException) -> str | None:
    """The scope of the sign-in that a request failed for want of; None when it was not that."""
    if isinstance(error, BaseExceptionGroup):
        return refused_scope(cast(BaseExceptionGroup[BaseException], error).exceptions[0])
    if not isinstance(error, MCPError) or error.code != NEEDS_SIGN_IN:
        return None
    data = cast(object, error.error.data)
    scope = cast(dict[str, object], data).get("scope") if isinstance(data, dict) else None
    return scope if isinstance(scope, str) else ""


def words_of(error: BaseException) -> str:
    """What went wrong, in a few words."""
    if isinstance(error, BaseExceptionGroup):
        return words_of(cast(BaseExceptionGroup[BaseException], error).exceptions[0])
    if isinstance(error, TimeoutError):
        return "it did not answer in time"
    if isinstance(error, MCPError | ServerEnded):
        return " ".join(str(error).split())[:MAX_WORDS].rstrip(".")
    if isinstance(error, ValueError):
        return "its answer does not fit the protocol"
    return type(error).__name__
