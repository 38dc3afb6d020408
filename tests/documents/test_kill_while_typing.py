"""SIGKILL while somebody types and saves: nothing acknowledged is lost, and no file is torn."""

import json
import os
import random
import re
import signal
import struct
import sys
from collections import Counter
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import anyio
import httpx
import pytest
from anyio.abc import Process
from anyio.streams.buffered import BufferedByteReceiveStream
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from recto.documents import Splice
from recto.documents.shared_text import SharedText
from tests.served import TOKEN

pytestmark = [pytest.mark.anyio, pytest.mark.slow]

KILLS = int(os.environ.get("RECTO_TYPING_KILLS", "8"))
WORDS = 30  # what is typed in a life that is not cut short
START = "The first line.\nDie zweite Größe 😀.\n" * 40
WORD = re.compile(r"\[\d+\.\d+\]")
HEADERS = {"authorization": f"Bearer {TOKEN}"}
VERSION, MISSING, EDIT = range(3)
NOTHING = b"\0\0"


@dataclass
class Page:
    """A page with its copy of the text: it outlives the server, and comes back to it."""

    text: SharedText = field(default_factory=SharedText)
    epoch: str = ""
    typed: list[str] = field(default_factory=list[str])
    stored: set[str] = field(default_factory=set[str])
    """The words that were acknowledged."""
    _frames: list[int] = field(default_factory=list[int])
    """For each frame of this connection, how many words were typed by then."""
    _is_met: bool = False

    async def meet(self, socket: ClientConnection) -> None:
        """Show the file, and tell the server what it lacks."""
        self._frames, self._is_met = [], False
        await socket.send(json.dumps({"type": "open", "channel": 1, "path": "a.md"}))
        while not self._is_met:
            await self.hear(socket)

    async def type(self, socket: ClientConnection, word: str, chance: random.Random) -> None:
        """Write a word at the end of some line, and save now and then."""
        places = [at for at, letter in enumerate(self.text.text) if letter == "\n"]
        at = chance.choice(places)
        self.typed.append(word)
        await self.send(socket, EDIT, self.text.splice([Splice(at, at, word)]))
        if chance.random() < 0.3:
            await socket.send(json.dumps({"type": "save", "channel": 1}))
        if chance.random() < 0.3:
            await self.settle(socket)

    async def settle(self, socket: ClientConnection) -> None:
        """Wait until all that was typed is acknowledged."""
        while not self.stored.issuperset(self.typed):
            await self.hear(socket)

    async def send(self, socket: ClientConnection, kind: int, body: bytes) -> None:
        if kind != VERSION:
            self._frames.append(len(self.typed))
        await socket.send(struct.pack(">IB", 1, kind) + body)

    async def hear(self, socket: ClientConnection) -> None:
        """Take in one thing that the server says."""
        with anyio.fail_after(60):
            frame = await socket.recv()
        if isinstance(frame, str):
            self.on_said(json.loads(frame))
            return
        kind, body = frame[4], frame[5:]
        if kind == VERSION:
            await self.send(socket, VERSION, self.text.state())
            lacking = self.text.updates_since(body)
            # Also with nothing in it, as a page does: what was stored, and its ack lost with the
            # server, is acknowledged by that.
            if lacking != NOTHING or not self.stored.issuperset(self.typed):
                await self.send(socket, MISSING, lacking)
        else:
            self.text.apply(body)
            self._is_met = self._is_met or kind == MISSING

    def on_said(self, said: dict[str, Any]) -> None:
        if said["type"] == "opened":
            assert said["epoch"] == self.epoch or not self.epoch, "another history"
            self.epoch = said["epoch"]
        elif said["type"] == "ack":
            self.stored.update(self.typed[: self._frames[said["edits"] - 1]])
        else:
            assert said["type"] in ("state", "review"), said


class Server:
    """The program that dies, its folder, and how to reach it."""

    def __init__(self, process: Process, folder: Path) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self._input = process.stdin
        self._lines = BufferedByteReceiveStream(process.stdout)
        self._folder = folder
        self._project = ""
        self.file = folder / "a.md"

    async def live(self, page: Page, chance: random.Random, *, life: int, kill_at: int) -> int:
        """One life: a stranger looks, then the page types until it is over; how many steps it had.

        Without `kill_at` it ends in good order.
        """
        home = self._folder.parent / "home"
        task = {"home": str(home), "folder": str(self._folder), "kill_at": kill_at or None}
        await self._input.send(json.dumps(task).encode() + b"\n")
        born = await self._next()
        url = await self._address(born["url"])
        await look(url, page.stored)
        async with connect(url, additional_headers=HEADERS) as socket:
            with suppress(ConnectionClosed):
                await page.meet(socket)
                check(page.text.text, page.typed)
                for number in range(WORDS):
                    await page.type(socket, f"[{life}.{number}]", chance)
                await page.settle(socket)
                os.kill(born["pid"], signal.SIGKILL if kill_at else signal.SIGTERM)
            with suppress(ConnectionClosed):
                while True:  # what was acknowledged before the end counts
                    await page.hear(socket)
        return await self._end()

    async def _address(self, url: str) -> str:
        if not self._project:
            async with httpx.AsyncClient(base_url=url, headers=HEADERS) as client:
                self._project = (await client.get("/api/v1/projects/current")).json()["id"]
        return f"{url.replace('http', 'ws')}/api/v1/projects/{self._project}/documents/sync"

    async def _end(self) -> int:
        steps = 0
        while "ended" not in (fact := await self._next()):
            steps = fact["steps"]
        assert fact["ended"] == (0 if steps else -signal.SIGKILL)
        return steps

    async def _next(self) -> dict[str, Any]:
        with anyio.fail_after(60):
            return json.loads(await self._lines.receive_until(b"\n", 1 << 20))


async def look(url: str, stored: set[str]) -> None:
    """What somebody finds who was never there before: all that was ever acknowledged."""
    async with connect(url, additional_headers=HEADERS) as socket:
        reader = Page()
        await reader.meet(socket)
        check(reader.text.text, stored)


def check(found: str, words: set[str] | list[str]) -> None:
    """Each of the words is there once, and around them stands the text as it began."""
    counts = Counter(WORD.findall(found))
    assert [word for word in words if counts[word] != 1] == []
    assert max(counts.values(), default=1) == 1
    assert WORD.sub("", found) == START


@asynccontextmanager
async def mortal(folder: Path) -> AsyncGenerator[Server]:
    """The program, ready to live and die."""
    command = [sys.executable, "-m", "tests.documents.typist"]
    async with await anyio.open_process(
        command, stderr=sys.stderr, start_new_session=True
    ) as process:
        try:
            yield Server(process, folder)
        finally:
            os.killpg(process.pid, signal.SIGKILL)  # its child, too, when a test has failed


async def test_nothing_acknowledged_is_lost_and_no_file_is_torn(tmp_path: Path) -> None:
    chance = random.Random(20261115)
    home, folder = tmp_path / "home", tmp_path / "folder"
    home.mkdir()
    folder.mkdir()
    page = Page()
    async with mortal(folder) as server:
        server.file.write_text(START, encoding="utf-8")
        steps = await server.live(page, chance, life=0, kill_at=0)
        for life in range(1, KILLS + 1):
            if chance.random() < 0.3:  # somebody reloads: what was not acknowledged is gone
                page = Page(typed=sorted(page.stored), stored=page.stored)
            await server.live(page, chance, life=life, kill_at=chance.randrange(1, steps))
            on_disk = server.file.read_text(encoding="utf-8")
            check(on_disk, set())
            others = {path.name for path in folder.iterdir()} - {"a.md"}
            assert [name for name in others if not name.startswith(".recto-tmp-")] == []
        assert await server.live(page, chance, life=KILLS + 1, kill_at=0) > 0
        assert len(page.stored) > KILLS
        check(server.file.read_text(encoding="utf-8"), page.stored)
