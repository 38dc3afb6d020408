"""How the tests talk to the built-in model."""

import os
from collections.abc import AsyncGenerator
from pathlib import Path

import anyio
import anyio.lowlevel

from recto.llm.builtin import BuiltinModel
from recto.messages import Finished, Request, StreamEvent, TextDelta, user

MODEL = "smollm2-135m"
PATIENCE_S = 60
"""For a machine that has much else to do: nobody waits that long."""


def ask(words: str, *, max_output: int = 12) -> Request:
    return Request(MODEL, (user(words),), max_output, temperature=0.0, logprobs=True)


def go_on(
    text: str, *, max_output: int, temperature: float = 0.0, stop: tuple[str, ...] = ()
) -> Request:
    """Asks how a text could go on."""
    return Request(
        MODEL, (user(text),), max_output, temperature=temperature, stop=stop, continues=True
    )


async def collect(events: AsyncGenerator[StreamEvent]) -> list[StreamEvent]:
    with anyio.fail_after(PATIENCE_S):
        return [event async for event in events]


async def finish(events: AsyncGenerator[StreamEvent]) -> Finished:
    """The end of an answer; whatever happened, there is one, and it is the last event."""
    found = await collect(events)
    ends = [event for event in found if isinstance(event, Finished)]
    assert ends == found[-1:]
    return ends[0]


async def until_text(events: AsyncGenerator[StreamEvent]) -> None:
    """Wait until the answer is under way."""
    with anyio.fail_after(PATIENCE_S):
        async for event in events:
            if isinstance(event, TextDelta):
                return
    raise AssertionError("the answer ended without a word")


def worker_of(model: BuiltinModel) -> int:
    pid = model.worker_pid
    assert pid is not None
    return pid


def is_running(pid: int) -> bool:
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8")
    except (FileNotFoundError, ProcessLookupError):
        return False
    return stat.rpartition(")")[2].split()[0] not in {"Z", "X"}


def listening(pid: int) -> list[str]:
    """Where a process listens: the paths of its sockets, or their addresses on a network."""
    fds = [os.readlink(fd) for fd in Path(f"/proc/{pid}/fd").iterdir()]
    inodes = {fd[len("socket:[") : -1] for fd in fds if fd.startswith("socket:[")}
    found: list[str] = []
    for table, inode, address in (("unix", 6, 7), ("tcp", 9, 1), ("tcp6", 9, 1)):
        lines = Path(f"/proc/{pid}/net/{table}").read_text(encoding="utf-8").splitlines()[1:]
        rows = [line.split() for line in lines]
        found += [row[address] for row in rows if row[inode] in inodes]
    return found


def is_reachable(path: str) -> bool:
    return Path(path).exists()


def holds_model(pid: int) -> bool:
    """Whether the process has the model in its memory."""
    return ".gguf" in Path(f"/proc/{pid}/maps").read_text(encoding="utf-8")


async def until_ended(pid: int) -> None:
    """Wait until a process has ended, whoever's child it is."""
    try:
        fd = os.pidfd_open(pid)
    except ProcessLookupError:
        return
    try:
        with anyio.fail_after(PATIENCE_S):
            await anyio.wait_readable(fd)
    finally:
        os.close(fd)


async def until_gone(pid: int) -> None:
    """Wait until nothing of a process is left: somebody has to hear of its end, too."""
    await until_ended(pid)
    with anyio.fail_after(PATIENCE_S):
        while Path(f"/proc/{pid}").exists():  # noqa: ASYNC240  the system's own memory, not a disk
            await anyio.lowlevel.checkpoint()


async def until_unloaded(pid: int) -> None:
    with anyio.fail_after(PATIENCE_S):
        while holds_model(pid):
            await anyio.lowlevel.checkpoint()
