"""The first program in a sandbox around a kernel: can be interrupted again, and becomes the kernel.

What runs around it must not end when the kernel is interrupted, so it ignores that, and what it
starts would do so, too.

Usage: first.py PROGRAM [ARGUMENT...]
"""

import os
import signal
import sys


def main() -> None:
    """Become the program."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    os.execv(sys.argv[1], sys.argv[1:])


if __name__ == "__main__":
    main()
