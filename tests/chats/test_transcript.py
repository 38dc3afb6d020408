"""What a turn writes down, and what comes first."""

from collections.abc import AsyncGenerator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import anyio
import pytest

from recto.chats.history.journal import ChatJournals
from recto.chats.turns.transcript import Transcript
from recto.storage import GroupedWrites, Storage, WriteTransaction
from tests.fakes import FakeClock
from tests.stores import open_empty

pytestmark = pytest.mark.anyio

CHAT, RUN = "c1", "r1"


@pytest.fixture
async def storage(tmp_path: Path) -> AsyncGenerator[Storage]:
    storage = await open_empty(tmp_path / "recto.db", clock=FakeClock())
    async with storage.write() as write:
        await storage.projects.add(write, id="p1", name="p1", path="/p1", settings={})
        await storage.chats.add(write, id=CHAT, project_id="p1", title="", meta={})
        await storage.runs.add(write, id=RUN, chat_id=CHAT, state="running", body={})
    yield storage
    await storage.close()


async def test_an_answers_first_word_is_written_before_the_cost_of_an_answer_that_is_over_at_once(
    storage: Storage,
) -> None:
    chat, run = await storage.chats.get(CHAT), await storage.runs.get(RUN)
    services = SimpleNamespace(journals=ChatJournals(storage))
    transcript = Transcript(cast(Any, services), chat, run)
    written: list[str] = []

    async def book(write: WriteTransaction) -> None:
        written.extend(event.kind for event in await storage.events.after(CHAT, within=write))

    with anyio.fail_after(120):
        async with anyio.create_task_group() as group:
            group.start_soon(transcript.keep_writing)
            await anyio.wait_all_tasks_blocked()
            await transcript.show("text", {"step": 1, "text": "Twice"})
            await GroupedWrites(storage).do(book)
            group.cancel_scope.cancel()

    assert written == ["text"]
