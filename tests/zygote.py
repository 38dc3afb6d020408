"""A program that has loaded Recto, and starts other programs by forking.

What it loaded they need not load: a start costs what the program does, and no second of imports.
Each order names a module whose `main` is called in a process that has the given arguments,
environment, folder and three streams, and that ends as any Python does. Ends with who gives orders.
"""

import gc
import importlib
import json
import os
import signal
import socket
import struct
import sys
import time
from collections.abc import Sequence
from typing import Any, NamedTuple

from recto.app import application, direct, gateway, headless, replay
from recto.cli.command import COMMANDS
from recto.server import build_api
from tests import network_guard

STREAMS = 3
PROGRAMS = (application, direct, gateway, headless, replay)
"""What commands load when they need it."""


class Order(NamedTuple):
    """What is to be started."""

    module: str
    argv: list[str]
    environment: dict[str, str]
    folder: str


def main() -> None:
    """Load everything, then do orders; the process that an order makes comes out of the loop."""
    network_guard.install()
    for name in (*COMMANDS, "open"):
        importlib.import_module(f"recto.cli.{name}")
    for route in build_api("").routes:
        # A route reads the types of its endpoint when it is first asked for more than its path.
        getattr(route, "dependant", None)
    # What is collected is copied: each child would look at all that was loaded, to no avail.
    gc.freeze()
    with socket.socket(fileno=int(sys.argv[1])) as line:
        # Nobody asks here how the keepers end.
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)
        order = next_order(line)
    if order is not None:
        program: Any = importlib.import_module(order.module)
        program.main()


def next_order(line: socket.socket) -> Order | None:
    """The order that this process is for; None at the end of all."""
    while True:
        head, fds, _, _ = socket.recv_fds(line, 4, STREAMS + 1)
        if not head:
            return None
        order = Order(*json.loads(line.recv(*struct.unpack("i", head), socket.MSG_WAITALL)))
        if os.fork() == 0:
            become(order, fds[:STREAMS], fds[STREAMS])
            return order
        for fd in fds:
            os.close(fd)


def become(order: Order, streams: Sequence[int], report: int) -> None:
    """Fork once more: one is the program, the other keeps it and reports its number and its end."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    pid = os.fork()
    if pid:
        for fd in streams:
            os.close(fd)
        os.write(report, struct.pack("i", pid))
        _, status = os.waitpid(pid, 0)
        os.write(report, struct.pack("i", os.waitstatus_to_exitcode(status)))
        os._exit(0)
    os.close(report)
    for number, fd in enumerate(streams):
        os.dup2(fd, number)
        os.close(fd)
    os.chdir(order.folder)
    sys.argv = order.argv
    # Python itself may have set this one at its start, and would have done so here.
    kept = {name: os.environ[name] for name in ("LC_CTYPE",) if name in os.environ}
    os.environ.clear()
    os.environ.update({**kept, **order.environment})
    time.tzset()


if __name__ == "__main__":
    main()
