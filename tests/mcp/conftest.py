"""A Recto with MCP servers of its own: programs without the SDK, quick to start."""

import json
import sys
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest

from tests.fakes.providers import AnthropicServer
from tests.talk import Json, Talk, talk_to

PROGRAM = Path(__file__).with_name("program.py")


def program(**options: Any) -> Json:
    """A server as mcp.json names it."""
    return {"command": sys.executable, "args": ["-I", str(PROGRAM), json.dumps(options)]}


def lay_servers(folder: Path, **servers: Json) -> None:
    """Name servers in mcp.json of a home, or of a folder's .recto."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "mcp.json").write_text(json.dumps({"mcpServers": servers}), encoding="utf-8")


class Servers:
    """The settings page of servers, for one project."""

    def __init__(self, talk: Talk) -> None:
        self.talk = talk
        self.address = f"/api/v1/projects/{talk.project_id}/mcp"

    async def list(self) -> list[Json]:
        answer = await self.talk.client.get(self.address)
        assert answer.status_code == 200, answer.text
        return answer.json()["items"]

    async def get(self, name: str) -> Json:
        return next(item for item in await self.list() if item["name"] == name)

    async def until(self, name: str, is_it: Callable[[Json], bool]) -> Json:
        """A server once it is as it should be: asked again whenever pages are told of a change."""
        events = "/api/v1/events"
        with anyio.fail_after(120):
            async with self.talk.client.stream("GET", events) as stream:
                lines = stream.aiter_lines()
                # From the greeting on nothing is missed.
                assert await anext(lines) == "event: hello"
                found = await self.get(name)
                while not is_it(found):
                    async for line in lines:
                        if '"mcp"' in line:
                            break
                    found = await self.get(name)
        return found

    async def ready(self, name: str) -> Json:
        return await self.until(name, lambda server: server["state"] == "ready")

    async def put(self, name: str, part: str, body: Json, *, status: int = 200) -> Json:
        server = await self.get(name)
        answer = await self.talk.client.put(f"{self.address}/{server['id']}{part}", json=body)
        assert answer.status_code == status, answer.text
        return answer.json()

    async def post(self, name: str, part: str, body: Json | None = None) -> Json:
        server = await self.get(name)
        answer = await self.talk.client.post(f"{self.address}/{server['id']}{part}", json=body)
        assert answer.status_code == 200, answer.text
        return answer.json()


@pytest.fixture
async def upstream() -> AsyncGenerator[AnthropicServer]:
    async with AnthropicServer() as server:
        yield server


@asynccontextmanager
async def talk_with(
    upstream: AnthropicServer, tmp_path: Path
) -> AsyncGenerator[tuple[Talk, Servers]]:
    """A person at a Recto whose servers are laid already."""
    async with talk_to(upstream, tmp_path) as talk:
        yield talk, Servers(talk)
