"""The one place that starts other programs: no shell, no secrets, whole group ended.

A program gets a session of its own, an environment of a few named variables, and a closed input
unless somebody talks to it. One that may try to slip away is marked, and found by its mark.
"""

import asyncio
import os
import select
import shutil
import signal
import sys
from collections.abc import AsyncGenerator, AsyncIterator, Coroutine, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import anyio

# Named one by one: keys of providers stand in this program's own environment.
PASSED_ON = ("PATH", "HOME", "LANG", "TMPDIR")
CHUNK = 1 << 16
GRACE_S = 0.5
MAX_ERROR_BYTES = 65_536
MARK = "RECTO_COMMAND"
END_S = 2.0
PROC = Path("/proc")
Done = TypeVar("Done")


class ProcessFailure(Exception):
    """A program could not do its work; `message` says why, `remedy` what to do."""

    def __init__(self, message: str, remedy: str) -> None:
        super().__init__(f"{message} {remedy}")
        self.message = message
        self.remedy = remedy


class ProgramMissing(ProcessFailure):
    """The program is not on this machine."""

    def __init__(self, program: str) -> None:
        super().__init__(f"The program {program} was not found.", f"Install {program}.")
        self.program = program


class NotStarted(ProcessFailure):
    """The program is there but the system would not start it."""

    def __init__(self, program: str, why: str) -> None:
        super().__init__(f"{program} did not start: {why}.", "Check its folder and permissions.")


class Survived(ProcessFailure):
    """Processes were killed and are still there."""

    def __init__(self, pids: Sequence[int]) -> None:
        names = ", ".join(map(str, pids))
        super().__init__(f"Processes could not be ended: {names}.", "Look what holds them up.")


class InputClosed(ProcessFailure):
    """The program reads no more of what it is told."""

    def __init__(self) -> None:
        super().__init__("The program has ended or reads no more.", "Start it again.")


class TimedOut(ProcessFailure):
    """The program took too long and was ended."""

    def __init__(self, program: str, timeout_s: float) -> None:
        super().__init__(f"{program} took over {timeout_s:g} s and was ended.", "Try again later.")


@dataclass(frozen=True, slots=True)
class ProgramOutput:
    """What a program said; `truncated` when it said more than was kept."""

    code: int
    stdout: bytes
    stderr: bytes
    truncated: bool


def find_program(name: str, *, beside_python: bool = False) -> str:
    """The absolute path of a program. Raises ProgramMissing.

    Relative entries of PATH are skipped: they would mean the folder the program runs in.
    """
    if beside_python:
        beside = Path(sys.executable).parent / name
        if os.access(beside, os.X_OK):
            return str(beside)
    found = shutil.which(name, path=absolute_path())
    if found is None:
        raise ProgramMissing(name)
    return found


def absolute_path() -> str:
    """PATH without its relative entries."""
    entries = os.environ.get("PATH", os.defpath).split(os.pathsep)
    return os.pathsep.join(entry for entry in entries if os.path.isabs(entry))


def environment(extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """What a program may know: a short list of variables, and what the caller adds."""
    passed = {
        name: value
        for name, value in os.environ.items()
        if name in PASSED_ON or name.startswith("LC_")
    }
    return {**passed, "PATH": absolute_path(), **(extra or {})}


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
) -> AsyncGenerator[RunningProgram]:
    """Start a program; leaving the block, however, ends it and all it started in its group.

    With `talks` it can be sent input, and it sees the end of that when the block is left. It gets
    the open files that `passes` names, under the same numbers.
    """
    # shielded, because a program must not be started and then lost
    process, out, err, told = await shielded(
        launch(argv, cwd, environment(env), talks=talks, passes=passes)
    )
    errors = asyncio.create_task(drain(err.reader, MAX_ERROR_BYTES))
    try:
        yield RunningProgram(process, out.reader, errors, told)
    finally:
        if told is not None and not told.is_closing():
            told.transport.abort()
        await shielded(end(process))
        errors.cancel()
        out.transport.close()
        err.transport.close()


async def shielded(work: Coroutine[None, None, Done]) -> Done:
    """Finish some work even when cancelled."""
    with anyio.CancelScope(shield=True):
        return await work
    raise AssertionError("a shielded scope is never left early")


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


async def drain(reader: asyncio.StreamReader, max_bytes: int) -> bytes:
    """Read to the end, keep the beginning: a full pipe must not hold the program up."""
    kept = bytearray()
    while chunk := await reader.read(CHUNK):
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


def descendants(pid: int) -> set[int]:
    """All processes that this one started, directly or not, and that still have it above them."""
    below: dict[int, list[int]] = {}
    for child in pids():
        parent = parent_of(child)
        if parent is not None:
            below.setdefault(parent, []).append(child)
    found: set[int] = set()
    waiting = [pid]
    while waiting:
        children = below.get(waiting.pop(), [])
        found.update(children)
        waiting += children
    return found


def pids() -> list[int]:
    """Every process of this machine that can be seen; none where the system does not tell."""
    if not PROC.is_dir():
        return []
    return [int(name) for name in os.listdir(PROC) if name.isdecimal()]


def parent_of(pid: int) -> int | None:
    """The process that a process belongs to; None when it is gone."""
    try:
        text = (PROC / str(pid) / "stat").read_bytes()
    except (FileNotFoundError, ProcessLookupError):
        return None
    # Behind the last bracket: a program may have brackets and spaces in its name.
    return int(text.rpartition(b")")[2].split()[1])


async def end_marked(mark: str) -> None:
    """End every process that was started with this mark in its environment, and wait until it has.

    Raises Survived when the system does not let go of one in time.
    """
    # Until a look finds none: what was killed may have started something just before.
    while await anyio.to_thread.run_sync(kill_marked, mark):
        pass


def kill_marked(mark: str) -> bool:
    """Kill all that carry the mark and wait for their end; False when there were none."""
    handles: dict[int, int] = {}
    try:
        for pid in pids():
            handle = open_marked(pid, mark)
            if handle is not None:
                handles[handle] = pid
        for handle in handles:
            send_by_handle(handle, signal.SIGKILL)
        wait_for_end(handles)
        return bool(handles)
    finally:
        for handle in handles:
            os.close(handle)


def open_marked(pid: int, mark: str) -> int | None:
    """A handle of the process if it carries the mark: a number alone may soon be another's."""
    try:
        # The handle first, then the look: the number can't become another process in between.
        handle = os.pidfd_open(pid)
    except ProcessLookupError:
        return None
    if is_marked(pid, mark):
        return handle
    os.close(handle)
    return None


def is_marked(pid: int, mark: str) -> bool:
    """Whether a process has the mark. Another user's process is none of ours."""
    try:
        known = (PROC / str(pid) / "environ").read_bytes().split(b"\0")
    except (FileNotFoundError, ProcessLookupError, PermissionError):
        return False
    return f"{MARK}={mark}".encode() in known


def send_by_handle(handle: int, number: signal.Signals) -> None:
    """Signal exactly the process that was opened, if it has not ended by itself."""
    with suppress(ProcessLookupError):
        signal.pidfd_send_signal(handle, number)


def wait_for_end(handles: Mapping[int, int]) -> None:
    """Wait until every process has ended. Raises Survived."""
    poll = select.poll()
    for handle in handles:
        poll.register(handle, select.POLLIN)
    left = dict(handles)
    while left:
        ended = poll.poll(END_S * 1000)
        if not ended:
            raise Survived(sorted(left.values()))
        for handle, _ in ended:
            poll.unregister(handle)
            del left[handle]


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
