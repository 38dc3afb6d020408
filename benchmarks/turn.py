"""What a message costs in a chat that has grown, on the way that a page takes.

A page posts a message (`POST /api/v1/chats/{id}/turns`) and follows the chat over its socket; a
tiny server on loopback is the model. For chats of 10, 1,000 and 10,000 entries: the CPU time that
Recto's process spends on one whole turn, and how much later the first word is at the page than the
model's server wrote it, beside how long the same word takes when the model is asked straight, with
the bytes that Recto had sent. Fails when the largest chat costs 1.3 × the smallest or more, or when
the first word is 5 ms late or more.
"""

import asyncio
import json
import os
import signal
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
from websockets.asyncio.client import ClientConnection, connect

from benchmarks.first_token import FIRST, HEAD, REST, WORD, content_length
from tests.cli.recto import READY, Command, ready_line

SIZES = (10, 1_000, 10_000)
ROUNDS = 40
WARM_UP = 5
MOST_TIMES = 1.3
ALLOWED_MS = 5.0
TOKEN = "a-token-for-the-benchmark"
HEADERS = {"authorization": f"Bearer {TOKEN}"}
ENDED = frozenset({"finished", "failed", "cancelled", "interrupted"})
TICKS = os.sysconf("SC_CLK_TCK")


class Upstream:
    """The model's server: every answer is the same, and its first word has a time."""

    def __init__(self) -> None:
        self.port = 0
        self.wrote = 0.0
        self.received = b""

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer requests until the client hangs up."""
        with closing(writer):
            head = await reader.readuntil(b"\r\n\r\n")
            self.received = await reader.readexactly(content_length(head))
            self.wrote = time.perf_counter()
            writer.write(HEAD + FIRST)
            await writer.drain()
            writer.write(REST)
            await writer.drain()


@dataclass
class Taken:
    """What the turns of a chat took."""

    cpu_ms: list[float] = field(default_factory=list[float])
    late_ms: list[float] = field(default_factory=list[float])
    straight_ms: list[float] = field(default_factory=list[float])
    sent_bytes: int = 0


@dataclass(frozen=True)
class Grown:
    """A chat that has so many entries, with a page that watches it."""

    id: str
    socket: ClientConnection


def cpu_ms(pid: int) -> float:
    """The CPU time that a process has taken, with what it does for itself in the kernel."""
    with open(f"/proc/{pid}/stat", encoding="ascii") as file:
        facts = file.read().rpartition(")")[2].split()
    return (int(facts[11]) + int(facts[12])) * 1000 / TICKS


async def grow(client: httpx.AsyncClient, project: str, size: int) -> str:
    """A chat with so many entries: a person and a model in turns."""
    address = f"/api/v1/projects/{project}/chats"
    made = await client.post(address, json={"model": "upstream/m", "title": f"{size} entries"})
    chat: str = made.raise_for_status().json()["id"]
    for number in range(size):
        role = "assistant" if number % 2 else "user"
        text = f"High water number {number} was at {number % 24:02}:14 at the north pier."
        added = await client.post(f"{address}/{chat}/messages", json={"role": role, "text": text})
        added.raise_for_status()
    return chat


async def ask(client: httpx.AsyncClient, chat: Grown, upstream: Upstream) -> float:
    """Post a message and hear the whole answer; how late its first word was, in milliseconds."""
    posted = await client.post(f"/api/v1/chats/{chat.id}/turns", json={"text": "When is the next?"})
    turn: str = posted.raise_for_status().json()["turnId"]
    late = 0.0
    while True:
        message = await chat.socket.recv()
        now = time.perf_counter()
        event: dict[str, Any] = json.loads(str(message).partition("\n")[2])
        if event["kind"] == "text" and not late:
            late = (now - upstream.wrote) * 1000
        if event["kind"] == "turn" and event["turnId"] == turn and event["state"] in ENDED:
            if event["state"] != "finished" or not late:
                raise RuntimeError(f"The turn ended as {event['state']}.")
            return late


async def ask_straight(upstream: Upstream) -> float:
    """Send the model's server what Recto had sent; how late the first word is."""
    body = upstream.received
    reader, writer = await asyncio.open_connection("127.0.0.1", upstream.port)
    with closing(writer):
        writer.write(f"POST / HTTP/1.1\r\ncontent-length: {len(body)}\r\n\r\n".encode() + body)
        got = b""
        while WORD not in got:
            got += await reader.read(65_536)
        late = (time.perf_counter() - upstream.wrote) * 1000
        while await reader.read(65_536):
            pass
    return late


def write_models(home: Path, port: int) -> None:
    """The settings of a home whose only model is the server at a port."""
    server = {"url": f"http://127.0.0.1:{port}", "protocol": "openai-chat"}
    model = {"id": "upstream/m", "name": "M", "provider": "upstream", "model": "m"}
    limits = {"contextWindow": 4_000_000, "maxOutput": 1_000}
    models = json.dumps({"providers": {"upstream": server}, "models": [{**model, **limits}]})
    home.mkdir()
    (home / "models.json").write_text(models, encoding="utf-8")


async def open_chat(client: httpx.AsyncClient, size: int) -> Grown:
    """A chat that has grown, and the socket of a page that has it open."""
    project = (await client.get("/api/v1/projects/current")).json()["id"]
    return await follow_chat(client, await grow(client, project, size))


async def follow_chat(client: httpx.AsyncClient, chat: str) -> Grown:
    """The socket of another page that has a chat open."""
    after = (await client.get(f"/api/v1/chats/{chat}")).json()["lastEvent"]
    url = str(client.base_url).replace("http", "ws", 1).rstrip("/")
    address = f"{url}/api/v1/chats/{chat}/events?after={after}"
    return Grown(chat, await connect(address, additional_headers=HEADERS, max_size=None))


async def talk(client: httpx.AsyncClient, pid: int, upstream: Upstream) -> dict[int, Taken]:
    """Let chats of each size grow, then talk in them in turns."""
    chats = {size: await open_chat(client, size) for size in SIZES}
    taken = {size: Taken() for size in SIZES}
    for number in range(WARM_UP + ROUNDS):
        for size, chat in chats.items():
            before = cpu_ms(pid)
            late = await ask(client, chat, upstream)
            spent = cpu_ms(pid) - before
            straight = await ask_straight(upstream)
            if number >= WARM_UP:
                taken[size].cpu_ms.append(spent)
                taken[size].late_ms.append(late)
                taken[size].straight_ms.append(straight)
                taken[size].sent_bytes = len(upstream.received)
    for chat in chats.values():
        await chat.socket.close()
    return taken


async def measure(folder: Path) -> dict[int, Taken]:
    """Start the model's server and Recto, and talk."""
    upstream = Upstream()
    listener = await asyncio.start_server(upstream.answer, "127.0.0.1", 0, limit=1 << 26)
    upstream.port = listener.sockets[0].getsockname()[1]
    write_models(folder / "home", upstream.port)
    (folder / "work").mkdir()
    process = Command(folder / "home", {"RECTO_TOKEN": TOKEN}).start(folder / "work")
    try:
        url = ready_line(process).removeprefix(READY).partition("/open/")[0]
        async with httpx.AsyncClient(base_url=url, headers=HEADERS, timeout=60) as client:
            return await talk(client, process.pid, upstream)
    finally:
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=30)
        listener.close()


def middle(found: Sequence[float]) -> float:
    """The median."""
    return statistics.median(found)


def main() -> None:
    """Measure, print, and judge."""
    with tempfile.TemporaryDirectory() as folder:
        taken = asyncio.run(measure(Path(folder)))
    print(f"{'entries':>8}{'sent kB':>9}{'CPU ms':>8}{'late ms':>9}{'straight':>9}   (medians)")
    for size, found in taken.items():
        print(
            f"{size:8,}{found.sent_bytes / 1000:9,.0f}{middle(found.cpu_ms):8.1f}"
            f"{middle(found.late_ms):9.2f}{middle(found.straight_ms):9.2f}"
        )
    times = middle(taken[SIZES[-1]].cpu_ms) / middle(taken[SIZES[0]].cpu_ms)
    added = max(middle(found.late_ms) - middle(found.straight_ms) for found in taken.values())
    print(f"{SIZES[-1]:,} entries cost {times:.2f} × what {SIZES[0]} cost ({MOST_TIMES} allowed)")
    print(f"the first word comes {added:.2f} ms later than straight ({ALLOWED_MS:g} allowed)")
    if times >= MOST_TIMES or added >= ALLOWED_MS:
        sys.exit("turn: a message costs more than it may.")


if __name__ == "__main__":
    main()
