"""A provider of our own for transport tests: a raw server on loopback, and a protocol to match."""

import asyncio
import json
import socket
import ssl
import struct
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from recto.llm import Frame, Traits, WireRequest, load_protocol
from recto.llm.assembly import Assembly
from recto.messages import Failure, Origin, Request, StreamEvent, user

AT_ONCE_S = 2
"""Nothing that is waited for in vain ends so soon; a busy machine may take a while."""
ORIGIN = Origin("plain", "account", "small")
ASKED = Request(model="small", messages=(user("Hello"),), max_output=10)
HEAD = b"HTTP/1.1 200 OK\r\nrequest-id: r1\r\n"
EVENTS = HEAD + b"content-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
LAST_CHUNK = b"0\r\n\r\n"
BROKE_OFF = Failure("network", "The answer broke off.")


def chunk(data: bytes) -> bytes:
    """A piece of a chunked body."""
    return b"%x\r\n%s\r\n" % (len(data), data)


def event(**said: str) -> bytes:
    """One event of the plain protocol."""
    return b"data: %s\n\n" % json.dumps(said).encode()


def whole(body: bytes, *headers: str, status: str = "200 OK") -> bytes:
    """An answer in one piece."""
    head = [f"HTTP/1.1 {status}", "request-id: r1", f"content-length: {len(body)}", *headers]
    return "\r\n".join([*head, "", ""]).encode() + body


@dataclass
class Asked:
    """One request as it arrived, and the ways to answer it."""

    line: str
    headers: dict[str, str]
    body: bytes
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter

    async def send(self, *pieces: bytes) -> None:
        """Write pieces, each on its own."""
        for piece in pieces:
            self.writer.write(piece)
            await self.writer.drain()

    async def until_gone(self) -> None:
        """Wait until the caller has closed the connection."""
        try:
            await self.reader.read()
        except ConnectionError:
            return

    def reset(self) -> None:
        """Break the connection the rude way."""
        connection: socket.socket = self.writer.get_extra_info("socket")
        linger = struct.pack("ii", 1, 0)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        self.writer.transport.abort()


Answering = Callable[[Asked], Awaitable[None]]


@dataclass
class Upstream:
    """A running server."""

    url: str = ""
    asked: list[Asked] = field(default_factory=list[Asked])
    connections: int = 0


@asynccontextmanager
async def serving(
    answering: Answering, tls: ssl.SSLContext | None = None
) -> AsyncGenerator[Upstream, None]:
    """Run a server for as long as the block lasts."""
    upstream = Upstream()

    async def on_connection(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        upstream.connections += 1
        try:
            while asked := await read_request(reader, writer):
                upstream.asked.append(asked)
                await answering(asked)
        except ConnectionError:
            pass
        finally:
            writer.transport.abort()

    server = await asyncio.start_server(on_connection, "127.0.0.1", 0, ssl=tls)
    port: int = server.sockets[0].getsockname()[1]
    upstream.url = f"https://localhost:{port}" if tls else f"http://127.0.0.1:{port}"
    try:
        yield upstream
    finally:
        server.close()


async def read_request(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> Asked | None:
    """The next request on a connection; None when there is none."""
    try:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
    except asyncio.IncompleteReadError:
        return None
    line, *fields = head.strip().split("\r\n")
    headers = {name.lower(): value for name, _, value in (item.partition(": ") for item in fields)}
    body = await reader.readexactly(int(headers.get("content-length", "0")))
    return Asked(line, headers, body, reader, writer)


def answers(*pieces: bytes) -> Answering:
    """A server that sends these bytes and closes nothing."""

    async def answering(asked: Asked) -> None:
        await asked.send(*pieces)

    return answering


class PlainReader:
    """Reads {"start"}, {"text"}, {"error"} and {"end"}; pings tell nothing."""

    def __init__(self, origin: Origin) -> None:
        self._answer = Assembly(origin)

    def feed(self, frame: Frame) -> list[StreamEvent]:
        """What a frame tells."""
        match json.loads(frame.data):
            case {"start": str(answer_id)}:
                return self._answer.start(answer_id, "small")
            case {"text": str(text)}:
                return self._answer.add_text(text)
            case {"error": str(words)}:
                return self._answer.finish("error", failure=Failure("overloaded", words))
            case {"end": _}:
                return self._answer.finish("end_turn")
            case _:
                return []

    def end(self, failure: Failure | None = None) -> list[StreamEvent]:
        """The connection ended."""
        return self._answer.finish("error", failure=failure or BROKE_OFF)


def lower(request: Request, traits: Traits, origin: Origin) -> WireRequest:
    """The words of the last message."""
    return WireRequest("/v1/plain?a=b", request.messages[-1].text.encode(), {"plain": "yes"})


def read_whole(body: bytes, origin: Origin) -> list[StreamEvent]:
    """Read {"content": …}."""
    answer = Assembly(origin)
    found: dict[str, Any] = json.loads(body)
    return [*answer.add_text(found["content"]), *answer.finish("end_turn")]


def read_failure(status: int, headers: Mapping[str, str], body: bytes) -> Failure:
    """The status and the words."""
    wait = headers.get("retry-after")
    kind = "rate_limit" if status == 429 else "upstream"
    words = body.decode("utf-8", "replace")
    return Failure(kind, words, status=status, retry_after_s=float(wait) if wait else None)


def mend(failure: Failure, request: Request, traits: Traits) -> None:
    """Nothing can be mended."""


# A wire protocol with nothing to it: what is written for others is that of a real one.
PLAIN = replace(
    load_protocol("openai-chat"),
    id="plain",
    lower=lower,
    reader=PlainReader,
    read_whole=read_whole,
    read_failure=read_failure,
    mend=mend,
)
