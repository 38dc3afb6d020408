"""A real HTTP proxy on loopback: it knows one host by name, and where that host lives."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

HOST = "model.test"


@dataclass
class Proxy:
    """A running proxy, and what it was asked for."""

    url: str = ""
    asked: list[str] = field(default_factory=list[str])
    heads: list[str] = field(default_factory=list[str])


@asynccontextmanager
async def proxying(port: int | None) -> AsyncGenerator[Proxy]:
    """Bring callers of the host to a port of this machine; None: refuse everybody."""
    proxy = Proxy()

    async def on_connection(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        line = head.split("\r\n")[0]
        proxy.asked.append(line)
        proxy.heads.append(head)
        if port is None:
            writer.write(b"HTTP/1.1 403 No\r\ncontent-length: 0\r\n\r\n")
            await writer.drain()
            writer.close()
            return
        inner_reader, inner_writer = await asyncio.open_connection("127.0.0.1", port)
        if line.startswith("CONNECT "):
            writer.write(b"HTTP/1.1 200 Connected\r\n\r\n")
        else:
            inner_writer.write(head.replace(f"http://{HOST}", "", 1).encode())
        try:
            async with asyncio.TaskGroup() as both:
                both.create_task(carry(reader, inner_writer))
                both.create_task(carry(inner_reader, writer))
        finally:
            inner_writer.transport.abort()
            writer.transport.abort()

    server = await asyncio.start_server(on_connection, "127.0.0.1", 0)
    proxy.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    try:
        yield proxy
    finally:
        server.close()


async def carry(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Every byte from one side to the other, until one of them leaves."""
    try:
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
    except ConnectionError:
        pass
    writer.close()
