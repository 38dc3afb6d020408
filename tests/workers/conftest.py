"""Two Rectos with homes of their own on one database and one folder, and a scripted model."""

from collections.abc import AsyncGenerator, Generator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path

import httpx
import pytest

from recto.config import Home, Secret, Settings, StorageSettings, save_keys
from tests.fakes.providers import AnthropicServer
from tests.served import Served, point_anthropic_at, served
from tests.storage.server import running_server, url
from tests.talk import Talk, open_talk

numbers = count(1)


@dataclass(frozen=True, slots=True)
class Workers:
    """The workers, somebody at each, and what they share."""

    place: Path
    database: str
    upstream: AnthropicServer
    rectos: tuple[Served, ...]
    clients: tuple[httpx.AsyncClient, ...]
    project_id: str

    async def talks(self) -> list[Talk]:
        """A new chat, seen through each worker."""
        first = await open_talk(self.clients[0], self.project_id)
        others = [Talk(client, self.project_id, first.chat_id) for client in self.clients[1:]]
        return [first, *others]

    @asynccontextmanager
    async def one_more(self) -> AsyncGenerator[httpx.AsyncClient]:
        """Another worker that starts now."""
        home = self.place / f"home-{next(numbers)}"
        starting = worker(home, self.place / "folder", self.database, self.upstream)
        async with starting as more, more.script() as client:
            yield client


@asynccontextmanager
async def worker(
    home: Path, folder: Path, database: str, upstream: AnthropicServer
) -> AsyncGenerator[Served]:
    """One Recto on the database."""
    point_anthropic_at(home, upstream.url)
    save_keys(Home(home), {"ANTHROPIC_API_KEY": Secret("test-key")})
    settings = Settings(storage=StorageSettings(url=database))
    async with served(home, folder, settings) as recto:
        yield recto


@pytest.fixture(scope="module")
def database() -> Generator[str]:
    with running_server() as folder:
        yield url(folder)


@pytest.fixture(scope="module")
async def workers(
    database: str, tmp_path_factory: pytest.TempPathFactory
) -> AsyncGenerator[Workers]:
    place = tmp_path_factory.mktemp("workers")
    (place / "folder").mkdir()
    async with AsyncExitStack() as stack:
        upstream = await stack.enter_async_context(AnthropicServer())
        rectos = [
            await stack.enter_async_context(
                worker(place / name, place / "folder", database, upstream)
            )
            for name in ("one", "two")
        ]
        clients = [await stack.enter_async_context(recto.script()) for recto in rectos]
        project = (await clients[0].get("/api/v1/projects/current")).json()
        yield Workers(place, database, upstream, tuple(rectos), tuple(clients), project["id"])
