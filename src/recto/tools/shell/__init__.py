"""Shell commands in the user's folder: kept apart where the system allows it, undoable, bounded.

`Shell` runs one; `find_sandbox` says beforehand how far commands are kept apart here, and why.
"""

from recto.tools.shell.command_result import (
    CommandChanges,
    CommandRefused,
    CommandResult,
    SandboxFailed,
)
from recto.tools.shell.kernel_sandbox import KernelSandbox
from recto.tools.shell.sandbox_level import SandboxLevel, find_sandbox
from recto.tools.shell.shell import DEFAULT_TIMEOUT_S, MAX_TIMEOUT_S, Shell

__all__ = [
    "DEFAULT_TIMEOUT_S",
    "MAX_TIMEOUT_S",
    "CommandRefused",
    "CommandChanges",
    "SandboxLevel",
    "CommandResult",
    "KernelSandbox",
    "SandboxFailed",
    "Shell",
    "find_sandbox",
]
