"""A sign-in to one server, in the background: a person may take minutes in the browser."""

import importlib
from collections.abc import Awaitable, Callable
from typing import Any

import anyio
import anyio.to_thread

from recto.mcp.calls import PendingCall
from recto.mcp.configuration import ServerConfig
from recto.mcp.log import ServerLog
from recto.mcp.server_services import ServerServices, load_session
from recto.tools import Elicitation

FLOW = "recto.mcp.signing_in.sign_in"
"""Loaded when somebody signs in: the SDK takes a moment."""
SIGN_IN = "{} wants you to sign in before this call can go on."


class SignInTask:
    """The newest sign-in of a server, for whoever waits for it."""

    def __init__(
        self, services: ServerServices, log: ServerLog, signed_in: Callable[[], Awaitable[None]]
    ) -> None:
        self.over = anyio.Event()
        """Set when the newest sign-in has ended."""
        self.over.set()
        self.scope = ""
        """What the server wants somebody to sign in for."""
        self._services = services
        self._log = log
        self._signed_in = signed_in
        self._scope: anyio.CancelScope | None = None
        self._flow: Any = None
        self._running = ""
        self._succeeded = False

    async def begin(self, config: ServerConfig) -> str:
        """Begin, or join one that waits; the address that a person opens. Raises McpFailure."""
        module = await anyio.to_thread.run_sync(importlib.import_module, FLOW)
        if self.over.is_set() or self._running != self.scope:
            if self._scope is not None:
                self._scope.cancel()
            self._running = self.scope
            services = self._services
            flow = module.SignInFlow(config, services.sign_ins, services.now_ms, self.scope)
            self._start(flow)
        return await self._flow.wait_for_address()

    async def ask(self, call: PendingCall, begin: Callable[[], Awaitable[str]]) -> bool:
        """Ask whose call it is to sign in; whether they did, wherever. Raises McpFailure."""
        address = await begin()
        over, is_declined = self.over, False

        async def end_with_sign_in() -> None:
            await over.wait()
            group.cancel_scope.cancel()

        question = Elicitation(call.server, SIGN_IN.format(call.server), url=address)
        async with anyio.create_task_group() as group:
            group.start_soon(end_with_sign_in)
            is_declined = (await call.elicit(question)).action != "accept"
            if is_declined:
                group.cancel_scope.cancel()
        return not is_declined and self._succeeded

    def _start(self, flow: Any) -> None:
        over = self.over = anyio.Event()
        self._flow, self._succeeded = flow, False

        async def work() -> None:
            try:
                if await self._run(flow):
                    self.scope, self._succeeded = "", True
                    await self._signed_in()
            finally:
                over.set()

        self._scope = self._services.supervisor.keep("MCP sign-in", work)

    async def _run(self, flow: Any) -> bool:
        """Whether somebody is signed in now; what went wrong is in the log."""
        session = load_session()
        try:
            is_done = await flow.run()
        except session.EXPECTED as error:
            flow.failure, is_done = session.words_of(error), False
        self._log.note("Signed in." if is_done else f"Not signed in: {flow.failure}.")
        return is_done
