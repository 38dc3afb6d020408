"""SIGKILL at random points of turns: nothing is lost, nothing happens twice, nothing is torn."""

import json
import os
import random
import shutil
import sys
from collections.abc import AsyncGenerator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from itertools import takewhile, zip_longest
from pathlib import Path
from typing import Any

import anyio
import pytest
from anyio.abc import Process
from anyio.streams.buffered import BufferedByteReceiveStream

from recto.app import AppServices, open_services
from recto.chats import Assistant, ChatEntry, ToolResults, User, UserMessage
from recto.clock import SystemClock, SystemIds
from recto.config import Home, Secret, Settings, save_keys
from recto.messages import Text, ToolCall
from recto.storage import RequestUsage
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

KILLS = int(os.environ.get("RECTO_TURN_KILLS", "8"))
GROUPS = max(2, KILLS // 250)
"""Each has a home of its own, which does not grow old, and they can run side by side."""
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
    passed: list[str] = field(default_factory=list[str])

    @property
    def text(self) -> str:
        return "".join(item["text"] for item in self.heard if item["kind"] == "text")


class Talker:
    """The program that dies, and its folder."""

    def __init__(self, process: Process, servers: dict[str, Provider], folder: Path) -> None:
        self._process = process
        assert process.stdout is not None
        self._lines = BufferedByteReceiveStream(process.stdout)
        self.servers = servers
        self.folder = folder
        self.home = folder.parent / "home"

    async def rehearse(self) -> None:
        """Have the program run a whole turn elsewhere, before its children do."""
        home, folder = self.home.with_name("first-home"), self.folder.with_name("first-folder")
        shutil.copytree(self.home, home)
        folder.mkdir()
        await self._run(home, folder, 0, is_rehearsal=True)

    async def talk(self, number: int, **end: int | None) -> Run:
        """Run one turn until it is over or dead."""
        return await self._run(self.home, self.folder, number, **end)

    async def _run(self, home: Path, folder: Path, number: int, **how: int | None) -> Run:
        script(self.servers["anthropic"], number)
        (folder / "a.md").write_text(OLD, encoding="utf-8")
        task = {
            "home": str(home),
            "folder": str(folder),
            "chat": "",
            "text": f"Turn {number}.",
            "model": MODEL,
            **how,
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
                for name in fact.keys() & {"chat", "said", "entered", "passed"}:
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
        talker = Talker(process, servers, folder)
        await talker.rehearse()
        yield talker
        process.kill()


def address(name: str, server: Any) -> str:
    """Where a provider's API begins on a strict server."""
    return server.url + {"openai": "/v1", "google": "/v1beta", "ollama": "/v1"}.get(name, "")


@asynccontextmanager
async def reopened(talker: Talker) -> AsyncGenerator[AppServices]:
    """Recto as it starts after the crash."""
    clock = SystemClock()
    async with open_services(
        Home(talker.home), Settings(), talker.folder, clock, SystemIds(clock)
    ) as working:
        yield working


async def check_history(working: AppServices, run: Run) -> list[ChatEntry]:
    """What was acknowledged is there once, every call has one result, words are kept."""
    entries = await working.chats.all_entries(run.chat)
    said = [entry.content for entry in entries if isinstance(entry.content, User)]
    assert len(said) == 1 if run.said else len(said) <= 1
    kept = [event.seq for event in await working.storage.events.after(run.chat)]
    assert kept == list(range(1, len(kept) + 1))
    assert not run.heard or run.heard[-1]["seq"] <= kept[-1], "something was seen and lost"
    words = "".join(
        part.text
        for entry in entries
        if isinstance(entry.content, Assistant)
        for part in entry.content.parts
        if isinstance(part, Text)
    )
    assert words.startswith(run.text), "words were seen and lost"
    check_pairs(entries)
    await check_costs(working, run, entries)
    return entries


async def check_costs(working: AppServices, run: Run, entries: list[ChatEntry]) -> None:
    """The answers of a turn that was cut off in one say together what its ledger rows say."""
    answers = [entry.content for entry in entries if isinstance(entry.content, Assistant)]
    if not answers or answers[-1].reason != "interrupted":
        return
    rows = await working.storage.ledger.of_turn(run.chat, answers[-1].turn)
    booked = [(row.spend.input_tokens, row.spend.output_tokens) for row in rows]
    used = [answer.usage for answer in answers if answer.usage is not None]
    assert [(item.input, item.output) for item in used] == booked
    assert [answer.cost_micros for answer in answers] == [row.spend.cost_micros for row in rows]


def check_pairs(entries: list[ChatEntry]) -> None:
    """Each call is answered once, by the entry after it."""
    for item, following in zip_longest(entries, entries[1:]):
        if item is None or not isinstance(item.content, Assistant):
            continue
        asked = [part.id for part in item.content.parts if isinstance(part, ToolCall)]
        answered = (
            [result.result.call_id for result in following.content.results]
            if following is not None and isinstance(following.content, ToolResults)
            else []
        )
        assert asked == answered


async def last_booked(working: AppServices) -> str:
    """The id of the newest row of the ledger."""
    (newest,) = (await working.storage.ledger.page(limit=1)).items
    return newest.spend.id


async def booked_since(working: AppServices, last: str) -> list[RequestUsage]:
    """What is in the ledger after a row, however many rows there were before."""
    rows = (await working.storage.ledger.page(limit=100)).items
    spends = [row.spend for row in rows]
    assert last in [spend.id for spend in spends]
    return list(takewhile(lambda spend: spend.id != last, spends))


async def check_money(working: AppServices, talker: Talker, last: str) -> None:
    """Every request that reached the provider is booked once; nothing stays set aside."""
    assert await working.storage.ledger.held() == ()
    asked = len(talker.servers["anthropic"].exchanges)
    answered = [row for row in await booked_since(working, last) if row.outcome != "failed"]
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


async def go_on(working: AppServices, talker: Talker, run: Run, provider: str) -> None:
    """The chat can be continued, with any provider."""
    server = talker.servers[provider]
    server.queue.clear()
    server.answer(says("Going on."))
    begun = (await working.chats.view(run.chat)).last_event
    body: Mapping[str, Any] = {}
    turn = await working.chats.say(run.chat, UserMessage("Go on.", model=OTHERS[provider]))
    with anyio.fail_after(60):
        async for told in working.chats.follow(run.chat, begun):
            body = told.event.body
            if body.get("turn_id") == turn.turn_id and body["state"] not in ("queued", "running"):
                break
    assert server.last.refusal is None, server.last.refusal
    assert body["state"] == "finished"


@pytest.mark.parametrize("group", range(GROUPS))
async def test_a_killed_turn_loses_nothing_and_can_be_continued(talker: Talker, group: int) -> None:
    whole = await talker.talk(0, kill_at=None)
    assert whole.text == "I look first.Now I write.All is done."
    assert whole.entered is not None
    chance = random.Random(20261115 + group)
    async with reopened(talker) as working:
        booked = await last_booked(working)
    for number in range(1, KILLS // GROUPS + 1):
        run = await talker.talk(number, kill_at=chance.randrange(1, whole.entered))
        async with reopened(talker) as working:
            check_files(talker, number)
            await check_money(working, talker, booked)
            if run.chat:
                await check_history(working, run)
                provider = list(OTHERS)[number % len(OTHERS)]
                await go_on(working, talker, run, provider)
            booked = await last_booked(working)
        if number % 100 == 0:
            sys.stdout.write(f"Turns killed in group {group}: {number}\n")
