"""A person who talks to a model through a running Recto, and hears everything that happens."""

import json
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import anyio
import httpx

from recto.config import Home, Secret, Settings, save_keys
from tests.fakes.providers import AnthropicServer
from tests.served import Served, point_anthropic_at, served

MODEL = "anthropic/claude-sonnet-4-6"
Json = dict[str, Any]
ENDED = frozenset({"finished", "failed", "cancelled", "interrupted"})


@dataclass(slots=True)
class Talk:
    """One chat, seen by one watcher."""

    client: httpx.AsyncClient
    project_id: str
    chat_id: str
    heard: list[Json] = field(default_factory=list[Json])

    async def say(self, text: str, **more: Any) -> str:
        """Say something; answers the turn's id."""
        answer = await self.client.post(self.path("turns"), json={"text": text, **more})
        assert answer.status_code == 202, answer.text
        return answer.json()["turnId"]

    async def ask(self, text: str, **more: Any) -> list[Json]:
        """Say something and wait for the end of its turn; answers the entries since."""
        before = len(self.heard)
        turn = await self.say(text, **more)
        await self.until(ended(turn))
        return [item["entry"] for item in self.heard[before:] if item["kind"] == "entry"]

    async def until(self, is_it: Callable[[Json], bool]) -> Json:
        """Listen until something happens, which may have been heard before."""
        for event in self.heard:
            if is_it(event):
                return event
        after = self.heard[-1]["seq"] if self.heard else 0
        with anyio.fail_after(240):  # the built-in model may go on for long
            async for event in self.follow(after):
                self.heard.append(event)
                if is_it(event):
                    return event
        raise AssertionError("the stream ended")

    async def follow(self, after: int) -> AsyncGenerator[Json]:
        """The events of the chat after a number, for as long as somebody listens."""
        address = self.path("events")
        async with self.client.stream("GET", address, params={"after": after}) as answer:
            assert answer.status_code == 200
            async for line in answer.aiter_lines():
                if line.startswith("data: "):
                    yield json.loads(line.removeprefix("data: "))

    async def view(self) -> Json:
        """The chat as a page opens it."""
        answer = await self.client.get(self.path())
        assert answer.status_code == 200, answer.text
        return answer.json()

    async def entries(self, kind: str | None = None) -> list[Json]:
        """The entries that count, or those of a kind."""
        found = (await self.view())["entries"]
        return [item for item in found if kind in (None, item["kind"])]

    async def post(self, path: str, body: Json | None = None, *, status: int = 202) -> Any:
        """Do something else with the chat."""
        answer = await self.client.post(path, json=body or {})
        assert answer.status_code == status, answer.text
        return answer.json() if answer.content else None

    async def answer(self, approval: Json, answer: str) -> None:
        """Answer a tool that asks."""
        address = f"/api/v1/approvals/{approval['approvalId']}"
        await self.post(address, {"answer": answer}, status=204)

    async def another(self) -> "Talk":
        """Another chat in the same folder."""
        return await open_talk(self.client, self.project_id)

    @property
    def kept_at(self) -> str:
        """The address of the chat in its project."""
        return f"/api/v1/projects/{self.project_id}/chats/{self.chat_id}"

    def path(self, part: str = "") -> str:
        """The address of the chat, or of something of it."""
        return f"/api/v1/chats/{self.chat_id}" + (f"/{part}" if part else "")


def ended(turn_id: str) -> Callable[[Json], bool]:
    """Whether an event tells the end of a turn."""
    return lambda event: (
        event["kind"] == "turn" and event["turnId"] == turn_id and event["state"] in ENDED
    )


def of_kind(kind: str) -> Callable[[Json], bool]:
    """Whether an event is of a kind."""
    return lambda event: event["kind"] == kind


async def open_talk(client: httpx.AsyncClient, project_id: str, model: str = MODEL) -> Talk:
    """Begin a chat."""
    address = f"/api/v1/projects/{project_id}/chats"
    answer = await client.post(address, json={"model": model, "title": "A talk"})
    assert answer.status_code == 201, answer.text
    return Talk(client, project_id, answer.json()["id"])


@asynccontextmanager
async def talking(recto: Served) -> AsyncGenerator[Talk]:
    """A person at a Recto that runs."""
    async with recto.script() as client:
        project = (await client.get("/api/v1/projects/current")).json()
        yield await open_talk(client, project["id"])


@asynccontextmanager
async def talk_to(
    upstream: AnthropicServer, tmp_path: Path, settings: Settings | None = None
) -> AsyncGenerator[Talk]:
    """A person at a Recto of their own, on the folder `folder`, whose Anthropic is `upstream`."""
    home = tmp_path / "home"
    point_anthropic_at(home, upstream.url)
    save_keys(Home(home), {"ANTHROPIC_API_KEY": Secret("test-key")})
    async with served(home, tmp_path / "folder", settings) as recto, talking(recto) as talk:
        yield talk


def texts(entries: list[Json]) -> list[str]:
    """The words of answers."""
    return [
        "".join(block["text"] for block in entry["blocks"] if block["type"] == "text")
        for entry in entries
        if entry["kind"] == "assistant"
    ]
