"""A turn that another worker took for abandoned although its own lives: it ends once, there."""

from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing, asynccontextmanager
from pathlib import Path

import anyio
import pytest
from anyio.abc import TaskGroup

from recto.app import AppServices, open_services
from recto.chats import Notice, User, UserMessage
from recto.chats.prompts.turn_input import TurnInput, body_of
from recto.chats.turns import recovery
from recto.clock import SystemClock, SystemIds
from recto.config import Home, Secret, Settings, StorageSettings, save_keys
from recto.storage import Storage
from recto.supervisor import Supervisor, Work
from tests.fakes import FakeClock
from tests.fakes.providers import AnthropicServer, Fault, Gate, calls, says
from tests.served import point_anthropic_at
from tests.storage.conftest import run_sql
from tests.talk import MODEL

pytestmark = pytest.mark.anyio

NOBODYS = 999_999_999
"""The number of a worker that never was."""


class NotingSupervisor(Supervisor):
    """Tells when a turn's task has ended."""

    def __init__(self, tasks: TaskGroup, monotonic: Callable[[], float]) -> None:
        super().__init__(tasks, monotonic)
        self.turn_ended = anyio.Event()

    async def attempt(self, name: str, work: Work) -> None:
        await super().attempt(name, work)
        if name == "turn":
            self.turn_ended.set()


@asynccontextmanager
async def worker(
    place: Path, name: str, database: str, upstream: AnthropicServer
) -> AsyncGenerator[tuple[AppServices, NotingSupervisor]]:
    home, clock = place / name, SystemClock()
    point_anthropic_at(home, upstream.url)
    save_keys(Home(home), {"ANTHROPIC_API_KEY": Secret("test-key")})
    settings = Settings(storage=StorageSettings(url=database))
    made: list[NotingSupervisor] = []

    def supervise(tasks: TaskGroup, monotonic: Callable[[], float]) -> Supervisor:
        made.append(NotingSupervisor(tasks, monotonic))
        return made[0]

    opening = open_services(
        Home(home), settings, place / "folder", clock, SystemIds(clock), supervise=supervise
    )
    async with opening as working:
        yield working, made[0]


async def until_said(working: AppServices, chat_id: str, words: str) -> None:
    """Wait until a chat's log has some words."""
    async with aclosing(working.chats.follow(chat_id, 0)) as events:
        async for told in events:
            if told.event.body.get("text") == words:
                return


async def test_a_turn_that_was_taken_away_does_and_tells_nothing_more(
    tmp_path: Path, database: str
) -> None:
    (tmp_path / "folder").mkdir()
    gate = Gate()
    async with (
        AnthropicServer() as upstream,
        worker(tmp_path, "one", database, upstream) as (one, supervisor),
        worker(tmp_path, "two", database, upstream) as (two, _),
    ):
        upstream.answer(
            says("I ", "write."),
            calls("write_file", {"path": "a.md", "content": "written"}),
            fault=Fault(drip=True, gate=gate),
        )
        upstream.answer(says("Done."))
        project = await one.projects.current()
        chat = await one.chats.create(project.id, "A talk")
        turn = await one.chats.say(chat.id, UserMessage("Write.", model=MODEL))
        with anyio.fail_after(60):
            gate.step(3)
            await until_said(two, chat.id, "I ")
            # What the other sees when the database has forgotten who lives.
            took = f"UPDATE runs SET worker = {NOBODYS} WHERE id = '{turn.turn_id}'"
            await run_sql(database, took)
            assert await two.chats.recover() == 1
            told = await two.storage.events.latest(chat.id)
            gate.open()
            await supervisor.turn_ended.wait()

        kinds = [type(entry.content) for entry in await two.chats.all_entries(chat.id)]
        assert kinds[0] is User
        assert kinds[-1] is Notice
        assert (await two.storage.runs.get(turn.turn_id)).state == "interrupted"
        assert await two.storage.events.latest(chat.id) == told
        assert not (tmp_path / "folder" / "a.md").exists()
        upstream.queue.clear()
        upstream.answer(says("Again."))
        again = await one.chats.say(chat.id, UserMessage("Go on.", model=MODEL))
        assert again.state == "running"
        with anyio.fail_after(60):
            await until_said(two, chat.id, "Again.")


async def test_what_a_worker_that_died_left_is_ended_by_one_that_lives(
    tmp_path: Path, database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without anybody asking for it."""
    monkeypatch.setattr(recovery, "LOOK_EVERY_S", 0.01)
    (tmp_path / "folder").mkdir()
    async with (
        AnthropicServer() as upstream,
        worker(tmp_path, "one", database, upstream) as (one, _),
    ):
        project = await one.projects.current()
        chat = await one.chats.create(project.id, "A talk")
        dead = await Storage.open(database, clock=FakeClock())
        async with dead.write() as write:
            body = body_of(TurnInput("Left."))
            await dead.runs.add(write, id="0" * 26, chat_id=chat.id, state="running", body=body)
        await dead.close()
        with anyio.fail_after(60):
            assert await next_turn_state(one, chat.id) == "interrupted"


async def next_turn_state(working: AppServices, chat_id: str) -> str:
    """What the first event about a turn says of it."""
    async with aclosing(working.chats.follow(chat_id, 0)) as events:
        async for told in events:
            if told.event.kind == "turn":
                return told.event.body["state"]
    raise AssertionError("a chat's log has no end")
