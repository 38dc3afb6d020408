"""Files of the home that several Rectos change: one at a time, each from what is there then."""

import fcntl
import os
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

import anyio

AGAIN_S = 0.05


def lock_file(file: Path) -> Path:
    """What is locked: the file itself is replaced by each change."""
    return file.with_name(f"{file.name}.lock")


@contextmanager
def locked(file: Path) -> Generator[None]:
    """Change a file, for the length of the block. It waits, so it is for threads."""
    fd = os.open(lock_file(file), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX)
        yield
    finally:
        os.close(fd)


@asynccontextmanager
async def locked_meanwhile(file: Path) -> AsyncGenerator[None]:
    """The same where something is waited for in the block."""
    fd = os.open(lock_file(file), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        while True:
            try:
                fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                await anyio.sleep(AGAIN_S)
        yield
    finally:
        os.close(fd)
