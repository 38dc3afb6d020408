"""The keeper of a kernel (`processes/keeper.py`), which may be older than this Recto.

It is reached by a socket in the kernel's private folder, and goes on without Recto if it shall.
"""

import asyncio
import socket
import struct
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Protocol

from recto.processes import InputClosed

KEEPER_SOCKET = "keeper"
ENDED = b"exit "
PEER_CREDENTIALS = 17
"""SO_PEERCRED of Linux: the number of the process at the other end comes first."""
KILLED = 128 + 9


class HeldProgram(Protocol):
    """The keeper of a kernel, whoever started it."""

    pid: int
    """A process that the kernel is below of."""

    @property
    def is_running(self) -> bool:
        """Whether it has not ended yet, as far as is known."""
        ...

    async def send(self, data: bytes) -> None:
        """Tell it something. Raises InputClosed."""
        ...

    def chunks(self) -> AsyncIterator[bytes]:
        """What the kernel says, in pieces as they arrive, to its end."""
        ...

    async def wait(self) -> int:
        """The exit code of the kernel."""
        ...


class FoundProgram:
    """A keeper that a Recto before this one has started."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        peer: socket.socket = writer.get_extra_info("socket")
        (self.pid,) = struct.unpack_from(
            "i", peer.getsockopt(socket.SOL_SOCKET, PEER_CREDENTIALS, 12)
        )
        self.is_running = True

    async def send(self, data: bytes) -> None:
        """Tell it something. Raises InputClosed."""
        try:
            self._writer.write(data)
            await self._writer.drain()
        except OSError as error:
            raise InputClosed from error

    async def chunks(self) -> AsyncIterator[bytes]:
        """Nothing: what the kernel says besides its messages goes to whoever started it."""
        for chunk in ():
            yield chunk

    async def wait(self) -> int:
        """The exit code of the kernel, which its keeper tells last."""
        said = await self._reader.read()
        self.is_running = False
        _, found, code = said.rpartition(ENDED)
        return int(code) if found and code.strip().isdigit() else KILLED


@asynccontextmanager
async def found_again(folder: str) -> AsyncGenerator[FoundProgram]:
    """The keeper of the kernel in a private folder. Raises OSError when there is none any more."""
    reader, writer = await asyncio.open_unix_connection(str(Path(folder, KEEPER_SOCKET)))
    try:
        yield FoundProgram(reader, writer)
    finally:
        writer.close()
