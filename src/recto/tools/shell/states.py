"""Reading what is at a path, links not followed, within a budget. It blocks."""

import os
import stat
from dataclasses import dataclass

from recto.tools.effects import FileState

MAX_FILE_BYTES = 100_000_000
READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


class TooMuch(Exception):
    """More was changed than can be kept."""

    def __init__(self) -> None:
        super().__init__("More was changed than can be kept.")


class Unkept(Exception):
    """Something that is no file, link or folder, or can't be read, or is too large."""

    def __init__(self, path: str) -> None:
        super().__init__(f"{path} can't be kept.")


@dataclass(slots=True)
class Budget:
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


def read_state(path: str, status: os.stat_result, budget: Budget) -> FileState:
    """What is at a path. Raises Unkept, TooMuch."""
    mode = stat.S_IMODE(status.st_mode) & 0o777
    if stat.S_ISDIR(status.st_mode):
        budget.take(0)
        return FileState("folder", mode=mode)
    try:
        if stat.S_ISLNK(status.st_mode):
            budget.take(0)
            return FileState("link", os.fsencode(os.readlink(path)), 0o777)
        if not stat.S_ISREG(status.st_mode) or status.st_size > MAX_FILE_BYTES:
            raise Unkept(path)
        budget.take(status.st_size)
        return FileState("file", read_bytes(path), mode)
    except OSError as error:
        raise Unkept(path) from error


def read_bytes(path: str) -> bytes:
    """The content of an ordinary file that is not too large."""
    with open(os.open(path, READ), "rb", buffering=0) as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise Unkept(path)
        return file.readall()
