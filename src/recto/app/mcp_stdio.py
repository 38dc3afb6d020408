"""Recto as an MCP server on standard input and output, for the folder of one client.

There is one Recto for a home: a running one is asked, else this process becomes it, page included,
so that edits can be reviewed while the client works.
"""

import asyncio
import sys
from collections.abc import Callable, Mapping
from functools import partial
from importlib.metadata import version
from itertools import count
from pathlib import Path
from typing import Any, cast

import anyio
import anyio.to_thread
from anyio.abc import TaskGroup
from mcp.server.stdio import stdio_server
from mcp.shared.exceptions import MCPError
from mcp_types import INTERNAL_ERROR
from mcp_types.version import LATEST_MODERN_VERSION

from recto.app.failures import START_FAILURES
from recto.app.server import ReadyServer, ServeOptions, serve
from recto.config import ConfigFailure, Home, HomeTaken, RunningServer, Settings, find_running
from recto.server.listen import CannotListen
from recto.server.mcp_server.relay import build_relay

Json = dict[str, Any]
Ask = Callable[[RunningServer, str, object, Mapping[str, str]], Json]
"""Posts a body to the running Recto; what it answers, also when it refuses.

Raises NotHeard, NoAnswer.
"""
START_S = 60.0
LOOK_AGAIN_S = 0.1
LONGEST_LINE = 16 * 1024 * 1024
BROKEN = (
    "The connection to Recto broke. Whether the call was done is unknown: look before you repeat "
    "it."
)


class NotHeard(Exception):
    """The Recto that was asked has ended, or another one is in its place: nothing was done."""


class NoAnswer(Exception):
    """The connection broke before there was an answer; the words say how."""


class StdioServer:
    """One client on standard input and output, and the Recto behind it."""

    def __init__(
        self, home: Home, settings: Settings, folder: Path, ask: Ask, note: Callable[[str], None]
    ) -> None:
        """`note` tells people something, beside the protocol."""
        self._home = home
        self._settings = settings
        self._folder = folder
        self._ask = ask
        self._note = note
        self._numbers = count(1)
        self._finding = anyio.Lock()
        self._found: tuple[RunningServer, str] | None = None
        self._own: ReadyServer | None = None
        self._tasks: TaskGroup | None = None

    async def serve(self) -> None:
        """Answer until the client closes the input. Raises what `START_FAILURES` names."""
        refusal: Exception | None = None
        async with anyio.create_task_group() as tasks:
            self._tasks = tasks
            try:
                # Before the first word: a Recto that can't start is told to whoever started us.
                await self._recto()
            except START_FAILURES as failure:
                refusal = failure
            else:
                await self._answer()
            if self._own is not None:
                self._own.stop()
        if refusal is not None:
            raise refusal

    async def _answer(self) -> None:
        relay = build_relay(self._forward, version("recto"))
        lines = cast("anyio.AsyncFile[str]", await open_input())
        async with stdio_server(stdin=lines) as (incoming, outgoing):
            await relay.run(incoming, outgoing, relay.create_initialization_options())

    async def _forward(self, method: str, params: Mapping[str, Any], name: str) -> Json:
        """Have Recto answer a request. Raises MCPError."""
        body = {
            "jsonrpc": "2.0",
            "id": next(self._numbers),
            "method": method,
            "params": dict(params),
        }
        headers = {
            "Accept": "application/json, text/event-stream",
            "MCP-Protocol-Version": LATEST_MODERN_VERSION,
            "Mcp-Method": method,
            **({"Mcp-Name": name} if name else {}),
        }
        answer = await self._post(body, headers)
        if "error" in answer:
            raise MCPError(answer["error"]["code"], answer["error"]["message"])
        if "result" not in answer:
            raise MCPError(INTERNAL_ERROR, answer["detail"])
        return answer["result"]

    async def _post(self, body: Json, headers: Mapping[str, str]) -> Json:
        while True:
            try:
                running, project_id = await self._recto()
            except START_FAILURES as failure:
                raise MCPError(INTERNAL_ERROR, str(failure)) from failure
            ask = partial(self._ask, running, f"/mcp/{project_id}", body, headers)
            try:
                return await anyio.to_thread.run_sync(ask, abandon_on_cancel=True)
            except NotHeard:
                self._found = None
            except NoAnswer as error:
                raise MCPError(INTERNAL_ERROR, BROKEN) from error

    async def _recto(self) -> tuple[RunningServer, str]:
        """The Recto that runs and the project of the folder in it. Raises a START_FAILURE."""
        async with self._finding:
            with anyio.move_on_after(START_S):
                while self._found is None:
                    self._found = await self._find()
                    if self._found is None:
                        # Another process has the home: it answers in a moment, or is ending.
                        await anyio.sleep(LOOK_AGAIN_S)
            if self._found is None:
                raise HomeTaken(self._home)
            return self._found

    async def _find(self) -> tuple[RunningServer, str] | None:
        """The Recto that runs, or this process as one; None while another begins or ends."""
        try:
            running = find_running(self._home)
            if running is None:
                await self._begin()
                return None
            place = partial(self._ask, running, "/api/v1/projects", {"path": str(self._folder)}, {})
            project = await anyio.to_thread.run_sync(place)
        except (HomeTaken, NotHeard):
            return None
        except NoAnswer as error:
            words = f"The running Recto does not answer: {error}."
            raise ConfigFailure(words, "End it and try again.") from error
        if "id" not in project:
            raise ConfigFailure(project["detail"], project.get("remedy") or "")
        return running, project["id"]

    async def _begin(self) -> None:
        """Serve the home, on the usual port or, where that is taken, on any. Raises START_FAILURES.

        Returns when it answers.
        """
        assert self._tasks is not None
        server = self._settings.server
        try:
            await self._tasks.start(self._run, server.port)
        except CannotListen as taken:
            self._note(f"{taken} Any free one is taken now.")
            await self._tasks.start(self._run, 0)

    async def _run(self, port: int, *, task_status: anyio.abc.TaskStatus[None]) -> None:
        """A whole Recto, until it is told to stop."""

        def ready(server: ReadyServer) -> None:
            self._own = server
            self._note(f"Recto serves {self._folder} at {server.url}; `recto` opens it.")
            task_status.started()

        options = ServeOptions(folder=self._folder, host=self._settings.server.host, port=port)
        await serve(options, self._home, self._settings, ready=ready)
        # Somebody ended the program, and the client with it: there is nobody left to answer.
        assert self._tasks is not None
        self._tasks.cancel_scope.cancel()


class InputLines:
    """The lines of standard input. A read that waits can be given up, so that Ctrl+C ends us."""

    def __init__(self, reader: asyncio.StreamReader) -> None:
        self._reader = reader

    def __aiter__(self) -> "InputLines":
        return self

    async def __anext__(self) -> str:
        line = await self._reader.readline()
        if not line:
            raise StopAsyncIteration
        return line.decode("utf-8", "replace")


async def open_input() -> InputLines:
    """Standard input, which is the client's."""
    reader = asyncio.StreamReader(limit=LONGEST_LINE)
    protocol = asyncio.StreamReaderProtocol(reader)
    await asyncio.get_running_loop().connect_read_pipe(lambda: protocol, sys.stdin.buffer)
    return InputLines(reader)


async def serve_stdio(
    home: Home, settings: Settings, folder: Path, ask: Ask, note: Callable[[str], None]
) -> None:
    """Serve a folder on standard input and output. Raises what `START_FAILURES` names."""
    await StdioServer(home, settings, folder, ask, note).serve()
