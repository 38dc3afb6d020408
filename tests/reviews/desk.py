"""A desk: a folder, a chat whose model edits files in it, and a person who reviews that."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from recto.config import Home, Secret, Settings, save_keys
from tests.chats.undoing.work import work
from tests.fakes.providers import AnthropicServer, Step, calls
from tests.served import Served, point_anthropic_at, served
from tests.talk import Talk, talking

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Desk:
    """Everything that a person has before them."""

    recto: Served
    talk: Talk
    upstream: AnthropicServer
    folder: Path

    def put(self, name: str, content: str | bytes) -> None:
        """Put a file into the folder."""
        file = self.folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content.encode() if isinstance(content, str) else content)

    def read(self, name: str) -> str:
        """The text of a file."""
        return (self.folder / name).read_bytes().decode()

    async def work(self, *steps: tuple[Step, ...]) -> str:
        """Have the model make calls, step by step; the turn's id."""
        return await work(self.talk, self.upstream, *steps)

    async def edit(self, name: str, old: str, new: str) -> str:
        """Have the model edit a file; the turn's id."""
        return await self.work((edit(name, old, new),))

    async def get(self, where: str, status: int = 200, **query: str) -> Any:
        """What the API answers."""
        answer = await self.talk.client.get(f"/api/v1/{where}", params=query)
        assert answer.status_code == status, answer.text
        is_json = "json" in answer.headers.get("content-type", "")
        return answer.json() if is_json else answer.text

    async def of_project(self, where: str, status: int = 200, **query: str) -> Any:
        """What the API answers about the project."""
        return await self.get(f"projects/{self.talk.project_id}/{where}", status, **query)

    async def post(self, path: str, body: Json | None = None, status: int = 200) -> Any:
        """Do something."""
        answer = await self.talk.client.post(f"/api/v1/{path}", json=body)
        assert answer.status_code == status, answer.text
        return answer.json() if answer.content else None

    async def reviews(self) -> dict[str, Json]:
        """What waits, by path."""
        return {item["path"]: item for item in (await self.of_project("reviews"))["items"]}

    async def hunks(self, name: str) -> list[Json]:
        """The hunks that wait in a file."""
        review = (await self.reviews())[name]
        return (await self.get(f"reviews/{review['id']}"))["hunks"]

    async def decide(
        self, name: str, verdict: str, hunks: list[str] | None = None, status: int = 200
    ) -> Any:
        """Accept or reject what waits in a file."""
        review = (await self.reviews())[name]
        body = None if hunks is None else {"hunks": hunks}
        return await self.post(f"reviews/{review['id']}/{verdict}", body, status)

    async def decide_all(self, verdict: str) -> list[Json]:
        """Accept or reject everything."""
        path = f"projects/{self.talk.project_id}/reviews/{verdict}"
        return (await self.post(path))["items"]

    async def statuses(self, name: str) -> list[str]:
        """What became of each edit of a file, the newest first."""
        return [item["status"] for item in (await self.of_project("versions", path=name))["items"]]


def edit(name: str, old: str, new: str) -> Step:
    """A call that edits a file."""
    return calls("edit_file", {"path": name, "old_string": old, "new_string": new})


def create(name: str, content: str) -> Step:
    """A call that makes a file."""
    return calls("create_file", {"path": name, "content": content})


@asynccontextmanager
async def at_desk(
    upstream: AnthropicServer, tmp_path: Path, settings: Settings | None = None
) -> AsyncGenerator[Desk]:
    """A desk for the length of the block. The next one on the same path is after a restart."""
    home = tmp_path / "home"
    point_anthropic_at(home, upstream.url)
    save_keys(Home(home), {"ANTHROPIC_API_KEY": Secret("test-key")})
    folder = tmp_path / "folder"
    folder.mkdir(exist_ok=True)
    async with served(home, folder, settings) as recto, talking(recto) as talk:
        yield Desk(recto, talk, upstream, folder)
