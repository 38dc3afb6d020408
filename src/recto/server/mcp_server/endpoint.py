"""What answers at /mcp. The SDK takes seconds to load, so it is loaded for the first who asks."""

from collections.abc import Callable
from typing import TYPE_CHECKING

import anyio
import anyio.to_thread
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from recto.chats import OutsideCalls

if TYPE_CHECKING:
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

BuildSessions = Callable[[OutsideCalls, str], "StreamableHTTPSessionManager"]


class McpEndpoint:
    """The MCP server of every project."""

    def __init__(self, calls: OutsideCalls, version: str) -> None:
        self._calls = calls
        self._version = version
        self._is_wanted = anyio.Event()
        self._is_ready = anyio.Event()
        self._sessions: StreamableHTTPSessionManager | None = None

    async def run(self) -> None:
        """Keep the sessions of clients, from the first request until cancelled."""
        await self._is_wanted.wait()
        build = await anyio.to_thread.run_sync(load_protocol)
        sessions = build(self._calls, self._version)
        async with sessions.run():
            self._sessions = sessions
            self._is_ready.set()
            try:
                await anyio.sleep_forever()
            finally:
                self._sessions, self._is_ready = None, anyio.Event()

    async def answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request that was let in."""
        self._is_wanted.set()
        while self._sessions is None:
            await self._is_ready.wait()
        # The SDK compares headers with the body, and the web server leaves blanks behind them.
        headers = [(name, value.strip(b" \t")) for name, value in scope["headers"]]
        await self._sessions.handle_request({**scope, "headers": headers}, receive, send)


def load_protocol() -> BuildSessions:
    """What speaks the protocol."""
    from recto.server.mcp_server.protocol import build_sessions

    return build_sessions


class McpResponse(Response):
    """Hands a request over to the MCP server, which reads its body and answers it."""

    def __init__(self, endpoint: McpEndpoint, request: Request, project_id: str) -> None:
        super().__init__()
        self._endpoint = endpoint
        request.state.mcp_project = project_id

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer."""
        await self._endpoint.answer(scope, receive, send)
