"""Many people at once: 50 turns that stream 50 tokens a second each, watched by 200 open pages.

A tiny server on loopback is the model; each of its tokens says when it was written. Every chat is
followed by four sockets, as pages follow it. Prints how late the tokens were at the pages, and the
CPU time of Recto's process for each token of an answer and for each token that reached a page.
Fails when a page saw a token of 95 in 100 later than 100 ms after the model's server wrote it. The
pages are clients in this process, on the same processors. Open WebUI and LibreChat are not
measured: the first installs gigabytes of packages for models of its own, the second needs a
MongoDB server. How many turns, pages and tokens may be given:
`python -m benchmarks.crowd 10 40 100`.
"""

import asyncio
import json
import re
import signal
import sys
import tempfile
import time
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
from websockets.asyncio.client import ClientConnection

from benchmarks.first_token import content_length
from benchmarks.turn import (
    ENDED,
    HEADERS,
    TOKEN,
    Grown,
    cpu_ms,
    follow_chat,
    grow,
    write_models,
)
from tests.cli.recto import READY, Command, ready_line

TURNS, PAGES, TOKENS = 50, 200, 500
A_SECOND = 50
MOST_LATE_MS = 100.0
GROWN = 2
HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n"
WRITTEN = re.compile(r"<(\d+)>")


def chunk(delta: dict[str, str], end: str | None = None) -> bytes:
    """A piece of an answer as the model's server writes it."""
    choice = {"index": 0, "delta": delta, "finish_reason": end}
    return b"data: " + json.dumps({"id": "c", "model": "m", "choices": [choice]}).encode() + b"\n\n"


class Streaming:
    """The model's server: so many tokens, each with the time at which it was written."""

    def __init__(self, tokens: int, turns: int) -> None:
        self.tokens = tokens
        self._turns = turns
        self._asked = 0
        self._all_asked = asyncio.Event()
        self.began = 0.0

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer a request once every turn has asked: all of them stream at the same time."""
        with closing(writer):
            head = await reader.readuntil(b"\r\n\r\n")
            await reader.readexactly(content_length(head))
            self._asked += 1
            if self._asked == self._turns:
                self.began = time.perf_counter()
                self._all_asked.set()
            await self._all_asked.wait()
            writer.write(HEAD)
            due = time.perf_counter()
            for _ in range(self.tokens):
                writer.write(chunk({"content": f"<{time.perf_counter_ns()}> "}))
                await writer.drain()
                due += 1 / A_SECOND
                await asyncio.sleep(max(0.0, due - time.perf_counter()))
            writer.write(chunk({}, "stop") + b"data: [DONE]\n\n")
            await writer.drain()


@dataclass
class Seen:
    """What the pages saw."""

    late_ms: list[float] = field(default_factory=list[float])


async def watch(socket: ClientConnection, turn: str, seen: Seen) -> None:
    """Be a page: hear a turn to its end."""
    while True:
        message = await socket.recv()
        now = time.perf_counter_ns()
        event: dict[str, Any] = json.loads(str(message).partition("\n")[2])
        if event.get("turnId") != turn:
            continue
        if event["kind"] == "text":
            written = WRITTEN.findall(event["text"])
            seen.late_ms += [(now - int(at)) / 1e6 for at in written]
        elif event["kind"] == "turn" and event["state"] in ENDED:
            if event["state"] != "finished":
                raise RuntimeError(f"The turn ended as {event['state']}.")
            return


async def crowd(
    client: httpx.AsyncClient, pid: int, upstream: Streaming, grown: list[str], pages: int
) -> tuple[Seen, float]:
    """All of it at once; what the pages saw, and the CPU time it took."""
    chats = [await follow_chat(client, chat) for chat in grown]
    turns = len(chats)
    sockets: list[Grown] = list(chats)
    for number in range(pages - turns):
        sockets.append(await follow_chat(client, chats[number % turns].id))
    seen = Seen()
    before = cpu_ms(pid)
    asked = (
        client.post(f"/api/v1/chats/{chat.id}/turns", json={"text": "Tell me."}) for chat in chats
    )
    answers = await asyncio.gather(*asked)
    turn_of = {
        chat.id: str(answer.raise_for_status().json()["turnId"])
        for chat, answer in zip(chats, answers, strict=True)
    }
    await asyncio.gather(*(watch(item.socket, turn_of[item.id], seen) for item in sockets))
    spent = cpu_ms(pid) - before
    for item in sockets:
        await item.socket.close()
    return seen, spent


async def measure(folder: Path, turns: int, pages: int, tokens: int) -> tuple[Seen, float]:
    """Start the model's server and Recto, and have everybody talk."""
    upstream = Streaming(tokens, turns)
    listener = await asyncio.start_server(upstream.answer, "127.0.0.1", 0, limit=1 << 22)
    write_models(folder / "home", listener.sockets[0].getsockname()[1])
    (folder / "work").mkdir()
    grown = await grow(folder / "home", folder / "work", [GROWN] * turns)
    process = Command(folder / "home", {"RECTO_TOKEN": TOKEN}).start(folder / "work")
    try:
        url = ready_line(process).removeprefix(READY).partition("/open/")[0]
        async with httpx.AsyncClient(base_url=url, headers=HEADERS, timeout=120) as client:
            return await crowd(client, process.pid, upstream, grown, pages)
    finally:
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=30)
        listener.close()


def main() -> None:
    """Measure, print, and judge."""
    given = [int(word) for word in sys.argv[1:4]]
    turns, pages, tokens = (*given, *(TURNS, PAGES, TOKENS)[len(given) :])
    with tempfile.TemporaryDirectory() as folder:
        seen, spent_ms = asyncio.run(measure(Path(folder), turns, pages, tokens))
    late = sorted(seen.late_ms)
    wanted = pages * tokens
    if len(late) != wanted:
        sys.exit(f"crowd: the pages saw {len(late):,} tokens, not {wanted:,}.")
    half, most = late[len(late) // 2], late[len(late) * 95 // 100]
    print(
        f"{turns} turns at {A_SECOND} tokens a second, {pages} pages: a token is at a page after"
        f" {half:.0f} ms (median), {most:.0f} ms (95 %, at most {MOST_LATE_MS:g}); CPU for each"
        f" token of an answer {spent_ms / turns / tokens * 1000:.0f} µs, for each at a page"
        f" {spent_ms / wanted * 1000:.0f} µs"
    )
    if most > MOST_LATE_MS:
        sys.exit("crowd: pages see tokens later than they may.")


if __name__ == "__main__":
    main()
