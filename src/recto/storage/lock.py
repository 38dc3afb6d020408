"""One process per SQLite store: a lock file beside it, held for as long as the process lives.

The system drops the lock with the process, so a file left behind by a crash means nothing.
"""

import fcntl
import os
from pathlib import Path

from recto.storage.failures import StoreInUse


class StoreLock:
    """The exclusive right to a store."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._fd: int | None = None

    def take(self) -> None:
        """Lock the file and write our process id into it.

        Raises:
            StoreInUse: another process, or another store in this one, holds it.
        """
        # O_CLOEXEC: a child that inherited it would hold the store after we are gone.
        fd = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            os.ftruncate(fd, 0)
            os.pwrite(fd, b"%d\n" % os.getpid(), 0)
        except BlockingIOError as error:
            owner = _pid(os.pread(fd, 32, 0))
            os.close(fd)
            raise StoreInUse(owner) from error
        except OSError:
            os.close(fd)
            raise
        self._fd = fd

    def release(self) -> None:
        """Give the store free, if we have it.

        The file stays: removing it would race with the next who takes it.
        """
        if self._fd is not None:
            fd, self._fd = self._fd, None
            os.ftruncate(fd, 0)
            os.close(fd)


def _pid(content: bytes) -> int | None:
    text = content.strip()
    return int(text) if text.isdigit() else None
