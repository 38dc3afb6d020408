"""What a program and all that it has started take of the computer: memory and time."""

import os
from dataclasses import dataclass
from pathlib import Path

from recto.processes.marked import descendants

PROC = Path("/proc")
USER_TICKS = 11
"""Where behind the name of a process the time stands that it has used."""


@dataclass(frozen=True, slots=True)
class ProcessUsage:
    """The memory that processes have now, and the time on a processor that they had so far."""

    memory_bytes: int
    cpu_s: float


def usage_of(pid: int) -> ProcessUsage:
    """What the processes below one take; nothing where the system does not tell."""
    memory, ticks = 0, 0
    for found in descendants(pid):
        try:
            pages = (PROC / str(found) / "statm").read_text().split()[1]
            fields = (PROC / str(found) / "stat").read_bytes().rpartition(b")")[2].split()
        except (FileNotFoundError, ProcessLookupError):
            continue  # it has ended since
        memory += int(pages) * os.sysconf("SC_PAGE_SIZE")
        ticks += sum(map(int, fields[USER_TICKS : USER_TICKS + 2]))
    return ProcessUsage(memory, ticks / os.sysconf("SC_CLK_TCK"))
