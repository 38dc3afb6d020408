"""PostgreSQL goes away and comes back: Recto waits, says so, goes on, and loses nothing.

`make soak` restarts it every ten seconds for five minutes while people type, talk and look.
"""

import json
import os
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

import anyio
import anyio.to_thread
import httpx
import pytest

from recto.config import Home, Secret, Settings, StorageSettings, save_keys
from recto.documents import Splice
from tests.fakes.providers import AnthropicServer, Fault, Gate, calls, says
from tests.faults.canaries import ANSWER, CHAT, DOCUMENT, assert_no_content
from tests.served import Served, point_anthropic_at, served
from tests.server.test_documents import page
from tests.server.test_events import Stream, following
from tests.storage.server import running_server, start_server, stop_server, url
from tests.talk import Talk, ended, of_kind, open_talk, texts

pytestmark = [pytest.mark.anyio, pytest.mark.slow]

SOAK_S = float(os.environ.get("RECTO_RESTART_S", "0"))
"""For how long the database is restarted; else it is just a few times."""
EVERY_S = 10
TIMES = int(SOAK_S // EVERY_S) or 3
BETWEEN = 6
"""How much must be acknowledged between two restarts where nobody waits for the time."""


@pytest.fixture
def server() -> Generator[Path]:
    with running_server() as folder:
        yield folder


@asynccontextmanager
async def on_postgres(server: Path, tmp_path: Path, upstream_url: str) -> AsyncGenerator[Served]:
    """A Recto whose records are in a server that may go away."""
    home = tmp_path / "home"
    point_anthropic_at(home, upstream_url)
    save_keys(Home(home), {"ANTHROPIC_API_KEY": Secret("test-key")})
    settings = Settings(storage=StorageSettings(url=url(server)))
    async with served(home, tmp_path / "folder", settings) as recto:
        yield recto


@dataclass(slots=True)
class Load:
    """What several people do at once, and what was acknowledged to them."""

    typed: list[str] = field(default_factory=list[str])
    answered: list[str] = field(default_factory=list[str])
    chats: list[str] = field(default_factory=list[str])
    is_over: bool = False
    _done: int = 0
    _news: anyio.Event = field(default_factory=anyio.Event)

    def note(self) -> None:
        """One more thing was acknowledged."""
        self._done += 1
        self._news.set()
        self._news = anyio.Event()

    async def more(self, many: int) -> None:
        """Wait until this much more was acknowledged."""
        wanted = self._done + many
        while self._done < wanted:
            await self._news.wait()

    async def type(self, recto: Served) -> None:
        """Type words into a live document, each after the last was acknowledged."""
        async with page(recto) as tab:
            await tab.open(1, "a.md")
            for number in count(1):
                if self.is_over:
                    return
                word = f"{DOCUMENT}-{number} "
                end = len(tab.texts[1].text)
                await tab.type(1, Splice(end, end, word))
                await tab.until_said(type="ack", channel=1, edits=number)
                tab.said.clear()
                self.typed.append(word)
                self.note()

    async def talk(self, talk: Talk, upstream: AnthropicServer) -> None:
        """Ask a model again and again; some of its answers use a tool."""
        for number in count(1):
            if self.is_over:
                return
            words = f"{ANSWER} {number}."
            upstream.answer(calls("read_file", {"path": "a.md"}))
            upstream.answer(says(*words))
            entries = await talk.ask(f"{CHAT} {number}")
            assert texts(entries)[-1] == words, json.dumps(entries[-1])
            self.answered.append(words)
            self.note()

    async def begin_chats(self, client: httpx.AsyncClient, project_id: str) -> None:
        while not self.is_over:
            self.chats.append((await open_talk(client, project_id)).chat_id)
            self.note()


async def test_an_idle_recto_outlives_its_database_and_says_so(
    server: Path, tmp_path: Path
) -> None:
    async with (
        AnthropicServer() as upstream,
        on_postgres(server, tmp_path, upstream.url) as recto,
        recto.script() as client,
        following(client) as stream,
    ):
        project = (await client.get("/api/v1/projects/current")).json()
        await stream.must_next()
        await anyio.to_thread.run_sync(stop_server, server)
        assert await next_of(stream, "store") == {"answers": False}
        assert (await client.get("/api/v1/health")).json()["status"] == "waiting"
        checks = (await client.get("/api/v1/doctor")).json()["checks"]
        (said,) = [check["detail"] for check in checks if check["name"] == "Database"]
        assert said == "It does not answer; waiting"
        # A page that comes now is told before it is greeted: that may have to wait.
        async with client.stream("GET", "/api/v1/events") as late:
            lines = late.aiter_lines()
            assert [await anext(lines), await anext(lines)] == [
                "event: store",
                'data: {"answers": false}',
            ]
        await anyio.to_thread.run_sync(start_server, server)
        assert await next_of(stream, "store") == {"answers": True}
        assert (await client.get("/api/v1/health")).json()["status"] == "ok"
        made = await open_talk(client, project["id"])
        assert (await next_of(stream, "change"))["id"] == made.chat_id


async def next_of(stream: Stream, name: str) -> dict[str, Any]:
    """The data of the next event with a name."""
    while True:
        found, _, data = await stream.must_next()
        if found == name:
            return data


async def test_a_turn_goes_on_where_it_was(server: Path, tmp_path: Path) -> None:
    """Before the first word, between two, and before the end."""
    async with (
        AnthropicServer() as upstream,
        on_postgres(server, tmp_path, upstream.url) as recto,
        recto.script() as client,
    ):
        project = (await client.get("/api/v1/projects/current")).json()
        talk = await open_talk(client, project["id"])
        gate = Gate()
        upstream.answer(says(ANSWER, " again"), fault=Fault(drip=True, gate=gate))
        turn = await talk.say(CHAT)
        await gate.arrived.wait()
        await restart(server)
        gate.step(3)
        await talk.until(of_kind("text"))
        await anyio.to_thread.run_sync(stop_server, server)
        gate.step(1)
        await anyio.to_thread.run_sync(start_server, server)
        gate.open()
        assert (await talk.until(ended(turn)))["state"] == "finished"
        assert texts(await talk.entries()) == [f"{ANSWER} again"]


async def restart(server: Path) -> None:
    await anyio.to_thread.run_sync(stop_server, server)
    await anyio.to_thread.run_sync(start_server, server)


async def test_nothing_acknowledged_is_lost_under_load(server: Path, tmp_path: Path) -> None:
    load = Load()
    await anyio.Path(tmp_path / "folder").mkdir()
    await anyio.Path(tmp_path / "folder" / "a.md").write_text("", encoding="utf-8")
    async with AnthropicServer() as upstream:
        async with (
            on_postgres(server, tmp_path, upstream.url) as recto,
            recto.script() as client,
            following(client) as stream,
        ):
            client.timeout = httpx.Timeout(60)
            project = (await client.get("/api/v1/projects/current")).json()
            talk = await open_talk(client, project["id"])
            async with anyio.create_task_group() as people:
                people.start_soon(load.type, recto)
                people.start_soon(load.talk, talk, upstream)
                people.start_soon(load.begin_chats, client, project["id"])
                for number in range(TIMES):
                    if SOAK_S:
                        await anyio.sleep(EVERY_S)
                    else:
                        await load.more(BETWEEN)
                    mode = "fast" if number % 2 else "immediate"
                    await anyio.to_thread.run_sync(stop_server, server, mode)
                    await anyio.to_thread.run_sync(start_server, server)
                await load.more(BETWEEN)
                load.is_over = True
            told = await told_until(stream, load.chats[-1])
            async with following(client, last_id=str(min(told) - 1)) as late:
                assert await told_until(late, load.chats[-1]) == told
            assert set(load.chats) <= set(told.values())
            assert [item for item in texts(await whole(talk)) if item] == load.answered
            await anyio.to_thread.run_sync(assert_no_content, recto.home.log_file)
        async with on_postgres(server, tmp_path, upstream.url) as again, page(again) as tab:
            await tab.open(1, "a.md")
            assert tab.texts[1].text == "".join(load.typed)
            text = await anyio.Path(tmp_path / "folder" / "a.md").read_text(encoding="utf-8")
            assert text == "".join(load.typed)


async def told_until(stream: Stream, last_chat: str) -> dict[int, str]:
    """The changes that the feed tells of, up to the creation of a chat, by their numbers."""
    told: dict[int, str] = {}
    while last_chat not in told.values():
        name, _, data = await stream.must_next()
        if name == "change":
            assert data["seq"] > max(told, default=0)
            told[data["seq"]] = data["id"]
    return told


async def whole(talk: Talk) -> list[dict[str, Any]]:
    """All entries of a chat, from its beginning."""
    found: list[dict[str, Any]] = await talk.entries()
    while True:
        params = {"before": found[0]["seq"], "limit": 100}
        earlier = (await talk.client.get(talk.path("entries"), params=params)).json()
        found = [*earlier["items"], *found]
        if not earlier["hasEarlier"]:
            return found
