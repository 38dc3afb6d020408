"""Reading what is at a path, links not followed, within a budget. It blocks."""

import os
import stat
from dataclasses import dataclass

from recto.tools.effects import FileState

MAX_FILE_BYTES = 100_000_000
# O_NONBLOCK: opening a pipe that nobody writes to would wait for ever.
READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


class TooMuch(Exception):
    """More was changed than can be kept."""

    def __init__(self) -> None:
        super().__init__("More was changed than can be kept.")


class NotKept(Exception):
    """Something that is no file, link or folder, or can't be read, or is too large."""

    def __init__(self, path: str) -> None:
        super().__init__(f"{path} can't be kept.")


@dataclass(slots=True)
class ReadBudget:
    """How much more may be read."""

    bytes_left: int = 512_000_000
    paths_left: int = 100_000

    def take(self, size: int) -> None:
        """Use some of it. Raises TooMuch."""
        self.bytes_left -= size
        self.paths_left -= 1
        if self.bytes_left < 0 or self.paths_left < 0:
            raise TooMuch


def look(path: str) -> os.stat_result | None:
    """The status of a path, the link itself if it is one; None when nothing is there."""
    try:
        return os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return None


def read_state(path: str, status: os.stat_result, budget: ReadBudget) -> FileState:
    """What is at a path. Raises NotKept, TooMuch."""
    mode = stat.S_IMODE(status.st_mode) & 0o777
    if stat.S_ISDIR(status.st_mode):
        budget.take(0)
        return FileState("folder", mode=mode)
    try:
        if stat.S_ISLNK(status.st_mode):
            budget.take(0)
            return FileState("link", os.fsencode(os.readlink(path)), 0o777)
        if not stat.S_ISREG(status.st_mode) or status.st_size > MAX_FILE_BYTES:
            raise NotKept(path)
        budget.take(status.st_size)
        return FileState("file", read_bytes(path), mode)
    except OSError as error:
        raise NotKept(path) from error


def read_bytes(path: str) -> bytes:
    """The content of an ordinary file that is not too large."""
    with open(os.open(path, READ), "rb", buffering=0) as file:
        # Asked of the handle: the path may be something else than a moment ago.
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise NotKept(path)
        return file.readall()
