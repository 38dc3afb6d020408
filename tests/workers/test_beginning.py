"""Two workers that begin a turn in one chat at the same moment: one begins, the other waits."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import pytest

from recto.app import AppServices, open_services
from recto.chats import UserMessage
from recto.clock import SystemClock, SystemIds
from recto.config import Home, Secret, Settings, StorageSettings, save_keys
from recto.storage import Storage
from tests.fakes.providers import AnthropicServer, Fault, Gate, says
from tests.served import point_anthropic_at
from tests.talk import MODEL

pytestmark = pytest.mark.anyio


class NotingIds(SystemIds):
    """Ids that tell when one is drawn: a turn draws its own once nobody was seen to run one."""

    def __init__(self, clock: SystemClock) -> None:
        super().__init__(clock)
        self.drawn = anyio.Event()

    def new(self) -> str:
        self.drawn.set()
        return super().new()


@asynccontextmanager
async def worker(
    place: Path, name: str, database: str, upstream: AnthropicServer
) -> AsyncGenerator[tuple[AppServices, NotingIds]]:
    home, clock = place / name, SystemClock()
    point_anthropic_at(home, upstream.url)
    save_keys(Home(home), {"ANTHROPIC_API_KEY": Secret("test-key")})
    settings = Settings(storage=StorageSettings(url=database))
    ids = NotingIds(clock)
    async with open_services(Home(home), settings, place / "folder", clock, ids) as working:
        yield working, ids


async def test_of_two_that_saw_nobody_run_a_turn_one_begins_and_the_other_waits(
    tmp_path: Path, database: str
) -> None:
    (tmp_path / "folder").mkdir()
    gate = Gate()
    states: list[str] = []
    async with (
        AnthropicServer() as upstream,
        worker(tmp_path, "one", database, upstream) as (one, one_ids),
        worker(tmp_path, "two", database, upstream) as (two, two_ids),
    ):
        for _ in range(2):
            upstream.answer(says("Here."), fault=Fault(hold_headers=True, gate=gate))
        project = await one.projects.current()
        chat = await one.chats.create(project.id, "A talk")
        third = await Storage.open(database, clock=SystemClock())

        async def say(working: AppServices, words: str) -> None:
            states.append((await working.chats.say(chat.id, UserMessage(words, model=MODEL))).state)

        with anyio.fail_after(60):
            # Nobody can write: both have looked, and neither has stored its turn.
            async with anyio.create_task_group() as group, third.write():
                for working, ids in ((one, one_ids), (two, two_ids)):
                    ids.drawn = anyio.Event()
                    group.start_soon(say, working, "Now.")
                    await ids.drawn.wait()
        running = await third.runs.with_state({"running"}, chat_id=chat.id)
        await third.close()
        gate.open()

    assert sorted(states) == ["queued", "running"]
    assert len(running) == 1
