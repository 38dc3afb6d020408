"""The least that a relay in Python can be: two asyncio protocols, and bytes from one to the other.

It knows nobody, counts nothing and keeps no limit: what it adds is what the language and the kernel
cost. Run as a program with the model's server's port it prints its own.
"""

import asyncio
import sys
from typing import cast

import uvloop


class Upward(asyncio.Protocol):
    """The connection to the model's server, kept for the next request of the same client."""

    def __init__(self, client: "Downward") -> None:
        self._client = client

    def data_received(self, data: bytes) -> None:
        """Some of an answer."""
        self._client.write(data)

    def connection_lost(self, exc: Exception | None) -> None:
        """The server left."""
        self._client.close()


class Downward(asyncio.Protocol):
    """A client's connection."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._waiting = b""
        self._client: asyncio.Transport | None = None
        self._server: asyncio.Transport | None = None
        self._connecting: asyncio.Task[None] | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Somebody is there."""
        self._client = cast(asyncio.Transport, transport)
        self._connecting = asyncio.create_task(self._connect())

    async def _connect(self) -> None:
        loop = asyncio.get_running_loop()
        found = await loop.create_connection(lambda: Upward(self), "127.0.0.1", self._port)
        self._server = found[0]
        self._server.write(self._waiting)

    def data_received(self, data: bytes) -> None:
        """Some of a request."""
        if self._server is None:
            self._waiting += data
        else:
            self._server.write(data)

    def connection_lost(self, exc: Exception | None) -> None:
        """They left."""
        if self._connecting is not None:
            self._connecting.cancel()
        if self._server is not None:
            self._server.abort()

    def write(self, data: bytes) -> None:
        """Some of the answer."""
        if self._client is not None:
            self._client.write(data)

    def close(self) -> None:
        """Nothing more can come."""
        if self._client is not None:
            self._client.abort()


async def main(port: int) -> None:
    """Serve until killed."""
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: Downward(port), "127.0.0.1", 0, backlog=2048)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    uvloop.run(main(int(sys.argv[1])))
