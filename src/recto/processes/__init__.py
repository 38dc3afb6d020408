"""The one place that starts other programs: no shell, no secrets, whole group ended.

A program gets a session of its own, an environment of a few named variables, and a closed input
unless somebody talks to it. One that may try to slip away is marked, and found by its mark.
"""

from recto.processes.apart import TooMuchToRead, read_apart
from recto.processes.confined import can_confine, confined, sandbox_filter
from recto.processes.environment import absolute_path, environment, find_program
from recto.processes.failures import (
    InputClosed,
    NotStarted,
    ProcessFailure,
    ProgramMissing,
    Survived,
    TimedOut,
)
from recto.processes.kept import first_program, held, kept, kept_talking
from recto.processes.marked import MARK, descendants, end_marked
from recto.processes.own_programs import held_reads, held_to, python_folders
from recto.processes.pandoc import find_pandoc
from recto.processes.programs import (
    ProgramOutput,
    RunningProgram,
    connect,
    connect_input,
    run,
    shielded,
    signal_group,
    start,
)
from recto.processes.usage import ProcessUsage, usage_of

__all__ = [
    "MARK",
    "InputClosed",
    "NotStarted",
    "ProcessFailure",
    "ProcessUsage",
    "ProgramMissing",
    "ProgramOutput",
    "RunningProgram",
    "Survived",
    "TimedOut",
    "TooMuchToRead",
    "absolute_path",
    "can_confine",
    "confined",
    "connect",
    "connect_input",
    "descendants",
    "end_marked",
    "environment",
    "find_pandoc",
    "find_program",
    "first_program",
    "held",
    "held_reads",
    "held_to",
    "kept",
    "kept_talking",
    "python_folders",
    "read_apart",
    "run",
    "sandbox_filter",
    "shielded",
    "signal_group",
    "start",
    "usage_of",
]
