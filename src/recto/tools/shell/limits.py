"""Limits that no command may pass, watched while it runs."""

import os
from dataclasses import dataclass
from pathlib import Path

import anyio

from recto.processes import RunningProgram, descendants

MAX_PROCESSES = 1_000
LITTLE_DISK = 512_000_000
LOOK_S = 0.1
LOAD = Path("/proc/loadavg")
# where an administrator finds the counter of tasks, in its older and newer form
GROUPS = ("/sys/fs/cgroup/pids", "/sys/fs/cgroup")
DISK_FULL = "It filled the disk almost completely."


def max_memory() -> int:
    """How many bytes of memory one process may have: three quarters of the machine's."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") * 3 // 4


def max_tasks() -> int:
    """How many tasks the system lets a command have; below that, it is ended with a word."""
    return 2 * MAX_PROCESSES


def make_group(name: str) -> str | None:
    """A group of processes that can't grow without end; None where there is none to be had.

    The system holds an ordinary user to a number of processes, but the administrator only by this.
    """
    # RLIMIT_NPROC does not hold for root, so root needs a cgroup.
    parent = None if os.geteuid() else next(filter(has_counter, GROUPS), None)
    if parent is None:
        return None
    group = Path(parent, name)
    group.mkdir()
    (group / "pids.max").write_text(str(max_tasks()), encoding="ascii")
    return str(group)


def has_counter(parent: str) -> bool:
    """Whether groups in this one count their processes, and may be made."""
    if not Path(parent, "cgroup.procs").exists():
        return False
    handed_on = Path(parent, "cgroup.subtree_control")
    if handed_on.exists() and "pids" not in handed_on.read_text(encoding="ascii").split():
        return False
    return os.access(parent, os.W_OK)


def count_tasks() -> int:
    """How many tasks there are on this machine; 0 where the system does not tell."""
    if not LOAD.exists():
        return 0
    return int(LOAD.read_bytes().split()[3].partition(b"/")[2])


def free_bytes(path: str) -> int:
    """The room that is left where a path is."""
    disk = os.statvfs(path)
    return disk.f_bavail * disk.f_frsize


@dataclass(frozen=True, slots=True)
class CommandWatch:
    """Looks after one command, measured against how the machine was before it."""

    folder: str
    tasks_before: int
    least_free: int

    @classmethod
    async def begin(cls, folder: str) -> "CommandWatch":
        """Look how the machine is now; `folder` is where the command writes."""
        tasks = await anyio.to_thread.run_sync(count_tasks)
        free = await anyio.to_thread.run_sync(free_bytes, folder)
        # On a disk that is nearly full already, half of what is left is the command's.
        return cls(folder, tasks, min(LITTLE_DISK, free // 2))

    async def until_end_or_breach(self, running: RunningProgram) -> str:
        """Wait until the command has ended by itself; else the limit that it passed, in words."""
        while running.is_running:
            with anyio.move_on_after(LOOK_S):
                await running.wait()
                return ""
            breach = await anyio.to_thread.run_sync(self._breach, running.pid)
            if breach:
                return breach
        return ""

    def _breach(self, pid: int) -> str:
        if free_bytes(self.folder) < self.least_free:
            return DISK_FULL
        # the total is one line to read; only when it has grown is it worth asking who
        if count_tasks() > self.tasks_before + MAX_PROCESSES // 2:
            many = len(descendants(pid)) > MAX_PROCESSES
            return f"It started more than {MAX_PROCESSES:,} processes." if many else ""
        return ""
