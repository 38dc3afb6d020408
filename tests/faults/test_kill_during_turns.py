"""SIGKILL at random points of turns: nothing is lost, nothing happens twice, nothing is torn."""

import json
import os
import random
import sys
from collections.abc import AsyncGenerator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from itertools import zip_longest
from pathlib import Path
from typing import Any

import anyio
import pytest
from anyio.abc import Process
from anyio.streams.buffered import BufferedByteReceiveStream

from recto.app import Working, open_working
from recto.chats import Assistant, Entry, Said, ToolResults, User
from recto.clock import SystemClock, SystemIds
from recto.config import Home, Secret, Settings, save_keys
from recto.messages import Text, ToolCall
from tests.fakes.providers import (
    AnthropicServer,
    ChatServer,
    GeminiServer,
    Provider,
    ResponsesServer,
    calls,
    says,
    thinks,
)

pytestmark = [pytest.mark.anyio, pytest.mark.slow]

GROUPS = 4
KILLS = int(os.environ.get("RECTO_TURN_KILLS", "20"))
MODEL = "anthropic/claude-sonnet-5-5"
OTHERS = {
    "anthropic": MODEL,
    "openai": "openai/gpt-6.1-terra",
    "google": "google/gemini-3.8-flash",
    "ollama": "ollama/qwen3:8b",
}
OLD, NEW = "old " * 500, "new " * 700


@dataclass(slots=True)
class Run:
    """What a child told before it died."""

    chat: str = ""
    said: str = ""
    heard: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    entered: int | None = None

    @property
    def text(self) -> str:
        return "".join(one["text"] for one in self.heard if one["kind"] == "text")


class Talker:
    """The program that dies, and its folder."""

    def __init__(self, process: Process, servers: dict[str, Provider], folder: Path) -> None:
        self._process = process
        assert process.stdout is not None
        self._lines = BufferedByteReceiveStream(process.stdout)
        self.servers = servers
        self.folder = folder
        self.home = folder.parent / "home"

    async def talk(self, number: int, kill_at: int | None) -> Run:
        """Run one turn until it is over or dead."""
        script(self.servers["anthropic"], number)
        (self.folder / "a.md").write_text(OLD, encoding="utf-8")
        task = {
            "home": str(self.home),
            "folder": str(self.folder),
            "chat": "",
            "text": f"Turn {number}.",
            "model": MODEL,
            "kill_at": kill_at,
        }
        assert self._process.stdin is not None
        await self._process.stdin.send(json.dumps(task).encode() + b"\n")
        run = Run()
        with anyio.fail_after(60):
            while True:
                fact = json.loads(await self._lines.receive_until(b"\n", 1 << 20))
                if "ended" in fact:
                    return run
                if "seq" in fact:
                    run.heard.append(fact)
                for name in fact.keys() & {"chat", "said", "entered"}:
                    setattr(run, name, fact[name])


def script(upstream: Provider, number: int) -> None:
    """A turn that thinks, talks, changes files and runs a command."""
    upstream.queue.clear()
    upstream.forget()
    upstream.answer(
        thinks("Hm, ", "the tide."),
        says("I look ", "first."),
        calls("read_file", {"path": "a.md"}),
        calls("list_files", {}),
    )
    upstream.answer(
        says("Now I write."),
        calls("write_file", {"path": "a.md", "content": NEW}),
        calls("run_command", {"command": f"echo {number} >> log"}),
    )
    upstream.answer(says("All ", "is ", "done."))


@pytest.fixture
async def talker(tmp_path: Path) -> AsyncGenerator[Talker]:
    home, folder = tmp_path / "home", tmp_path / "folder"
    home.mkdir()
    folder.mkdir()
    async with AsyncExitStack() as stack:
        servers: dict[str, Provider] = {
            "anthropic": await stack.enter_async_context(AnthropicServer()),
            "openai": await stack.enter_async_context(ResponsesServer()),
            "google": await stack.enter_async_context(GeminiServer()),
            "ollama": await stack.enter_async_context(ChatServer(flavour="ollama")),
        }
        urls = {name: {"url": address(name, server)} for name, server in servers.items()}
        (home / "models.json").write_text(json.dumps({"providers": urls}), encoding="utf-8")
        names = ("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY")
        save_keys(Home(home), {name: Secret("test-key") for name in names})
        command = [sys.executable, "-m", "tests.faults.talker"]
        process = await stack.enter_async_context(
            await anyio.open_process(command, stderr=sys.stderr)
        )
        yield Talker(process, servers, folder)
        process.kill()


def address(name: str, server: Any) -> str:
    """Where a provider's API begins on a strict server."""
    return server.url + {"openai": "/v1", "google": "/v1beta", "ollama": "/v1"}.get(name, "")


@asynccontextmanager
async def reopened(talker: Talker) -> AsyncGenerator[Working]:
    """Recto as it starts after the crash."""
    clock = SystemClock()
    async with open_working(
        Home(talker.home), Settings(), talker.folder, clock, SystemIds(clock)
    ) as working:
        yield working


async def check_history(working: Working, run: Run) -> list[Entry]:
    """What was acknowledged is there once, every call has one result, words are kept."""
    entries = await working.chats.all_entries(run.chat)
    said = [one.content for one in entries if isinstance(one.content, User)]
    assert len(said) == 1 if run.said else len(said) <= 1
    kept = [event.seq for event in await working.storage.events.after(run.chat)]
    assert kept == list(range(1, len(kept) + 1))
    assert not run.heard or run.heard[-1]["seq"] <= kept[-1], "something was seen and lost"
    words = "".join(
        part.text
        for one in entries
        if isinstance(one.content, Assistant)
        for part in one.content.parts
        if isinstance(part, Text)
    )
    assert words.startswith(run.text), "words were seen and lost"
    check_pairs(entries)
    return entries


def check_pairs(entries: list[Entry]) -> None:
    """Each call is answered once, by the entry after it."""
    for one, following in zip_longest(entries, entries[1:]):
        if one is None or not isinstance(one.content, Assistant):
            continue
        asked = [part.id for part in one.content.parts if isinstance(part, ToolCall)]
        answered = (
            [result.result.call_id for result in following.content.results]
            if following is not None and isinstance(following.content, ToolResults)
            else []
        )
        assert asked == answered


async def check_money(working: Working, talker: Talker, before: int) -> None:
    """Every request that reached the provider is booked once; nothing stays set aside."""
    assert await working.storage.ledger.held() == ()
    rows = (await working.storage.ledger.page(limit=1000)).items
    asked = len(talker.servers["anthropic"].exchanges)
    new = [row.spend for row in rows[: len(rows) - before]]
    answered = [row for row in new if row.outcome != "failed"]
    assert asked <= len(answered) <= asked + 1, "one may have been set aside and not yet sent"
    assert all(row.cost_micros is None or row.cost_micros > 0 for row in answered)


def check_files(talker: Talker, number: int) -> None:
    """A file is old or new, never a mix; a command ran at most once."""
    assert (talker.folder / "a.md").read_text(encoding="utf-8") in (OLD, NEW)
    log = talker.folder / "log"
    lines = log.read_text(encoding="utf-8").split() if log.exists() else []
    assert lines.count(str(number)) <= 1
    left = [path.name for path in talker.folder.iterdir() if path.name not in ("a.md", "log")]
    assert left == [] or all(name.startswith(".recto-tmp") for name in left)


async def go_on(working: Working, talker: Talker, run: Run, provider: str) -> None:
    """The chat can be continued, with any provider."""
    server = talker.servers[provider]
    server.queue.clear()
    server.answer(says("Going on."))
    begun = (await working.chats.view(run.chat)).last_event
    body: Mapping[str, Any] = {}
    turn = await working.chats.say(run.chat, Said("Go on.", model=OTHERS[provider]))
    with anyio.fail_after(60):
        async for told in working.chats.follow(run.chat, begun):
            body = told.event.body
            if body.get("turn_id") == turn.turn_id and body["state"] not in ("queued", "running"):
                break
    assert server.last.refusal is None, server.last.refusal
    assert body["state"] == "finished"


@pytest.mark.parametrize("group", range(GROUPS))
async def test_a_killed_turn_loses_nothing_and_can_be_continued(talker: Talker, group: int) -> None:
    whole = await talker.talk(0, None)
    assert whole.text == "I look first.Now I write.All is done."
    assert whole.entered is not None
    chance = random.Random(20261115 + group)
    booked = len(talker.servers["anthropic"].exchanges)
    for number in range(1, KILLS // GROUPS + 1):
        run = await talker.talk(number, chance.randrange(1, whole.entered))
        async with reopened(talker) as working:
            check_files(talker, number)
            await check_money(working, talker, booked)
            if run.chat:
                await check_history(working, run)
                provider = list(OTHERS)[number % len(OTHERS)]
                await go_on(working, talker, run, provider)
            booked = len((await working.storage.ledger.page(limit=1000)).items)
