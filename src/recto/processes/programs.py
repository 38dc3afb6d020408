"""Starts programs, with pipes of ours, and ends them with all they started in their group."""

import asyncio
import os
import signal
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Coroutine, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

import anyio

from recto.cancellation import answer_of, outlast
from recto.processes.environment import environment
from recto.processes.failures import InputClosed, NotStarted, ProgramMissing, TimedOut

CHUNK = 1 << 16
GRACE_S = 0.5
MAX_ERROR_BYTES = 65_536
Done = TypeVar("Done")


@dataclass(frozen=True, slots=True)
class ProgramOutput:
    """What a program said; `truncated` when it said more than was kept."""

    code: int
    stdout: bytes
    stderr: bytes
    truncated: bool


class RunningProgram:
    """A started program: what it is told, its output as it comes, then its code."""

    def __init__(
        self,
        process: asyncio.subprocess.Process,
        stdout: asyncio.StreamReader,
        stderr: "asyncio.Task[bytes]",
        stdin: asyncio.StreamWriter | None,
    ) -> None:
        self.pid = process.pid
        self._process = process
        self._stdout = stdout
        self._stderr = stderr
        self._stdin = stdin

    @property
    def is_running(self) -> bool:
        """Whether it has not ended yet, as far as is known."""
        return self._process.returncode is None

    async def send(self, data: bytes) -> None:
        """Tell a program that was started with `talks` something. Raises InputClosed."""
        if self._stdin is None or self._stdin.is_closing():
            raise InputClosed
        self._stdin.write(data)
        try:
            await self._stdin.drain()
        except (BrokenPipeError, ConnectionResetError) as error:
            raise InputClosed from error

    def end_input(self) -> None:
        """Let it know that nothing more comes."""
        if self._stdin is not None:
            self._stdin.close()

    async def line(self) -> bytes:
        """The next line of the output, at most 64 KB long; without a line end at its very end."""
        return await self._stdout.readline()

    async def chunks(self) -> AsyncIterator[bytes]:
        """The output, in pieces as they arrive, to its end."""
        while chunk := await self._stdout.read(CHUNK):
            yield chunk

    async def wait(self) -> int:
        """The exit code, negative for a signal."""
        return await self._process.wait()

    async def errors(self) -> bytes:
        """The beginning of what it wrote to its error output, once that has ended."""
        return await asyncio.shield(self._stderr)


@asynccontextmanager
async def start(
    argv: Sequence[str],
    *,
    cwd: str,
    env: Mapping[str, str] | None = None,
    talks: bool = False,
    passes: Sequence[int] = (),
    hear_errors: Callable[[bytes], None] | None = None,
) -> AsyncGenerator[RunningProgram]:
    """Start a program; leaving the block, however, ends it and all it started in its group.

    With `talks` it can be sent input, and it sees the end of that when the block is left. It gets
    the open files that `passes` names, under the same numbers. `hear_errors` gets its error output
    as it comes.
    """
    launching = asyncio.create_task(launch(argv, cwd, environment(env), talks=talks, passes=passes))
    # A program must not be started and then lost: whoever was cancelled meanwhile ends it below.
    cancelled = await outlast(launching)
    process, out, err, told = launching.result()
    errors = asyncio.create_task(drain(err.reader, MAX_ERROR_BYTES, hear_errors))
    try:
        if cancelled is not None:
            raise cancelled
        yield RunningProgram(process, out.reader, errors, told)
    finally:
        if told is not None and not told.is_closing():
            told.transport.abort()
        await shielded(end(process))
        errors.cancel()
        out.transport.close()
        err.transport.close()


async def shielded(work: Coroutine[Any, Any, Done]) -> Done:
    """Finish some work even when cancelled; the cancellation follows then."""
    task = asyncio.create_task(work)
    return answer_of(task, await outlast(task))


@dataclass(frozen=True, slots=True)
class Pipe:
    """The reading end of a program's output."""

    reader: asyncio.StreamReader
    transport: asyncio.ReadTransport


async def launch(
    argv: Sequence[str],
    cwd: str,
    env: Mapping[str, str],
    *,
    talks: bool,
    passes: Sequence[int] = (),
) -> tuple[asyncio.subprocess.Process, Pipe, Pipe, asyncio.StreamWriter | None]:
    """Start a program with pipes of ours: its exit is then known even if others hold them."""
    out_read, out_write = os.pipe()
    err_read, err_write = os.pipe()
    in_read, in_write = os.pipe() if talks else (asyncio.subprocess.DEVNULL, None)
    theirs = [out_write, err_write, *([in_read] if talks else [])]
    ours = [out_read, err_read, *([] if in_write is None else [in_write])]
    try:
        process = await spawn(argv, cwd, env, (in_read, out_write, err_write), passes)
    except BaseException:
        for fd in ours:
            os.close(fd)
        raise
    finally:
        for fd in theirs:
            os.close(fd)
    told = None if in_write is None else await connect_input(in_write)
    return process, await connect(out_read), await connect(err_read), told


async def spawn(
    argv: Sequence[str],
    cwd: str,
    env: Mapping[str, str],
    pipes: tuple[int, int, int],
    passes: Sequence[int] = (),
) -> asyncio.subprocess.Process:
    """Start a program in a session of its own. Raises ProgramMissing, NotStarted."""
    try:
        return await asyncio.create_subprocess_exec(
            *argv,
            cwd=cwd,
            env=env,
            stdin=pipes[0],
            stdout=pipes[1],
            stderr=pipes[2],
            start_new_session=True,
            pass_fds=tuple(passes),
        )
    except FileNotFoundError as error:
        if await anyio.Path(cwd).is_dir():
            raise ProgramMissing(argv[0]) from error
        raise NotStarted(argv[0], f"the folder {cwd} is gone") from error
    except OSError as error:
        raise NotStarted(argv[0], error.strerror or "unknown reason") from error


async def connect(fd: int) -> Pipe:
    """Read a pipe from the event loop."""
    reader = asyncio.StreamReader(limit=CHUNK)
    loop = asyncio.get_running_loop()
    pipe = os.fdopen(fd, "rb", buffering=0, closefd=closes_files(loop))
    transport, _ = await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), pipe)
    return Pipe(reader, transport)


async def connect_input(fd: int) -> asyncio.StreamWriter:
    """Write to a pipe from the event loop."""
    loop = asyncio.get_running_loop()
    pipe = os.fdopen(fd, "wb", buffering=0, closefd=closes_files(loop))
    transport, protocol = await loop.connect_write_pipe(
        lambda: asyncio.StreamReaderProtocol(asyncio.StreamReader()), pipe
    )
    return asyncio.StreamWriter(transport, protocol, None, loop)


def closes_files(loop: asyncio.AbstractEventLoop) -> bool:
    """Whether closing a transport of this loop closes the file it was given, and nothing else.

    uvloop has libuv close the descriptor and closes the file then: the number may be another file's
    by that time, opened in another thread. There the file must leave the descriptor alone.
    """
    return isinstance(loop, asyncio.BaseEventLoop)


async def drain(
    reader: asyncio.StreamReader, max_bytes: int, hear: Callable[[bytes], None] | None = None
) -> bytes:
    """Read to the end, keep the beginning: a full pipe must not hold the program up."""
    kept = bytearray()
    while chunk := await reader.read(CHUNK):
        if hear is not None:
            hear(chunk)
        kept += chunk[: max_bytes - len(kept)]
    return bytes(kept)


async def end(process: asyncio.subprocess.Process) -> None:
    """End the whole group: ask first, then kill."""
    try:
        if process.returncode is None and signal_group(process.pid, signal.SIGTERM):
            with anyio.move_on_after(GRACE_S):
                await process.wait()
    finally:
        # Also when the leader has ended: others of its group may live on.
        signal_group(process.pid, signal.SIGKILL)
    await process.wait()


def signal_group(pid: int, number: signal.Signals) -> bool:
    """Signal a group that we started; False when nothing of it is left."""
    try:
        os.killpg(pid, number)
    except ProcessLookupError:
        return False
    return True


async def run(
    argv: Sequence[str],
    *,
    cwd: str,
    env: Mapping[str, str] | None = None,
    timeout_s: float,
    max_bytes: int,
) -> ProgramOutput:
    """Run a program to its end. Raises ProgramMissing, NotStarted, TimedOut."""
    kept = bytearray()
    total = 0
    try:
        with anyio.fail_after(timeout_s):
            async with start(argv, cwd=cwd, env=env) as running:
                async for chunk in running.chunks():
                    total += len(chunk)
                    kept += chunk[: max_bytes - len(kept)]
                code = await running.wait()
                errors = await running.errors()
    except TimeoutError as error:
        raise TimedOut(argv[0], timeout_s) from error
    return ProgramOutput(code, bytes(kept), errors, truncated=total > max_bytes)
