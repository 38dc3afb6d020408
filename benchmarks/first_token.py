"""How much later the first token comes through Recto than straight from the model's server.

A tiny server on loopback notes when it writes the first word of its answer; the client notes when
it has read it: straight, and through `POST /api/ai/chat` of a Recto process, in turns. Prints the
medians; fails when Recto adds 2 ms or more.
"""

import asyncio
import json
import statistics
import sys
import tempfile
import time
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from tests.cli.recto import READY, Command

ROUNDS = 300
WARM_UP = 30
ALLOWED_MS = 2.0
TOKEN = "a-token-for-the-benchmark"
WORD = b"Tide"
ENVELOPE = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "m"}


def frame(delta: dict[str, str], finish: str | None = None) -> bytes:
    """One chunk of an answer."""
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return b"data: " + json.dumps({**ENVELOPE, "choices": [choice]}).encode() + b"\n\n"


HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n"
FIRST = frame({"role": "assistant", "content": WORD.decode()})
REST = frame({"content": " tables."}) + frame({}, "stop") + b"data: [DONE]\n\n"


class Upstream:
    """The model's server: every answer is the same, and its first word has a time."""

    def __init__(self) -> None:
        self.wrote = 0.0

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Read one request, answer it, hang up."""
        head = await reader.readuntil(b"\r\n\r\n")
        await reader.readexactly(content_length(head))
        with closing(writer):
            self.wrote = time.perf_counter()
            writer.write(HEAD + FIRST)
            await writer.drain()
            writer.write(REST)
            await writer.drain()


def content_length(head: bytes) -> int:
    """How long a request's body is."""
    lines = head.decode("latin-1").lower().split("\r\n")
    return next(int(line.partition(":")[2]) for line in lines if line.startswith("content-length:"))


@dataclass(frozen=True, slots=True)
class Way:
    """Where the client asks."""

    name: str
    port: int
    path: str


async def first_token_ms(way: Way, upstream: Upstream) -> float:
    """Milliseconds from the upstream's first word to the client's having it."""
    question = {"model": "upstream/m", "stream": True}
    body = json.dumps({**question, "messages": [{"role": "user", "content": "Hello"}]}).encode()
    head = (
        f"POST {way.path} HTTP/1.1\r\nhost: 127.0.0.1:{way.port}\r\n"
        f"authorization: Bearer {TOKEN}\r\ncontent-type: application/json\r\n"
        f"connection: close\r\ncontent-length: {len(body)}\r\n\r\n"
    )
    reader, writer = await asyncio.open_connection("127.0.0.1", way.port)
    with closing(writer):
        writer.write(head.encode() + body)
        got = b""
        while WORD not in got:
            piece = await reader.read(65_536)
            if not piece:
                raise RuntimeError(f"{way.name} did not answer: {got.decode(errors='replace')}")
            got += piece
        taken = time.perf_counter() - upstream.wrote
        while await reader.read(65_536):
            pass
    return taken * 1000


async def measure(folder: Path) -> dict[str, list[float]]:
    """Ask both ways in turns."""
    upstream = Upstream()
    listener = await asyncio.start_server(upstream.answer, "127.0.0.1", 0)
    port: int = listener.sockets[0].getsockname()[1]
    home = folder / "home"
    home.mkdir()
    providers = {"upstream": {"url": f"http://127.0.0.1:{port}", "protocol": "openai-chat"}}
    (home / "models.json").write_text(json.dumps({"providers": providers}), encoding="utf-8")
    with Command(home, {"RECTO_TOKEN": TOKEN}).serving(folder) as line:
        address = line.removeprefix(READY).partition("/open/")[0]
        ways = (
            Way("straight", port, "/v1/chat/completions"),
            Way("recto", int(address.rpartition(":")[2]), "/api/ai/chat"),
        )
        taken: dict[str, list[float]] = {way.name: [] for way in ways}
        for number in range(WARM_UP + ROUNDS):
            for way in ways:
                found = await first_token_ms(way, upstream)
                if number >= WARM_UP:
                    taken[way.name].append(found)
    listener.close()
    return taken


def main() -> None:
    """Measure, print, and judge."""
    with tempfile.TemporaryDirectory() as folder:
        taken = asyncio.run(measure(Path(folder)))
    print(f"{'':10}{'median':>9}{'90 %':>9}   (ms to the first token, {ROUNDS} rounds in turns)")
    for name, found in taken.items():
        print(
            f"{name:10}{statistics.median(found):9.2f}{statistics.quantiles(found, n=10)[-1]:9.2f}"
        )
    added = statistics.median(taken["recto"]) - statistics.median(taken["straight"])
    print(f"recto adds {added:.2f} ms (less than {ALLOWED_MS:g} allowed)")
    if added >= ALLOWED_MS:
        sys.exit("first_token: Recto adds more than it may.")


if __name__ == "__main__":
    main()
