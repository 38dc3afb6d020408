"""Clients that ask for streams and count what comes: bytes on a socket, nothing around them."""

import asyncio
import json
import time
from dataclasses import dataclass
from typing import cast

from benchmarks.relays.rivals import Relay

LONGEST_S = 120.0
PATHS = {"chat": "/v1/chat/completions", "messages": "/v1/messages"}
WORDS = {"chat": b'"content"', "messages": b'"text_delta"'}
"""What stands in each piece of an answer once."""
END = b"0\r\n\r\n"
"""The last chunk of an answer: the connection is free, and what was used is booked."""


@dataclass(frozen=True, slots=True)
class Way:
    """A relay, and the protocol that it is asked in."""

    relay: Relay
    protocol: str

    @property
    def name(self) -> str:
        """For the table."""
        return f"{self.relay.name}, {'relayed' if self.protocol == 'chat' else 'translated'}"

    def request(self, model: str) -> bytes:
        """A request to it."""
        said = [{"role": "user", "content": "When is high water?"}]
        asked = {"model": model, "stream": True, "max_tokens": 100, "messages": said}
        body = json.dumps(asked).encode()
        head = (
            f"POST {PATHS[self.protocol]} HTTP/1.1\r\nhost: 127.0.0.1:{self.relay.port}\r\n"
            f"authorization: Bearer {self.relay.key}\r\ncontent-type: application/json\r\n"
            f"anthropic-version: 2023-06-01\r\ncontent-length: {len(body)}\r\n\r\n"
        )
        return head.encode() + body


class Stream(asyncio.Protocol):
    """One connection, kept for one request after another."""

    def __init__(self, way: Way) -> None:
        self._word = WORDS[way.protocol]
        self._transport: asyncio.Transport | None = None
        self._tail = b""
        self._said = b""
        self.words = 0
        self.is_open = True
        self.first: asyncio.Future[float] | None = None
        self.ended: asyncio.Future[None] | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Connected."""
        self._transport = cast(asyncio.Transport, transport)

    def ask(self, request: bytes) -> float:
        """Send a request: when that was."""
        assert self._transport is not None
        loop = asyncio.get_running_loop()
        self.first, self.ended = loop.create_future(), loop.create_future()
        self._tail = self._said = b""
        began = time.perf_counter()
        self._transport.write(request)
        return began

    def data_received(self, data: bytes) -> None:
        """Some of the answer."""
        now = time.perf_counter()
        if len(self._said) < 2000:
            self._said += data
        found = self._tail + data
        self.words += found.count(self._word)
        assert self.first is not None
        assert self.ended is not None
        if not self.first.done() and self._word in found:
            self.first.set_result(now)
        if found.endswith(END) and not self.ended.done():
            self.ended.set_result(None)
        self._tail = b"" if self._word in found[-16:] else found[-15:]

    def connection_lost(self, exc: Exception | None) -> None:
        """Closed by the other side."""
        self.is_open = False
        for waiting in (self.first, self.ended):
            if waiting is not None and not waiting.done():
                waiting.set_exception(ConnectionError(f"closed after {self._said!r}"))
                # Looked at, so that nobody complains if nobody waits for it any more.
                waiting.exception()

    def close(self) -> None:
        """Leave."""
        self.first = self.ended = None
        assert self._transport is not None
        self._transport.abort()


async def connected(way: Way) -> Stream:
    """A client that is connected."""
    loop = asyncio.get_running_loop()
    _, stream = await loop.create_connection(lambda: Stream(way), "127.0.0.1", way.relay.port)
    return stream


async def first_word_ms(way: Way, stream: Stream) -> float:
    """From asking to the first word, in milliseconds; the answer is read to its end."""
    began = stream.ask(way.request("at-once"))
    assert stream.first is not None
    assert stream.ended is not None
    found = await asyncio.wait_for(stream.first, LONGEST_S)
    await asyncio.wait_for(stream.ended, LONGEST_S)
    return (found - began) * 1000


async def begun(way: Way, model: str, count: int) -> list[Stream]:
    """Some streams of which each has its first word."""
    streams: list[Stream] = []
    for _ in range(count):
        # At once: a gateway keeps few connections of which it does not know whose they are.
        streams.append(await connected(way))
        streams[-1].ask(way.request(model))
    for stream in streams:
        assert stream.first is not None
        await asyncio.wait_for(stream.first, LONGEST_S)
    return streams
