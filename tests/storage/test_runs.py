import pytest

from recto.storage import AlreadyExists, NotFound, Run, RunEvent, Storage
from tests.storage.conftest import add_chat

pytestmark = pytest.mark.anyio


async def test_a_run_is_followed_from_any_event(storage: Storage) -> None:
    async with storage.write() as write:
        await add_chat(storage, write)
        started = await storage.runs.start(write, id="r1", chat_id="c1")
    async with storage.write() as write:
        await storage.runs.append(write, "r1", [("text", {"text": "He"}), ("text", {"text": "y"})])
    async with storage.write() as write:
        last = await storage.runs.append(write, "r1", [("finished", {"reason": "stop"})])

    assert started == Run("r1", "c1", "running", 1_000_000)
    assert last == (RunEvent("r1", 3, "finished", {"reason": "stop"}, 1_000_000),)
    assert await storage.runs.events("r1", 1) == (
        RunEvent("r1", 2, "text", {"text": "y"}, 1_000_000),
        *last,
    )
    assert [event.seq for event in await storage.runs.events("r1", limit=2)] == [1, 2]


async def test_nothing_to_append_appends_nothing(storage: Storage) -> None:
    async with storage.write() as write:
        await add_chat(storage, write)
        await storage.runs.start(write, id="r1", chat_id="c1")
        assert await storage.runs.append(write, "r1", []) == ()


async def test_runs_that_did_not_end_are_found(storage: Storage) -> None:
    async with storage.write() as write:
        await add_chat(storage, write)
        for run in ("r1", "r2"):
            await storage.runs.start(write, id=run, chat_id="c1")
        await storage.runs.end(write, "r1", "finished")

    assert await storage.runs.running() == (Run("r2", "c1", "running", 1_000_000),)
    assert await storage.runs.get("r1") == Run("r1", "c1", "finished", 1_000_000)


async def test_a_run_starts_once_in_a_chat_that_is_there(storage: Storage) -> None:
    with pytest.raises(NotFound, match="There is no chat c1"):
        async with storage.write() as write:
            await storage.runs.start(write, id="r1", chat_id="c1")
    async with storage.write() as write:
        await add_chat(storage, write)
        await storage.runs.start(write, id="r1", chat_id="c1")
    with pytest.raises(AlreadyExists):
        async with storage.write() as write:
            await storage.runs.start(write, id="r1", chat_id="c1")


async def test_an_unknown_run_is_not_found(storage: Storage) -> None:
    async with storage.write() as write:
        with pytest.raises(NotFound):
            await storage.runs.append(write, "r1", [("text", {})])
        with pytest.raises(NotFound):
            await storage.runs.end(write, "r1", "failed")
