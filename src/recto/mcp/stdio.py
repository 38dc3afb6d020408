"""A server that is a program: its input and output as the SDK's streams, bounded and watched."""

import os
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.shared.message import SessionMessage
from mcp_types import (
    INTERNAL_ERROR,
    ErrorData,
    JSONRPCError,
    JSONRPCRequest,
    JSONRPCResponse,
    jsonrpc_message_adapter,
)

from recto.mcp.configuration import ServerConfig
from recto.mcp.failures import ServerEnded
from recto.mcp.framing import MAX_MESSAGE, LineSplitter, LongLine, find_id
from recto.mcp.log import ServerLog
from recto.processes import (
    MARK,
    InputClosed,
    RunningProgram,
    end_marked,
    find_program,
    kept_talking,
    shielded,
    start,
)

MOST_BAD_LINES = 200
MAX_UNASKED = 64_000_000
"""What a server may say between two answers before it counts as flooding."""
GRACE_S = 1.0
KEEPER_S = 2.0
Streams = tuple[
    MemoryObjectReceiveStream[SessionMessage | Exception], MemoryObjectSendStream[SessionMessage]
]


@dataclass(slots=True)
class StdioStreams:
    """The two directions of a program, between it and the SDK."""

    program: RunningProgram
    log: ServerLog
    inward: MemoryObjectSendStream[SessionMessage | Exception]
    outward: MemoryObjectReceiveStream[SessionMessage]
    waiting: set[int | str] = field(default_factory=set[int | str])
    """The requests that have no answer yet."""
    bad_lines: int = 0
    unasked: int = 0

    async def read(self) -> None:
        """Pass on what the program says, until it ends or floods. Raises ServerEnded."""
        lines = LineSplitter()
        async with self.inward:
            async for chunk in self.program.chunks():
                self.unasked += len(chunk)
                if self.unasked > MAX_UNASKED:
                    raise ServerEnded("it wrote without end")
                for line in lines.feed(chunk):
                    await self._take(line)
            # Before the stream closes: then how it ended is known to whoever finds it closed.
            raise ServerEnded(await self._how_it_ended())

    async def _how_it_ended(self) -> str:
        with anyio.move_on_after(GRACE_S):
            return f"it ended with exit code {await self.program.wait()}"
        return "it closed its output"

    async def write(self) -> None:
        """Tell the program what the SDK says. Raises ServerEnded."""
        async with self.outward:
            async for outgoing in self.outward:
                message = outgoing.message
                if isinstance(message, JSONRPCRequest):
                    self.waiting.add(message.id)
                data = message.model_dump_json(by_alias=True, exclude_unset=True).encode() + b"\n"
                try:
                    await self.program.send(data)
                except InputClosed as closed:
                    raise ServerEnded("it reads no more") from closed

    async def _take(self, line: bytes | LongLine) -> None:
        if isinstance(line, LongLine):
            words = f"its answer has {line.size:,} bytes; {MAX_MESSAGE:,} are the most"
            await self._refuse(line.head + line.tail, words)
            return
        if not line.strip():
            return
        try:
            message = jsonrpc_message_adapter.validate_json(line, by_name=False)
        except ValueError:
            await self._refuse(line[:512] + line[-512:], "its answer is not JSON-RPC")
            return
        if isinstance(message, JSONRPCResponse | JSONRPCError) and message.id is not None:
            self.waiting.discard(message.id)
            self.unasked = 0
        await self.inward.send(SessionMessage(message))

    async def _refuse(self, ends: bytes, words: str) -> None:
        """A message that can't be read harms only the call that it answers, if it is one."""
        self.bad_lines += 1
        if self.bad_lines <= 3:
            self.log.note(f"A line was left out: {words}.")
        if self.bad_lines > MOST_BAD_LINES:
            raise ServerEnded("it wrote too much that is no message")
        request_id = find_id(ends, self.waiting)
        if request_id is None:
            return
        self.waiting.discard(request_id)
        self.unasked = 0
        error = ErrorData(code=INTERNAL_ERROR, message=f"The server failed: {words}.")
        answer = JSONRPCError(jsonrpc="2.0", id=request_id, error=error)
        await self.inward.send(SessionMessage(answer))


@asynccontextmanager
async def stdio_streams(
    config: ServerConfig,
    folder: str,
    mark: str,
    log: ServerLog,
    on_ended: Callable[[str], None],
) -> AsyncGenerator[Streams]:
    """A program's two directions; leaving the block ends it and all it started.

    `on_ended` hears how it ended, if that came before. Raises ProcessFailure.
    """
    async with kept_program(config, folder, mark, log) as program:
        inward, received = anyio.create_memory_object_stream[SessionMessage | Exception](0)
        sent, outward = anyio.create_memory_object_stream[SessionMessage](0)
        streams = StdioStreams(program, log, inward, outward)

        async def watch(work: Callable[[], Awaitable[None]]) -> None:
            try:
                await work()
            except ServerEnded as ended:
                on_ended(str(ended))
            except (anyio.BrokenResourceError, anyio.ClosedResourceError):
                on_ended("its connection was closed")
            finally:
                # Whoever waits for an answer is told that none will come.
                inward.close()

        async with received, sent, anyio.create_task_group() as group:
            group.start_soon(watch, streams.read)
            group.start_soon(watch, streams.write)
            try:
                yield received, sent
            finally:
                group.cancel_scope.cancel()


@asynccontextmanager
async def kept_program(
    config: ServerConfig, folder: str, mark: str, log: ServerLog
) -> AsyncGenerator[RunningProgram]:
    """The program, started so that nothing of it outlives the block, or this process."""
    # A path is the program itself, as seen from its folder; a name is looked up.
    found = config.command if "/" in config.command else find_program(config.command)
    lifeline, ours = os.pipe()
    try:
        async with start(
            kept_talking(lifeline, [found, *config.args]),
            cwd=folder_of(config, folder),
            env={**config.env, MARK: mark},
            talks=True,
            passes=(lifeline,),
            hear_errors=log.hear,
        ) as program:
            try:
                yield program
            finally:
                line, ours = ours, -1
                await shielded(end_kept(program, line, mark))
    finally:
        os.close(lifeline)
        if ours >= 0:
            os.close(ours)


def folder_of(config: ServerConfig, folder: str) -> str:
    """Where a program runs."""
    return os.path.join(folder, os.path.expanduser(config.cwd or ""))


async def end_kept(program: RunningProgram, ours: int, mark: str) -> None:
    """End a program as the protocol wants it: it sees the end of its input first."""
    try:
        program.end_input()
        with anyio.move_on_after(GRACE_S):
            await program.wait()
    finally:
        os.close(ours)
    with anyio.move_on_after(KEEPER_S):
        await program.wait()
    # What killed its keeper, or left its parent, still has the mark in its environment.
    await end_marked(mark)
