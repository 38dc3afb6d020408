"""The `recto` command as people run it: a process of its own."""

import os
import signal
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

RECTO = Path(sys.executable).parent / "recto"
READY = "Recto is ready at "


@dataclass(frozen=True, slots=True)
class Command:
    """How the command is run: its home and what else stands in its environment."""

    home: Path
    environment: dict[str, str] = field(default_factory=dict[str, str])

    def full_environment(self) -> dict[str, str]:
        kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
        return {**kept, "RECTO_HOME": str(self.home), **self.environment}

    def run(self, *arguments: str, typed: str = "") -> subprocess.CompletedProcess[str]:
        """Run it to its end."""
        return subprocess.run(
            [RECTO, *arguments],
            env=self.full_environment(),
            input=typed,
            capture_output=True,
            text=True,
            timeout=30,
            check=False,
        )

    @contextmanager
    def serving(self, folder: Path, *arguments: str) -> Generator[str]:
        """Run a server for the length of the block; gives the line it printed when ready."""
        process = self.start(folder, *arguments)
        try:
            yield ready_line(process)
        finally:
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=15)

    def start(self, folder: Path, *arguments: str) -> subprocess.Popen[str]:
        """Start a server."""
        return subprocess.Popen(
            [RECTO, str(folder), "--no-open", "--port", "0", *arguments],
            env=self.full_environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )


def ready_line(process: subprocess.Popen[str]) -> str:
    """The first line a server prints; an early end shows what it said instead."""
    assert process.stdout is not None
    line = process.stdout.readline()
    if not line:
        raise AssertionError(process.communicate(timeout=15)[1])
    return line.strip()
