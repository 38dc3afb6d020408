"""Programs that slip away: found by whom they belong to or by their mark, and ended."""

import os
import select
import signal
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

import anyio

from recto.processes.failures import Survived

MARK = "RECTO_COMMAND"
END_S = 2.0
PROC = Path("/proc")


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
