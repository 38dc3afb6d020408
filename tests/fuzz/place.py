"""Where the fuzzing happens: one Recto or several on the same records, with something of each kind.

Nothing of it leaves this computer: every provider stands at the address of a scripted one.
"""

import json
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

from recto.access.access import BUILTIN, GATEWAY, KNOWN
from recto.config import (
    Home,
    ResearchSettings,
    Secret,
    Settings,
    StorageSettings,
    save_keys,
)
from tests.fakes.providers import AnthropicServer, calls, says
from tests.served import served
from tests.talk import Talk, ended, open_talk

Json = dict[str, Any]
TEXT = "# Tides\n\nThe sea comes twice.\nThe moon stays where it is.\n"

SERVICES = [name for name in ResearchSettings.model_fields if name.endswith("_url")]
UNREACHABLE = ResearchSettings(**dict.fromkeys(SERVICES, "http://127.0.0.1:9"))
"""Nobody answers there: what is made up is looked up nowhere."""


@dataclass(slots=True)
class Place:
    """Who answers, and the ids of what is there, by the names that routes and bodies call them."""

    folder: Path
    clients: Sequence[httpx.AsyncClient]
    project_id: str
    chat_id: str = ""
    """The chat with the turn that changed a file."""
    ids: dict[str, list[str]] = field(default_factory=dict[str, list[str]])

    asked: int = 0

    def client(self) -> httpx.AsyncClient:
        """Each in its turn."""
        self.asked += 1
        return self.clients[self.asked % len(self.clients)]

    async def ask(self, method: str, path: str, body: Json | None = None) -> Any:
        """Do something that works."""
        answer = await self.client().request(method, f"/api/v1{path}", json=body)
        assert answer.is_success, answer.text
        return answer.json() if answer.content else None

    async def tag(self, path: str) -> str | None:
        """The version of what is there."""
        return (await self.client().get(path)).headers.get("etag")

    async def make(self, name: str) -> None:
        """Something new of a kind, so that there is always one that nobody deleted."""
        if name == "project_id":
            spare = self.folder.parent / f"spare-{self.asked}"
            spare.mkdir()
            made = await self.ask("POST", "/projects", {"path": str(spare)})
            self.note("spare_id", made["id"])
        else:
            path, body = NEW[name]
            made = await self.ask("POST", f"/projects/{self.project_id}{path}", body)
            self.note(name, made["id"])

    def note(self, name: str, *ids: str) -> None:
        """Remember what is there."""
        self.ids.setdefault(name, []).extend(ids)


NEW: Mapping[str, tuple[str, Json]] = {
    "chat_id": ("/chats", {"title": "A chat"}),
    "group_id": ("/chat-groups", {"name": "A group"}),
    "context_id": ("/contexts", {"name": "A context", "files": ["tides.md"]}),
    "skill_id": (
        "/skills",
        {"name": "A skill", "description": "Few words", "prompt": "Be brief.", "tools": []},
    ),
    "thread_id": (
        "/threads",
        {
            "passage": {"kind": "text", "path": "tides.md", "start": 0, "end": 7},
            "body": "Sure?",
        },
    ),
}


@asynccontextmanager
async def open_place(at: Path, *databases: str) -> AsyncGenerator[Place]:
    """One Recto for each database; "" is a file of its own."""
    folder = at / "folder"
    folder.mkdir()
    (folder / "tides.md").write_text(TEXT, encoding="utf-8")
    (folder / "data.bin").write_bytes(bytes(range(256)))
    async with AsyncExitStack() as stack:
        upstream = await stack.enter_async_context(AnthropicServer())
        clients: list[httpx.AsyncClient] = []
        for number, database in enumerate(databases):
            home = at / f"home-{number}"
            point_everyone_at(home, upstream.url)
            settings = Settings(storage=StorageSettings(url=database), research=UNREACHABLE)
            recto = await stack.enter_async_context(served(home, folder, settings))
            clients.append(await stack.enter_async_context(recto.script()))
        current = (await clients[0].get("/api/v1/projects/current")).json()
        place = Place(folder, clients, current["id"])
        place.note("project_id", current["id"])
        await furnish(place, upstream)
        yield place


def point_everyone_at(home: Path, url: str) -> None:
    """Let no provider be where it really is."""
    home.mkdir()
    providers = {name: {"url": url} for name in KNOWN if name not in (BUILTIN.id, GATEWAY.id)}
    (home / "models.json").write_text(json.dumps({"providers": providers}), encoding="utf-8")
    save_keys(Home(home), {"ANTHROPIC_API_KEY": Secret("test-key")})


async def furnish(place: Place, upstream: AnthropicServer) -> None:
    """Something of each kind, and a turn that changed a file."""
    for name in NEW:
        await place.make(name)
    talk = await open_talk(place.clients[0], place.project_id)
    upstream.answer(calls("create_file", {"path": "made.md", "content": "Ebb.\n"}))
    upstream.answer(says("Done."))
    turn = await talk.say("Make a note.")
    await talk.until(ended(turn))
    await note_all(place, talk, turn)


async def note_all(place: Place, talk: Talk, turn: str) -> None:
    """The ids of what a turn left."""
    place.chat_id = talk.chat_id
    place.note("chat_id", talk.chat_id)
    place.note("turn_id", turn)
    entries = await talk.entries()
    place.note("entry_id", *(entry["id"] for entry in entries))
    for entry in entries:
        place.note("call_id", *(item["callId"] for item in entry.get("results", ())))
    reviews = await place.ask("GET", f"/projects/{place.project_id}/reviews")
    place.note("review_id", *(item["id"] for item in reviews["items"]))
    client = place.clients[0]
    versions = await client.get(
        f"/api/v1/projects/{place.project_id}/versions", params={"path": "made.md"}
    )
    place.note("version_id", *(item["id"] for item in versions.json()["items"]))
