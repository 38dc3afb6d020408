"""Starts programs that use Recto, by forking one that has loaded it: none loads it again."""

import atexit
import json
import os
import select
import signal
import socket
import struct
import subprocess
import sys
import threading
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
KEPT = ("PATH", "HOME")

_turn = threading.Lock()


class Started:
    """A program that runs: as much of `subprocess.Popen` as the tests use."""

    def __init__(self, report: int, stdin: int | None, stdout: int, stderr: int) -> None:
        self._report = report
        self._stdin = stdin
        self.stdout = os.fdopen(stdout, encoding="utf-8")
        self.stderr = os.fdopen(stderr, encoding="utf-8")
        (self.pid,) = struct.unpack("i", os.read(report, 4))
        self.returncode: int | None = None

    def send_signal(self, number: int) -> None:
        """Send it a signal, unless it is known to have ended."""
        if self.returncode is None:
            with suppress(ProcessLookupError):
                os.kill(self.pid, number)

    def kill(self) -> None:
        """End it at once."""
        self.send_signal(signal.SIGKILL)

    def wait(self, timeout: float) -> int:
        """How it ended: its exit code, or minus the signal."""
        if self.returncode is None:
            if not select.select([self._report], [], [], timeout)[0]:
                self.kill()
                raise TimeoutError(f"The program did not end within {timeout} s.")
            (self.returncode,) = struct.unpack("i", os.read(self._report, 4))
            os.close(self._report)
        assert self.returncode is not None
        return self.returncode

    def communicate(self, typed: str = "", timeout: float = 120) -> tuple[str, str]:
        """Tell it everything, and give back the rest that it wrote before its end."""
        with ThreadPoolExecutor(2) as readers, self.stdout, self.stderr:
            out, err = readers.submit(self.stdout.read), readers.submit(self.stderr.read)
            self._type(typed)
            self.wait(timeout)
            return out.result(), err.result()

    def _type(self, typed: str) -> None:
        if self._stdin is None:
            return
        # It may end without having read anything.
        with suppress(BrokenPipeError), os.fdopen(self._stdin, "w", encoding="utf-8") as stdin:
            stdin.write(typed)
        self._stdin = None


def start(
    module: str, *argv: str, environment: Mapping[str, str], stdin: int | None = None
) -> Started:
    """Start the `main` of a module with these arguments, of which the first is its name.

    Its environment is this one alone. Without a stream to read from it reads what is typed later.
    """
    theirs_in, mine_in = (stdin, None) if stdin is not None else os.pipe()
    mine_out, theirs_out = os.pipe()
    mine_err, theirs_err = os.pipe()
    mine_report, theirs_report = os.pipe()
    theirs = [theirs_in, theirs_out, theirs_err, theirs_report]
    order = json.dumps([module, argv, dict(environment), os.getcwd()]).encode()
    with _turn:
        line = _zygote()
        socket.send_fds(line, [struct.pack("i", len(order))], theirs)
        line.sendall(order)
    for fd in theirs if stdin is None else theirs[1:]:
        os.close(fd)
    return Started(mine_report, mine_in, mine_out, mine_err)


@cache
def _zygote() -> socket.socket:
    """The line to the program that forks, which is started when it is first needed."""
    mine, theirs = socket.socketpair()
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.zygote", str(theirs.fileno())],
        cwd=ROOT,
        env={name: os.environ[name] for name in KEPT if name in os.environ},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        pass_fds=[theirs.fileno()],
        start_new_session=True,
    )
    theirs.close()

    def end() -> None:
        mine.close()
        process.wait(timeout=120)

    atexit.register(end)
    return mine
