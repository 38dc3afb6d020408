"""Two processes on one PostgreSQL and one folder, typed in at once, and killed: nothing is lost.

`RECTO_SHARED_KILLS` says how many times one of them dies; the other lives on.
"""

import json
import os
import random
import signal
import sys
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
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

from tests.documents.test_kill_while_typing import HEADERS, START, WORDS, Page, check

pytestmark = [pytest.mark.anyio, pytest.mark.slow]

KILLS = int(os.environ.get("RECTO_SHARED_KILLS", "3"))


@dataclass
class Recto:
    """A process that serves, dies and serves again, and the page of somebody who uses it."""

    place: Path
    name: str
    database: str
    process: Process
    page: Page = field(default_factory=Page)
    lives: int = 0
    socket: ClientConnection | None = None
    pid: int = 0

    def __post_init__(self) -> None:
        assert self.process.stdout is not None
        self._lines = BufferedByteReceiveStream(self.process.stdout)

    async def be_born(self, kill_at: int | None) -> None:
        """Serve, until so many steps are taken after the first edit; the page comes back."""
        self.lives += 1
        born = await self._live(kill_at)
        if kill_at is not None and born == {"ended": -signal.SIGKILL}:
            born = await self._live(None)  # the first edit was one that it took up at its start
        assert "pid" in born, f"Recto ended before it was ready: {born}"
        self.pid = born["pid"]
        self.socket = await connect(await address(born["url"]), additional_headers=HEADERS)
        await self.page.meet(self.socket)

    async def type(self, chance: random.Random, words: int) -> None:
        """Type and save; whether the process lives to see all of it is another matter."""
        assert self.socket is not None
        with suppress(ConnectionClosed):
            for number in range(words):
                word = f"[{ord(self.name)}{self.lives}.{len(self.page.typed)}{number}]"
                await self.page.type(self.socket, word, chance)
            await self.page.settle(self.socket)

    async def die(self, number: signal.Signals) -> int:
        """End, if it has not yet; how many steps it had taken, if it can say that."""
        assert self.socket is not None
        with suppress(ProcessLookupError):
            os.kill(self.pid, number)
        with suppress(ConnectionClosed):
            while True:  # what was acknowledged before the end counts
                await self.page.hear(self.socket)
        await self.socket.close()
        steps = 0
        while "ended" not in (fact := await self._next()):
            steps = fact["steps"]
        return steps

    async def hear_until(self, words: set[str]) -> None:
        """Everything of these words is shown here, once."""
        assert self.socket is not None
        await self.page.settle(self.socket)
        while not all(word in self.page.text.text for word in words):
            await self.page.hear(self.socket)
        check(self.page.text.text, words)

    async def save(self) -> None:
        """The file has all that is shown here."""
        assert self.socket is not None
        await self.socket.send(json.dumps({"type": "save", "channel": 1}))
        file = self.place / "folder" / "a.md"
        while file.read_text(encoding="utf-8") != self.page.text.text:
            await self.page.hear(self.socket)

    async def _live(self, kill_at: int | None) -> dict[str, Any]:
        assert self.process.stdin is not None
        life = {
            "home": str(self.place / self.name),
            "folder": str(self.place / "folder"),
            "kill_at": kill_at,
            "database": self.database,
        }
        await self.process.stdin.send(json.dumps(life).encode() + b"\n")
        return await self._next()

    async def _next(self) -> dict[str, Any]:
        with anyio.fail_after(120):
            return json.loads(await self._lines.receive_until(b"\n", 1 << 20))


async def address(url: str) -> str:
    """Where the documents of the folder are, at one of the processes."""
    async with httpx.AsyncClient(base_url=url, headers=HEADERS) as client:
        project = (await client.get("/api/v1/projects/current")).json()["id"]
    return f"{url.replace('http', 'ws')}/api/v1/projects/{project}/documents/sync"


@asynccontextmanager
async def starting(place: Path, name: str, database: str) -> AsyncGenerator[Recto]:
    command = [sys.executable, "-m", "tests.documents.typist"]
    async with await anyio.open_process(
        command, stderr=sys.stderr, start_new_session=True
    ) as process:
        recto = Recto(place, name, database, process)
        try:
            yield recto
        finally:
            if recto.socket is not None:
                await recto.socket.close()
            os.killpg(process.pid, signal.SIGKILL)  # its child, too


async def test_nothing_acknowledged_is_lost_when_one_of_two_dies(
    database: str, tmp_path: Path
) -> None:
    chance = random.Random(20261117)
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "a.md").write_text(START, encoding="utf-8")
    async with AsyncExitStack() as stack:
        rectos = [
            await stack.enter_async_context(starting(tmp_path, name, database)) for name in "ab"
        ]
        for recto in rectos:
            (tmp_path / recto.name).mkdir()
            await recto.be_born(None)
        steps = 0
        for number in range(KILLS + 1):
            mortal, other = chance.sample(rectos, 2)
            await mortal.die(signal.SIGTERM)
            await mortal.be_born(chance.randrange(1, steps) if number else None)
            async with anyio.create_task_group() as group:
                for recto in rectos:
                    group.start_soon(recto.type, chance, WORDS)
            # The first to go ends in good order, and says how many steps a life has.
            told = await mortal.die(signal.SIGKILL if number else signal.SIGTERM)
            steps = steps or told
            await other.hear_until(mortal.page.stored | other.page.stored)
            await other.save()
            await mortal.be_born(None)
            await mortal.hear_until(set(mortal.page.typed) | set(other.page.typed))
            await other.hear_until(set(mortal.page.typed) | set(other.page.typed))
        assert rectos[0].page.text.text == rectos[1].page.text.text
        for recto in rectos:
            await recto.save()
