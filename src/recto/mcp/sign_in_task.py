"""A sign-in to one server, in the background: a person may take minutes in the browser."""

import importlib
from collections.abc import Awaitable, Callable
from typing import Any

import anyio
import anyio.to_thread

from recto.mcp.configuration import ServerConfig
from recto.mcp.log import ServerLog
from recto.mcp.server_services import ServerServices, load_session


class SignInTask:
    """The newest sign-in of a server; a new one ends the one before."""

    def __init__(
        self, services: ServerServices, log: ServerLog, restart: Callable[[], Awaitable[None]]
    ) -> None:
        self.over = anyio.Event()
        """Set when the newest sign-in has ended."""
        self._services = services
        self._log = log
        self._restart = restart
        self._scope: anyio.CancelScope | None = None

    async def begin(self, config: ServerConfig) -> str:
        """Begin; the address that a person opens. Raises McpFailure."""
        module = await anyio.to_thread.run_sync(importlib.import_module, "recto.mcp.sign_in")
        if self._scope is not None:
            self._scope.cancel()
        flow = module.SignInFlow(config, self._services.sign_ins, self._services.now_ms)
        over = self.over = anyio.Event()

        async def work() -> None:
            try:
                if await self._run(flow):
                    await self._restart()
            finally:
                over.set()

        self._scope = self._services.supervisor.keep("MCP sign-in", work)
        return await flow.wait_for_address()

    async def _run(self, flow: Any) -> bool:
        """Whether somebody is signed in now; what went wrong is in the log."""
        session = load_session()
        try:
            is_done = await flow.run()
        except session.EXPECTED as error:
            flow.failure, is_done = session.words_of(error), False
        self._log.note("Signed in." if is_done else f"Not signed in: {flow.failure}.")
        return is_done
