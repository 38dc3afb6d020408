"""Somebody who keeps chats and folders of chats, in projects of a running Recto."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

from recto.clock import SystemClock, SystemIds
from tests.fakes.providers import AnthropicServer
from tests.served import Served
from tests.talk import Talk

Json = dict[str, Any]
NOBODY = "0" * 26
ids = SystemIds(SystemClock())


@dataclass(frozen=True, slots=True)
class Shelf:
    """A Recto, the model behind it, and a script that uses it."""

    recto: Served
    model: AnthropicServer
    client: httpx.AsyncClient
    folders: Path

    async def project(self, **settings: Any) -> "Kept":
        """A project on a folder of its own."""
        folder = self.folders / ids.new()
        folder.mkdir()
        made = await self.client.post("/api/v1/projects", json={"path": str(folder)})
        kept = Kept(self.client, made.json()["id"], folder)
        if settings:
            body = {"name": "p", "settings": made.json()["settings"] | settings}
            await kept.ask("PUT", "", body, version=made.json()["version"])
        return kept


@dataclass(frozen=True, slots=True)
class Kept:
    """What is kept in one project."""

    client: httpx.AsyncClient
    id: str
    folder: Path

    async def ask(
        self,
        method: str,
        path: str,
        body: Json | None = None,
        *,
        status: int = 200,
        version: int | None = None,
        **more: Any,
    ) -> Any:
        """Ask for something of the project; the answer's JSON."""
        headers = {} if version is None else {"if-match": f'"{version}"'}
        answer = await self.client.request(
            method, f"/api/v1/projects/{self.id}{path}", json=body, headers=headers, **more
        )
        assert answer.status_code == status, answer.text
        return answer.json() if answer.content else None

    async def chat(self, title: str = "A chat", **more: Any) -> Json:
        return await self.ask("POST", "/chats", {"title": title, **more}, status=201)

    async def group(self, name: str, **more: Any) -> Json:
        return await self.ask("POST", "/chat-groups", {"name": name, **more}, status=201)

    async def context(self, name: str) -> str:
        made = await self.ask("POST", "/contexts", {"name": name, "files": []}, status=201)
        return made["id"]

    async def get(self, chat_id: str) -> Json:
        return await self.ask("GET", f"/chats/{chat_id}")

    async def change(self, chat: Json, *, status: int = 200, **values: Any) -> Json:
        """Have a chat be as it was seen, but for these values."""
        body = {name: chat[name] for name in CHANGEABLE} | values
        path = f"/chats/{chat['id']}"
        return await self.ask("PUT", path, body, version=chat["version"], status=status)

    async def regroup(self, group: Json, *, status: int = 200, **values: Any) -> Json:
        """Have a folder be as it was seen, but for these values."""
        body = {name: group[name] for name in GROUP_CHANGEABLE} | values
        path = f"/chat-groups/{group['id']}"
        return await self.ask("PUT", path, body, version=group["version"], status=status)

    async def chats(self) -> dict[str, Json]:
        """Every chat that the project shows, by its id."""
        items = (await self.ask("GET", "/chats", params={"limit": 1000}))["items"]
        return {item["id"]: item for item in items}

    async def groups(self) -> list[Json]:
        return (await self.ask("GET", "/chat-groups"))["items"]

    async def sync(self, *rows: Json) -> list[Json]:
        return (await self.ask("POST", "/chats/bulk-sync", {"chats": list(rows)}))["results"]

    async def sync_groups(self, *rows: Json) -> list[Json]:
        body = {"groups": list(rows)}
        return (await self.ask("POST", "/chat-groups/bulk-sync", body))["results"]

    def talk(self, chat_id: str) -> Talk:
        return Talk(self.client, self.id, chat_id)


CHANGEABLE = (
    "title",
    "model",
    "groupId",
    "contextIds",
    "skillIds",
    "additionalFiles",
    "additionalPrompt",
    "isGlobal",
    "projectId",
)
GROUP_CHANGEABLE = ("name", "color", "parentId", "defaultContextIds", "defaultSkillIds")


def row(chat_id: str, version: int | None = 1, at: int = 1000, **more: Any) -> Json:
    """A chat as a client has it."""
    found = {"id": chat_id, "title": "A row", "createdAt": 500, "lastActiveAt": at, **more}
    return found if version is None else {**found, "_version": version}


def said(text: str, role: str = "user", id: str | None = None, at: int = 700) -> Json:
    """A message as a client has it."""
    return {"id": id or ids.new(), "role": role, "text": text, "createdAt": at}


def group_row(group_id: str, version: int | None = 1, **more: Any) -> Json:
    """A folder as a client has it."""
    found = {"id": group_id, "name": "A folder", "createdAt": 500, **more}
    return found if version is None else {**found, "_version": version}


def outcomes(results: list[Json]) -> list[str]:
    return [result["outcome"] for result in results]
