"""What a message costs in a chat that has grown, on the way that a page takes.

A page posts a message (`POST /api/v1/chats/{id}/turns`) and follows the chat over its socket; a
tiny server on loopback is the model. For chats of 10, 1,000 and 10,000 entries, of one whole turn:

- the CPU time that Recto's process spends on it;
- how long after the click the request is at the model's server;
- how long after the model's server wrote its first word that word is at the page, where it is only
  shown once it is stored.

Beside it, in turns: the model's server asked straight, with the bytes that Recto had sent, by a
client that appends the word to a file and flushes it (`fsync`). Fails when the largest chat costs
1.3 × the smallest or more, in CPU or on the way to the model's server; or when the first word is
both 5 ms later than straight and later than 1.3 × the straight answer with one flush.
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
from recto.app import open_services
from recto.chats import AnswerSource, Archive, Assistant, EntryConfidence, EntryContent, User
from recto.clock import SystemClock, SystemIds
from recto.config import Home, Settings
from recto.messages import Text, Usage
from tests.cli.recto import READY, Command, ready_line

SIZES = (10, 1_000, 10_000)
ROUNDS = 25
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
    reach_ms: list[float] = field(default_factory=list[float])
    late_ms: list[float] = field(default_factory=list[float])
    straight_ms: list[float] = field(default_factory=list[float])
    stored_ms: list[float] = field(default_factory=list[float])
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


async def grow(home: Path, work: Path, sizes: Sequence[int]) -> list[str]:
    """Chats with so many entries each: a person and a model in turns, put into the store."""
    clock = SystemClock()
    ids = SystemIds(clock)
    grown: list[str] = []
    async with open_services(Home(home), Settings(), work, clock, ids) as working:
        project = await working.projects.current()
        archive = Archive(working.storage, ids)
        for size in sizes:
            chat_id = ids.new()
            async with working.storage.write() as write:
                await working.storage.chats.add(
                    write,
                    id=chat_id,
                    project_id=project.id,
                    title=f"{size} entries",
                    meta={"model": "upstream/m"},
                )
                for number in range(size):
                    await archive.append(write, chat_id, said(number))
            grown.append(chat_id)
    return grown


def said(number: int) -> EntryContent:
    """A message of a person or a model, in turns."""
    text = f"High water number {number} was at {number % 24:02}:14 at the north pier."
    if number % 2 == 0:
        return User(text, "before")
    return Assistant(
        parts=(Text(text),),
        turn="before",
        step=1,
        model="upstream/m",
        model_name="M",
        reason="end_turn",
        usage=Usage(input=900 + number, output=120),
        cost_micros=0,
        sureness=EntryConfidence(None, "unknown"),
        source=AnswerSource("", "", "chat/1"),
    )


async def ask(client: httpx.AsyncClient, chat: Grown, upstream: Upstream) -> tuple[float, float]:
    """Post a message and hear the whole answer.

    How long the request was on its way to the model, and its first word back, in milliseconds.
    """
    clicked = time.perf_counter()
    address, said = f"/api/v1/chats/{chat.id}/turns", {"text": "When is the next?"}
    posting = asyncio.create_task(client.post(address, json=said))
    late = 0.0
    while True:
        message = await chat.socket.recv()
        now = time.perf_counter()
        event: dict[str, Any] = json.loads(str(message).partition("\n")[2])
        if event["kind"] == "text" and not late:
            late = (now - upstream.wrote) * 1000
        if event["kind"] == "turn" and event["state"] in ENDED:
            if event["state"] != "finished" or not late:
                raise RuntimeError(f"The turn ended as {event['state']}.")
            (await posting).raise_for_status()
            return (upstream.wrote - clicked) * 1000, late


async def ask_straight(upstream: Upstream, file: int) -> tuple[float, float]:
    """Send the model's server what Recto had sent, and store the first word that comes.

    How long that word was on its way, and how long until it was on the disk, in milliseconds.
    """
    body = upstream.received
    reader, writer = await asyncio.open_connection("127.0.0.1", upstream.port)
    with closing(writer):
        writer.write(f"POST / HTTP/1.1\r\ncontent-length: {len(body)}\r\n\r\n".encode() + body)
        got = b""
        while WORD not in got:
            got += await reader.read(65_536)
        late = (time.perf_counter() - upstream.wrote) * 1000
        os.write(file, got)
        os.fsync(file)
        stored = (time.perf_counter() - upstream.wrote) * 1000
        while await reader.read(65_536):
            pass
    return late, stored


def write_models(home: Path, port: int) -> None:
    """The settings of a home whose only model is the server at a port."""
    server = {"url": f"http://127.0.0.1:{port}", "protocol": "openai-chat"}
    model = {"id": "upstream/m", "name": "M", "provider": "upstream", "model": "m"}
    limits = {"contextWindow": 4_000_000, "maxOutput": 1_000}
    models = json.dumps({"providers": {"upstream": server}, "models": [{**model, **limits}]})
    home.mkdir()
    (home / "models.json").write_text(models, encoding="utf-8")


async def follow_chat(client: httpx.AsyncClient, chat: str) -> Grown:
    """The socket of another page that has a chat open."""
    after = (await client.get(f"/api/v1/chats/{chat}")).json()["lastEvent"]
    url = str(client.base_url).replace("http", "ws", 1).rstrip("/")
    address = f"{url}/api/v1/chats/{chat}/events?after={after}"
    return Grown(chat, await connect(address, additional_headers=HEADERS, max_size=None))


async def talk(
    client: httpx.AsyncClient, pid: int, upstream: Upstream, grown: Sequence[str], file: int
) -> dict[int, Taken]:
    """Talk in the chats in turns."""
    chats = {size: await follow_chat(client, chat) for size, chat in zip(SIZES, grown, strict=True)}
    taken = {size: Taken() for size in SIZES}
    for number in range(WARM_UP + ROUNDS):
        for size, chat in chats.items():
            before = cpu_ms(pid)
            reached, late = await ask(client, chat, upstream)
            spent = cpu_ms(pid) - before
            straight, stored = await ask_straight(upstream, file)
            if number >= WARM_UP:
                found = taken[size]
                found.cpu_ms.append(spent)
                found.reach_ms.append(reached)
                found.late_ms.append(late)
                found.straight_ms.append(straight)
                found.stored_ms.append(stored)
                found.sent_bytes = len(upstream.received)
    for chat in chats.values():
        await chat.socket.close()
    return taken


async def measure(folder: Path) -> dict[int, Taken]:
    """Let chats of each size grow, start the model's server and Recto, and talk."""
    upstream = Upstream()
    listener = await asyncio.start_server(upstream.answer, "127.0.0.1", 0, limit=1 << 26)
    upstream.port = listener.sockets[0].getsockname()[1]
    write_models(folder / "home", upstream.port)
    (folder / "work").mkdir()
    grown = await grow(folder / "home", folder / "work", SIZES)
    file = os.open(folder / "words", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    process = Command(folder / "home", {"RECTO_TOKEN": TOKEN}).start(folder / "work")
    try:
        url = ready_line(process).removeprefix(READY).partition("/open/")[0]
        async with httpx.AsyncClient(base_url=url, headers=HEADERS, timeout=60) as client:
            return await talk(client, process.pid, upstream, grown, file)
    finally:
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=30)
        listener.close()
        os.close(file)


def middle(found: Sequence[float]) -> float:
    """The median."""
    return statistics.median(found)


def judge(taken: dict[int, Taken]) -> bool:
    """Print what was measured; whether it is what is asked."""
    names = ("sent kB", "CPU ms", "to model", "to page", "straight", "stored")
    print(f"{'entries':>8}" + "".join(f"{name:>10}" for name in names) + "   (medians, ms)")
    for size, found in taken.items():
        times = (found.cpu_ms, found.reach_ms, found.late_ms, found.straight_ms, found.stored_ms)
        print(
            f"{size:8,}{found.sent_bytes / 1000:10,.0f}"
            + "".join(f"{middle(item):10.2f}" for item in times)
        )
    large, small = taken[SIZES[-1]], taken[SIZES[0]]
    cpu = middle(large.cpu_ms) / middle(small.cpu_ms)
    reach = middle(large.reach_ms) / middle(small.reach_ms)
    print(
        f"{SIZES[-1]:,} entries cost {cpu:.2f} × the CPU of {SIZES[0]}, and {reach:.2f} × the way"
        f" to the model's server ({MOST_TIMES} allowed)"
    )
    is_soon = True
    for size, found in taken.items():
        added = middle(found.late_ms) - middle(found.straight_ms)
        times_stored = middle(found.late_ms) / middle(found.stored_ms)
        is_soon &= added < ALLOWED_MS or times_stored <= MOST_TIMES
        print(
            f"{size:,} entries: the first word comes {added:.2f} ms later than straight"
            f" ({ALLOWED_MS:g} allowed), {times_stored:.2f} × a straight one with one flush of the"
            f" disk (where that takes longer, {MOST_TIMES} allowed)"
        )
    return cpu < MOST_TIMES and reach < MOST_TIMES and is_soon


def main() -> None:
    """Measure, print, and judge."""
    with tempfile.TemporaryDirectory() as folder:
        taken = asyncio.run(measure(Path(folder)))
    if not judge(taken):
        sys.exit("turn: a message costs more than it may.")


if __name__ == "__main__":
    main()
