"""A program that reads one foreign file with a function of ours, with little memory and time.

It takes the file from its input, eight bytes of length first, and prints what the function makes of
it. `recto.processes.read_apart` starts it.

Usage: python -m recto.processes.reader MODULE:FUNCTION MAX_MEMORY MAX_CPU_S
"""

import importlib
import resource
import sys

TOO_MUCH = 3
"""The exit code for a file that takes more memory than there is for it."""


def main() -> int:
    """Read, print, end."""
    place, memory, seconds = sys.argv[1:]
    module, _, name = place.partition(":")
    function = getattr(importlib.import_module(module), name)
    resource.setrlimit(resource.RLIMIT_AS, (int(memory), int(memory)))
    resource.setrlimit(resource.RLIMIT_CPU, (int(seconds), int(seconds)))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    size = int.from_bytes(sys.stdin.buffer.read(8))
    try:
        made: bytes = function(sys.stdin.buffer.read(size))
    except (MemoryError, RecursionError):
        return TOO_MUCH
    sys.stdout.buffer.write(made)
    sys.stdout.buffer.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main())
