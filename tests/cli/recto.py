"""The `recto` command as people run it: a process of its own."""

import os
import signal
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tests.forking import Started, start

RECTO = Path(sys.executable).parent / "recto"
READY = "Recto is ready at "
SERVING = ("--no-open", "--port", "0")


@dataclass(frozen=True, slots=True)
class Ended:
    """How it ended, and what it wrote."""

    returncode: int
    stdout: str
    stderr: str


@dataclass(frozen=True, slots=True)
class Command:
    """How the command is run: its home and what else stands in its environment."""

    home: Path
    environment: dict[str, str] = field(default_factory=dict[str, str])

    def full_environment(self) -> dict[str, str]:
        kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
        return {**kept, "RECTO_HOME": str(self.home), **self.environment}

    def run(self, *arguments: str, typed: str = "") -> Ended:
        """Run it to its end, forked from a Recto that was loaded before."""
        started = self.fork(*arguments)
        out, err = started.communicate(typed)
        return Ended(started.wait(0), out, err)

    def run_anew(self, *arguments: str, typed: str = "") -> Ended:
        """Run it to its end, as people do, from the very beginning."""
        done = subprocess.run(
            [RECTO, *arguments],
            env=self.full_environment(),
            input=typed,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        return Ended(done.returncode, done.stdout, done.stderr)

    def fork(self, *arguments: str, stdin: int | None = None) -> Started:
        """Start it, forked from a Recto that was loaded before."""
        environment = self.full_environment()
        return start("recto.cli", str(RECTO), *arguments, environment=environment, stdin=stdin)

    @contextmanager
    def serving(self, folder: Path, *arguments: str) -> Generator[str]:
        """Run a server for the length of the block; gives the line it printed when ready."""
        process = self.start(folder, *arguments)
        try:
            yield ready_line(process)
        finally:
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=120)

    def start(self, folder: Path, *arguments: str) -> Started:
        """Start a server, forked from a Recto that was loaded before."""
        return self.fork(str(folder), *SERVING, *arguments)

    def start_anew(self, folder: Path, *arguments: str) -> subprocess.Popen[str]:
        """Start a server, as people do, from the very beginning."""
        return subprocess.Popen(
            [RECTO, str(folder), *SERVING, *arguments],
            env=self.full_environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )


def ready_line(process: subprocess.Popen[str] | Started) -> str:
    """The first line a server prints; an early end shows what it said instead."""
    assert process.stdout is not None
    line = process.stdout.readline()
    if not line:
        raise AssertionError(process.communicate(timeout=120)[1])
    return line.strip()
