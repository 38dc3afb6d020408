"""Which server serves a home: the holder of a lock on running.json, which says how to reach it.

The system drops the lock with the process, so a file left behind by a crash means nothing.
"""

import fcntl
import json
import os
from dataclasses import asdict, dataclass

from recto.config.failures import ConfigFailure
from recto.config.home import Home


@dataclass(frozen=True, slots=True)
class RunningServer:
    """How to reach the server: only the user can read the file this is kept in."""

    pid: int
    url: str
    token: str


class HomeClaim:
    """The right to serve a home, held until the process ends or lets go."""

    def __init__(self, fd: int) -> None:
        self._fd = fd

    def publish(self, url: str, token: str) -> None:
        """Say how the server can be reached."""
        fields = asdict(RunningServer(os.getpid(), url, token))
        os.ftruncate(self._fd, 0)
        os.pwrite(self._fd, json.dumps(fields).encode(), 0)

    def release(self) -> None:
        """Let go, and leave no token behind."""
        os.ftruncate(self._fd, 0)
        os.close(self._fd)


class HomeTaken(ConfigFailure):
    """Another process has the home now."""

    def __init__(self, home: Home) -> None:
        super().__init__(
            f"Another Recto is starting, working or stopping with the home {home.folder}.",
            "Wait a moment, or set RECTO_HOME to another folder.",
        )


def claim_home(home: Home) -> HomeClaim:
    """Become the server of this home. Raises HomeTaken."""
    fd = os.open(home.running_file, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        os.close(fd)
        raise HomeTaken(home) from error
    os.ftruncate(fd, 0)
    return HomeClaim(fd)


def find_running(home: Home) -> RunningServer | None:
    """The server that serves this home now, if one does."""
    try:
        fd = os.open(home.running_file, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    try:
        fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        content = os.pread(fd, 4096, 0)
        return RunningServer(**json.loads(content)) if content else None
    else:
        return None
    finally:
        os.close(fd)
