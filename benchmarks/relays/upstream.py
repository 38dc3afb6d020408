"""The model's server of `benchmarks/gateway.py`: speaks Chat Completions, costs next to nothing.

What the request names as its model says how it answers: `at-once` says some words and ends,
`paced` says one every 20 ms for as long as the client stays, `idle` says one and no more.
Run as a program it prints its port.
"""

import asyncio
import json
from typing import cast

import uvloop

TICK_S = 0.001
TICKS = 20
"""A word every 20 ticks: 50 a second."""
ENVELOPE = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "m"}
HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"


def frame(delta: dict[str, str], finish: str | None = None) -> bytes:
    """One event, as a chunk of HTTP."""
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return chunk(b"data: " + json.dumps({**ENVELOPE, "choices": [choice]}).encode() + b"\n\n")


def chunk(data: bytes) -> bytes:
    """A chunk of HTTP."""
    return b"%x\r\n%b\r\n" % (len(data), data)


# In turns: LiteLLM ends a stream that says the same for a hundred times.
WORDS = (frame({"content": " tide"}), frame({"content": " moon"}))
FIRST = frame({"role": "assistant", "content": "The"})
USAGE = {"prompt_tokens": 9, "completion_tokens": 3, "total_tokens": 12}
COUNT = chunk(
    b"data: " + json.dumps({**ENVELOPE, "choices": [], "usage": USAGE}).encode() + b"\n\n"
)
END = frame({}, "stop") + COUNT + chunk(b"data: [DONE]\n\n") + b"0\r\n\r\n"


class Connection(asyncio.Protocol):
    """One connection; requests come one after another."""

    def __init__(self, slots: list[set[asyncio.Transport]]) -> None:
        self._slots = slots
        self._data = b""
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Somebody is there."""
        self._transport = cast(asyncio.Transport, transport)

    def connection_lost(self, exc: Exception | None) -> None:
        """They left."""
        for slot in self._slots:
            slot.discard(self._transport)  # pyright: ignore[reportArgumentType]

    def data_received(self, data: bytes) -> None:
        """Some of a request."""
        self._data += data
        head, mark, body = self._data.partition(b"\r\n\r\n")
        if not mark:
            return
        length = int(head.lower().partition(b"content-length:")[2].split(b"\r\n", 1)[0])
        if len(body) < length:
            return
        self._data = body[length:]
        self._answer(body[:length])

    def _answer(self, body: bytes) -> None:
        assert self._transport is not None
        if b'"at-once"' in body:
            self._transport.write(HEAD + FIRST + WORDS[0] + END)
            return
        self._transport.write(HEAD + FIRST)
        if b'"paced"' in body:
            min(self._slots, key=len).add(self._transport)


async def main() -> None:
    """Serve until killed."""
    slots: list[set[asyncio.Transport]] = [set() for _ in range(TICKS)]
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: Connection(slots), "127.0.0.1", 0, backlog=2048)
    print(server.sockets[0].getsockname()[1], flush=True)
    at, number, spoken = loop.time(), 0, 0
    while True:
        at, number, spoken = at + TICK_S, (number + 1) % TICKS, spoken + 1
        for transport in slots[number]:
            if not transport.is_closing():
                transport.write(WORDS[spoken // TICKS % 2])
        await asyncio.sleep(max(0.0, at - loop.time()))


if __name__ == "__main__":
    uvloop.run(main())
