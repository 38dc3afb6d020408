"""One connection to a server, over the SDK: every request has its time limit.

The SDK takes a second to load, so this module is imported only when a server is started.
"""

import logging
from collections.abc import AsyncGenerator, Callable, Generator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

import anyio
import msgspec
from mcp.client import Client, ClientRequestContext
from mcp.client.extension import advertise
from mcp.client.session import IncomingMessage
from mcp.shared.exceptions import MCPError
from mcp_types import (
    CallToolResult,
    DiscoverResult,
    ElicitCompleteNotification,
    ElicitRequestParams,
    ElicitResult,
    EmptyResult,
    ErrorData,
    Icon,
    Implementation,
    PromptListChangedNotification,
    ResourceListChangedNotification,
    ResourceUpdatedNotification,
    SubscribeRequest,
    SubscribeRequestParams,
    ToolListChangedNotification,
)
from mcp_types import Tool as ListedTool
from mcp_types.version import LATEST_MODERN_VERSION

from recto.mcp.apps import EXTENSION, MEDIA_TYPE, app_of
from recto.mcp.asking.first_opened import MOST_ROUNDS, FirstOpened, wanted_first
from recto.mcp.asking.questions import person_asker
from recto.mcp.calls import CURRENT, PendingCall, PendingCalls, tell_nobody
from recto.mcp.definitions import ToolDefinition
from recto.mcp.failures import ServerEnded
from recto.mcp.tasks import TasksExtension
from recto.tools import ToolFailure

MOST_TOOLS = 1000
MOST_PAGES = 50
MAX_LIST = 8_000_000
"""All definitions of a server's tools; they are kept in the home, and shown."""
MAX_KEPT = 200_000
LIST_S = 60.0
SHORTEST_LIST_S = 60.0
"""How long a list of tools holds at least; many servers say that theirs ends at once."""
ListKind = str

# They quote what servers say, at every level.
for name in ("mcp", "mcp_types", "httpx2", "httpcore2"):
    logging.getLogger(name).addHandler(logging.NullHandler())
    logging.getLogger(name).propagate = False


class McpConnection:
    """A server that answers."""

    def __init__(self, client: Client, calls: PendingCalls, first_opened: FirstOpened) -> None:
        self.client = client
        self.first_opened = first_opened
        self.list_ends = float("inf")
        """When the list of tools should be asked for again, by the clock of the event loop."""
        self._calls = calls
        # Ours checks the same, with patterns that can't hang the program.
        client.session.validate_tool_result = pass_result

    @property
    def revision(self) -> str:
        """The protocol's revision that was agreed on."""
        return self.client.protocol_version

    @property
    def title(self) -> str:
        """What the server calls itself."""
        info = self.client.server_info
        return "" if info is None else f"{info.title or info.name} {info.version}".strip()

    @property
    def icons(self) -> Sequence[Icon]:
        """The pictures that the server names for itself."""
        info = self.client.server_info
        return () if info is None else info.icons or ()

    @property
    def discovered(self) -> dict[str, Any] | None:
        """What the server told of itself; None when it is of an earlier revision."""
        found = self.client.session.discover_result
        return None if found is None else as_kept(found)

    async def discover(self) -> dict[str, Any] | None:
        """What the server tells of itself now. Raises MCPError, TimeoutError, ValueError."""
        with anyio.fail_after(LIST_S):
            raw = await self.client.session.send_discover(self.revision)
        return as_kept(DiscoverResult.model_validate(raw, by_name=False))

    @property
    def follows(self) -> bool:
        """Whether the server tells of changed resources."""
        able = self.client.server_capabilities.resources
        return able is not None and bool(able.subscribe)

    async def subscribe(self, uri: str) -> None:
        """Have a server of an earlier revision tell of a resource's changes. Raises MCPError."""
        request = SubscribeRequest(params=SubscribeRequestParams(uri=uri))
        with anyio.fail_after(LIST_S):
            await self.client.session.send_request(request, EmptyResult)

    @contextmanager
    def asking_nobody(self) -> Generator[None]:
        """What is asked for in the block belongs to no call: a question about it has no person."""
        with self._calls.open(PendingCall("", tell_nobody, None)) as call:
            token = CURRENT.set(call)
            try:
                yield
            finally:
                CURRENT.reset(token)

    @property
    def instructions(self) -> str:
        """What the server wants models to know."""
        return self.client.instructions or ""

    async def tools(self) -> tuple[ToolDefinition, ...]:
        """All its tools. Raises MCPError, TimeoutError, ValueError, ServerEnded."""
        able = self.client.server_capabilities.tools
        if able is None:
            return ()
        self.list_ends, ttl_ms = float("inf"), list[int]()
        found: dict[str, ToolDefinition] = {}
        room, cursor = MAX_LIST, None
        with anyio.fail_after(LIST_S):
            for _ in range(MOST_PAGES):
                page = await self.client.list_tools(cursor=cursor)
                for tool in page.tools[: MOST_TOOLS - len(found)]:
                    definition = definition_of(tool)
                    room -= len(msgspec.json.encode(definition))
                    if room < 0:
                        raise ServerEnded(f"its list of tools has more than {MAX_LIST:,} bytes")
                    found.setdefault(tool.name, definition)
                ttl_ms.append(page.ttl_ms)
                cursor = page.next_cursor
                if cursor is None or len(found) >= MOST_TOOLS:
                    break
        # One that tells of changes need not be asked; before, lists had no time.
        if not able.list_changed and self.revision >= LATEST_MODERN_VERSION:
            self.list_ends = anyio.current_time() + max(min(ttl_ms) / 1000, SHORTEST_LIST_S)
        return tuple(found.values())

    async def call(self, name: str, arguments: dict[str, Any], call: PendingCall) -> CallToolResult:
        """Call a tool. Raises ToolFailure, MCPError, ValueError, RuntimeError."""
        token = CURRENT.set(call)
        try:
            rounds = MOST_ROUNDS
            while True:
                try:
                    return await self._called(name, arguments, call)
                except MCPError as error:
                    wanted = wanted_first(error) if rounds else ()
                    if not wanted:
                        raise
                # The server has not looked at the call: it can be made again.
                await self.first_opened.have_opened(call, wanted)
                rounds -= 1
        finally:
            CURRENT.reset(token)

    async def _called(
        self, name: str, arguments: dict[str, Any], call: PendingCall
    ) -> CallToolResult:
        with self._calls.open(call), anyio.CancelScope() as scope:
            call.begin(scope)
            return await self.client.call_tool(name, arguments, progress_callback=call.progress)
        raise ToolFailure(f"The server did not answer in {call.idle_s:g} s. The call was ended.")


def as_kept(found: DiscoverResult) -> dict[str, Any] | None:
    """What discovery told, in the words of the protocol; None when that is too much to keep."""
    told = found.model_dump(by_alias=True, mode="json", exclude_none=True)
    return told if len(msgspec.json.encode(told)) <= MAX_KEPT else None


async def pass_result(name: str, result: CallToolResult) -> None:
    """In the place of the SDK's own check."""


def definition_of(tool: ListedTool) -> ToolDefinition:
    """A tool as we keep it."""
    hints = tool.annotations
    app, for_models, for_apps = app_of(tool.meta)
    told = {} if hints is None else hints.model_dump(by_alias=True, exclude_none=True, mode="json")
    return ToolDefinition(
        name=tool.name,
        description=tool.description or "",
        title=tool.title or told.pop("title", "") or "",
        parameters=tool.input_schema,
        output=tool.output_schema,
        hints=told,
        app=app,
        for_models=for_models,
        for_apps=for_apps,
    )


@dataclass(frozen=True, slots=True)
class ConnectionEvents:
    """Who hears what a server says by itself."""

    changed: Callable[[ListKind], None]
    updated: Callable[[str], None]
    """A resource that is followed is another one now."""


@asynccontextmanager
async def open_connection(
    transport: Any,
    calls: PendingCalls,
    events: ConnectionEvents,
    start_s: float,
    known: dict[str, Any] | None,
) -> AsyncGenerator[McpConnection]:
    """A connection for the length of the block. Raises MCPError, TimeoutError, and others."""

    async def on_message(message: IncomingMessage) -> None:
        if isinstance(message, ToolListChangedNotification):
            events.changed("tools")
        elif isinstance(message, PromptListChangedNotification):
            events.changed("prompts")
        elif isinstance(message, ResourceListChangedNotification):
            events.changed("resources")
        elif isinstance(message, ResourceUpdatedNotification):
            events.updated(str(message.params.uri))
        elif isinstance(message, ElicitCompleteNotification):
            first_opened.complete(message.params.elicitation_id)

    first_opened, ask = FirstOpened(), person_asker(calls)

    async def on_elicitation(
        context: ClientRequestContext, params: ElicitRequestParams
    ) -> ElicitResult | ErrorData:
        return await ask(params)

    client = Client(
        transport,
        client_info=Implementation(name="recto", title="Recto", version=version("recto")),
        elicitation_callback=on_elicitation,
        extensions=(TasksExtension(ask), advertise(EXTENSION, {"mimeTypes": [MEDIA_TYPE]})),
        message_handler=on_message,
        cache=None,
        mode="auto" if known is None else LATEST_MODERN_VERSION,
        prior_discover=None if known is None else DiscoverResult.model_validate(known),
    )
    async with within(client, start_s) as opened:
        yield McpConnection(opened, calls, first_opened)


@asynccontextmanager
async def within(client: Client, start_s: float) -> AsyncGenerator[Client]:
    """The client, connected in time. Raises TimeoutError."""
    with anyio.CancelScope() as scope:
        scope.deadline = anyio.current_time() + start_s
        async with client as opened:
            scope.deadline = float("inf")
            yield opened
    if scope.cancelled_caught:
        raise TimeoutError


__all__ = ["ConnectionEvents", "MCPError", "McpConnection", "open_connection"]
