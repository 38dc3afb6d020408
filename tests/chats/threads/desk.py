"""A desk without a page: all services over a folder, strict providers, and threads beside texts."""

import json
from collections.abc import AsyncGenerator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import anyio
from anyio import to_thread

from recto.app import ReplayResult, replay_run
from recto.app.services import AppServices, open_services
from recto.chats import AdmittedTurn, ChatEntry, UserMessage
from recto.clock import SystemClock, SystemIds
from recto.config import Home, Secret, Settings, save_keys
from recto.margin import TextPlace
from recto.storage import Note
from tests.chats.record.runs import KEY, KEYS, MODELS, PATHS
from tests.fakes.providers import (
    AnthropicServer,
    ChatServer,
    GeminiServer,
    ResponsesServer,
    Step,
    calls,
    says,
)
from tests.fakes.providers.serving import HttpServer
from tests.stores import lay_store

TEXT = "# Tide\n\nThe sea comes. 😀\n\nThe sea goes.\n\nThe moon stays.\n"
OVER = frozenset({"finished", "failed", "cancelled", "interrupted"})
MODEL = MODELS["anthropic"]


@dataclass(frozen=True, slots=True)
class Desk:
    """A project whose one file is `a.md`."""

    working: AppServices
    project_id: str
    servers: dict[str, HttpServer]
    home: Home
    folder: Path

    @property
    def upstream(self) -> HttpServer:
        """The provider that answers unless a test says otherwise."""
        return self.servers["anthropic"]

    def read(self, name: str = "a.md") -> str:
        """The text of a file."""
        return (self.folder / name).read_bytes().decode()

    def passage(self, words: str, path: str = "a.md") -> TextPlace:
        """Where words are in a file: the first of them."""
        start = self.read(path).index(words)
        return TextPlace(path, start, start + len(words))

    async def comment(self, words: str, body: str, path: str = "a.md") -> Note:
        """A comment on words of a file."""
        place = self.passage(words, path)
        return await self.working.notes.add(self.project_id, place, body=body)

    async def begin(
        self, words: str, text: str, *answers: Sequence[Step], name: str = "anthropic"
    ) -> tuple[Note, AdmittedTurn]:
        """A thread on words of the file, whose model answers with these steps; at its end."""
        for answer in answers:
            self.servers[name].answer(*answer)
        place = self.passage(words)
        note, turn = await self.working.threads.begin(
            self.project_id, place, UserMessage(text, model=MODELS[name])
        )
        await self.over(turn)
        return note, turn

    async def offer(
        self, old: str, new: str, *, words: str = "The sea goes.", note: str = ""
    ) -> tuple[Note, AdmittedTurn]:
        """A thread in which a model offers an edit."""
        given = {"old_string": old, "new_string": new, "note": note}
        return await self.begin(
            words, "Better?", (calls("propose_edit", given),), (says("Offered."),)
        )

    async def over(self, turn: AdmittedTurn) -> str:
        """Wait for the end of a turn; how it ended."""
        with anyio.fail_after(240):  # the built-in model may go on for long
            async for told in self.working.chats.follow(turn.chat_id, 0):
                body = told.event.body
                is_it = told.event.kind == "turn" and body["turn_id"] == turn.turn_id
                if is_it and body["state"] in OVER:
                    return body["state"]
        raise AssertionError("the journal ended")

    async def entries(self, chat_id: str) -> list[ChatEntry]:
        """The entries of a chat that count."""
        return await self.working.chats.all_entries(chat_id)

    def sent(self, number: int = -1, name: str = "anthropic") -> str:
        """What a request said, as text."""
        return json.dumps(self.servers[name].exchanges[number].json, ensure_ascii=False)

    async def replay(self, turn: AdmittedTurn) -> ReplayResult:
        """Run a turn again from its record."""
        return await replay_run(self.home, Settings(), turn.turn_id)

    async def told(self, after: int = 0) -> list[tuple[str, str]]:
        """What pages are told of threads: which, and what happened to it."""
        changes = await self.working.storage.changes.after(after, 1000)
        return [
            (change.resource_id, change.action) for change in changes if change.kind == "thread"
        ]


def tool_names(request: dict[str, Any]) -> list[str]:
    """The tools of a request to Anthropic."""
    return [tool["name"] for tool in request["tools"]]


@asynccontextmanager
async def four_servers(home: Path) -> AsyncGenerator[dict[str, HttpServer]]:
    """A strict server for each protocol, which a home knows."""
    await anyio.Path(home).mkdir(exist_ok=True)
    async with AsyncExitStack() as stack:
        servers: dict[str, HttpServer] = {
            "anthropic": await stack.enter_async_context(AnthropicServer()),
            "openai": await stack.enter_async_context(ResponsesServer()),
            "google": await stack.enter_async_context(GeminiServer()),
            "ollama": await stack.enter_async_context(ChatServer(flavour="ollama")),
        }
        urls = {name: {"url": server.url + PATHS[name]} for name, server in servers.items()}
        (home / "models.json").write_text(json.dumps({"providers": urls}), encoding="utf-8")
        save_keys(Home(home), {name: Secret(KEY) for name in KEYS})
        yield servers


@asynccontextmanager
async def at_desk(tmp_path: Path, servers: dict[str, HttpServer]) -> AsyncGenerator[Desk]:
    """A desk for the length of the block. The next one on the same path is after a restart."""
    home, folder = Home(tmp_path / "home"), tmp_path / "folder"
    if not folder.exists():
        folder.mkdir()
        (folder / "a.md").write_text(TEXT, encoding="utf-8")
    if not home.database_file.exists():
        await to_thread.run_sync(lay_store, home.database_file)
    clock = SystemClock()
    ids = SystemIds(clock)
    async with open_services(home, Settings(), folder, clock, ids) as working:
        project = await working.projects.current()
        yield Desk(working, project.id, servers, home, folder)
