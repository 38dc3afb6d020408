"""A server's transport and connection together, and what ends them."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any, cast

import anyio
import httpx2
from mcp.client.subscriptions import ServerEvent, SubscriptionLost
from mcp.shared.subscriptions import PromptsListChanged, ResourceUpdated, ToolsListChanged

from recto.mcp.calls import PendingCalls
from recto.mcp.configuration import ServerConfig
from recto.mcp.connection import ConnectionEvents, McpConnection, MCPError, open_connection
from recto.mcp.failures import ServerEnded
from recto.mcp.followed import FollowedResources
from recto.mcp.http import NEEDS_SIGN_IN, http_client, http_streams
from recto.mcp.icons import icon_of
from recto.mcp.log import ServerLog
from recto.mcp.signing_in.oauth import RenewingAuth
from recto.mcp.stdio import stdio_streams

__all__ = [
    "EXPECTED",
    "RenewingAuth",
    "icon_of",
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
    followed: FollowedResources,
    known: dict[str, Any] | None,
) -> AsyncGenerator[McpSession]:
    """A server, connected, for the length of the block."""
    events = ConnectionEvents(changed=signals.change, updated=followed.change)
    if config.url is None:
        transport = stdio_streams(config, folder, mark, log, signals.end)
        async with (
            open_connection(transport, calls, events, start_s, known) as connection,
            listening(connection, signals, followed),
        ):
            yield McpSession(connection, signals)
        return
    async with http_client(config.url, config.headers, auth, signals.refuse) as client:
        transport = http_streams(config.url, client)
        async with (
            open_connection(transport, calls, events, start_s, known) as connection,
            listening(connection, signals, followed),
        ):
            yield McpSession(connection, signals)


@asynccontextmanager
async def listening(
    connection: McpConnection, signals: SessionSignals, followed: FollowedResources
) -> AsyncGenerator[None]:
    """Hear of changed lists and of resources that are followed, where that has to be asked for."""
    wanted = wanted_lists(connection)
    is_modern = connection.revision.startswith(MODERN)
    if not connection.follows and not (is_modern and wanted):
        yield
        return
    async with anyio.create_task_group() as group:
        if is_modern:
            group.start_soon(keep_listening, connection, signals, followed, wanted)
        else:
            group.start_soon(keep_subscribing, connection, followed)
        try:
            yield
        finally:
            group.cancel_scope.cancel()


async def keep_listening(
    connection: McpConnection,
    signals: SessionSignals,
    followed: FollowedResources,
    wanted: set[str],
) -> None:
    """One stream for all, begun anew when it breaks off or another resource is followed."""
    while not signals.ended:
        moved = followed.moved
        uris = followed.uris if connection.follows else ()
        async with anyio.create_task_group() as group:
            group.start_soon(end_when, moved, group.cancel_scope)
            if wanted or uris:
                await listen(connection, signals, followed, wanted, uris)
                await anyio.sleep(LISTEN_AGAIN_S)
                group.cancel_scope.cancel()


async def end_when(event: anyio.Event, scope: anyio.CancelScope) -> None:
    """End a scope when something has happened."""
    await event.wait()
    scope.cancel()


async def listen(
    connection: McpConnection,
    signals: SessionSignals,
    followed: FollowedResources,
    wanted: set[str],
    uris: tuple[str, ...],
) -> None:
    """Take in what a server tells, until it breaks off."""
    try:
        async with connection.client.listen(
            tools_list_changed="tools" in wanted,
            prompts_list_changed="prompts" in wanted,
            resources_list_changed="resources" in wanted,
            resource_subscriptions=uris,
        ) as subscription:
            # What changed before the stream stood is not told: it is read once more when needed.
            followed.doubt()
            async for event in subscription:
                if isinstance(event, ResourceUpdated):
                    followed.change(event.uri)
                else:
                    signals.change(list_of(event))
    except EXPECTED:
        # It broke off: what is followed may change unheard, so it is read again when needed.
        followed.doubt()


async def keep_subscribing(connection: McpConnection, followed: FollowedResources) -> None:
    """Subscribe to each resource that is followed; nothing is told of one that is refused."""
    asked: set[str] = set()
    while True:
        moved = followed.moved
        for uri in followed.uris:
            if uri not in asked:
                asked.add(uri)
                # Refused or not: what changed before the server knew is not told.
                with suppress(*EXPECTED):
                    await connection.subscribe(uri)
                followed.change(uri)
        await moved.wait()


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
