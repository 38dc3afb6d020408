"""Everything that is needed to ask, against strict servers: real store, budget and transport."""

import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import anyio

from recto.access import OnMended
from recto.app import ModelServices, open_model_services, open_store
from recto.assist import FolderGuidance, OfferedSuggestion, Sources, Suggestions, SuggestionsDone
from recto.clock import SystemClock, SystemIds
from recto.config import Home, Settings
from recto.context import CursorPlace
from recto.messages import Finished, Request, StreamEvent
from recto.storage import RequestUsage, Storage
from tests.fakes.providers.serving import HttpServer

KEY_NAMES = {
    "anthropic": "ANTHROPIC_API_KEY",
    "google": "GEMINI_API_KEY",
    "openai": "OPENAI_API_KEY",
}


class World:
    """What can be asked, and the books."""

    def __init__(self, asking: ModelServices, storage: Storage) -> None:
        self.asking = asking
        self.storage = storage

    async def ask(
        self, model: str, request: Request, *, on_mended: OnMended | None = None
    ) -> list[StreamEvent]:
        """The events of an answer; its sources follow them."""
        questions = self.asking.questions
        events = questions.ask(
            questions.find(model), request, feature="ask", template="t/1", on_mended=on_mended
        )
        with anyio.fail_after(60):
            *told, sources = [event async for event in events]
        assert isinstance(sources, Sources)
        return [event for event in told if not isinstance(event, Sources)]

    async def end(self, model: str, request: Request) -> Finished:
        """The end of an answer, which is its only one."""
        ends = [item for item in await self.ask(model, request) if isinstance(item, Finished)]
        assert len(ends) == 1
        return ends[0]

    async def spends(self) -> list[RequestUsage]:
        """The ledger, oldest first; nothing may be held."""
        assert await self.storage.ledger.held() == ()
        return [row.spend for row in reversed((await self.storage.ledger.page()).items)]


class Ghost:
    """Suggestions in a project of their own."""

    def __init__(
        self, world: World, project_id: str, model: str, told: FolderGuidance | None
    ) -> None:
        self.project_id = project_id
        self._told = told
        self._clock = SystemClock()
        self.suggestions = Suggestions(
            world.asking.questions,
            world.storage,
            clock=self._clock,
            ids=SystemIds(self._clock),
            chosen=lambda: model,
            instructions=self._instructions,
        )

    async def _instructions(self, project_id: str, path: str) -> FolderGuidance | None:
        assert (project_id, path) == (self.project_id, "tide.md")
        return self._told

    async def ask(
        self, before: str, after: str = "", *, language: str = ""
    ) -> tuple[list[OfferedSuggestion], SuggestionsDone]:
        """All suggestions at a place, and the end."""
        around = CursorPlace("tide.md", before, after, language)
        with anyio.fail_after(60):
            events = await self.suggestions.ask(self.project_id, around)
            told = [event async for event in events]
        offered = [event for event in told if isinstance(event, OfferedSuggestion)]
        done = told[-1]
        assert isinstance(done, SuggestionsDone)
        assert len(told) == len(offered) + 1
        return offered, done


async def ghost(
    world: World, model: str = "", *, told: str | None = "", unanswered: tuple[str, ...] = ()
) -> Ghost:
    """Ask this model for suggestions, or the one that Recto chooses."""
    project_id = SystemIds(SystemClock()).new()
    async with world.storage.write() as write:
        await world.storage.projects.add(
            write, id=project_id, name="p", path=f"/{project_id}", settings={}
        )
    given = None if told is None else FolderGuidance(told, unanswered)
    return Ghost(world, project_id, model, given)


@asynccontextmanager
async def asking_at(
    home: Path, *, protocol: str | None = None, **servers: HttpServer
) -> AsyncGenerator[World]:
    """Ask these servers instead of the real providers; their keys are in the home."""
    await anyio.Path(home).mkdir()
    spoken = {} if protocol is None else {"protocol": protocol}
    providers = {
        name: {"url": server.url + ("/v1beta" if name == "google" else ""), **spoken}
        for name, server in servers.items()
    }
    keys = "".join(f"{KEY_NAMES[name]}=test-key\n" for name in servers if name in KEY_NAMES)
    await anyio.Path(home / "models.json").write_text(json.dumps({"providers": providers}))
    await anyio.Path(home / "keys.env").write_text(keys)
    await anyio.Path(home / "keys.env").chmod(0o600)
    clock = SystemClock()
    async with (
        open_store(Home(home), Settings(), clock) as storage,
        open_model_services(Home(home), Settings(), storage, clock, SystemIds(clock)) as asking,
    ):
        yield World(asking, storage)
