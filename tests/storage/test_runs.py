import pytest

from recto.storage import ChatEvent, NewEvent, RecordExists, RecordNotFound, Run, Storage
from tests.storage.conftest import StepClock, add_chat

pytestmark = pytest.mark.anyio


async def test_the_events_of_a_chat_are_followed_from_any_number(storage: Storage) -> None:
    async with storage.write() as write:
        await add_chat(storage, write)
        pieces = [NewEvent("text", {"text": item}, "r1") for item in ("He", "y")]
        await storage.events.append(write, "c1", pieces)
    async with storage.write() as write:
        last = await storage.events.append(write, "c1", [NewEvent("title", {"text": "Hey"})])

    assert last == (ChatEvent("c1", 3, None, "title", {"text": "Hey"}, 1_000_000),)
    assert await storage.events.after("c1", 1) == (
        ChatEvent("c1", 2, "r1", "text", {"text": "y"}, 1_000_000),
        *last,
    )
    assert [event.seq for event in await storage.events.after("c1", limit=2)] == [1, 2]
    assert [event.seq for event in await storage.events.of_run("r1")] == [1, 2]
    assert await storage.events.of_run("r1", {"title"}) == ()
    assert await storage.events.latest("c1") == 3


async def test_nothing_to_append_appends_nothing(storage: Storage) -> None:
    async with storage.write() as write:
        await add_chat(storage, write)
        assert await storage.events.append(write, "c1", []) == ()
    assert await storage.events.latest("c1") == 0


async def test_events_need_their_chat(storage: Storage) -> None:
    with pytest.raises(RecordNotFound, match="There is no chat c1"):
        async with storage.write() as write:
            await storage.events.append(write, "c1", [NewEvent("text", {})])


async def test_a_run_waits_begins_and_ends(storage: Storage, clock: StepClock) -> None:
    async with storage.write() as write:
        await add_chat(storage, write)
        added = await storage.runs.add(
            write, id="r1", chat_id="c1", state="queued", body={"text": "Hi"}
        )
    clock.ms += 5
    async with storage.write() as write:
        started = await storage.runs.start(write, "r1")
    async with storage.write() as write:
        await storage.runs.end(write, "r1", "finished")

    assert added == Run("r1", "c1", "queued", {"text": "Hi"}, 1_000_000, None)
    assert started == Run("r1", "c1", "running", {"text": "Hi"}, 1_000_000, None, 1)
    assert await storage.runs.get("r1") == Run(
        "r1", "c1", "finished", {"text": "Hi"}, 1_000_000, 1_000_005, 1
    )


async def test_what_begins_or_ends_to_run_in_a_chat_is_told_and_what_waits_is_not(
    storage: Storage,
) -> None:
    async with storage.write() as write:
        await add_chat(storage, write)
        await storage.runs.add(write, id="r1", chat_id="c1", state="running", body={})
        await storage.runs.add(write, id="r2", chat_id="c1", state="queued", body={})
    async with storage.write() as write:
        await storage.runs.end(write, "r1", "finished")
        await storage.runs.start(write, "r2")

    told = await storage.changes.after(0, limit=10)
    assert [(item.kind, item.resource_id) for item in told if item.kind == "turn"] == [
        ("turn", "c1")
    ] * 3


async def test_runs_that_did_not_end_are_found(storage: Storage) -> None:
    async with storage.write() as write:
        await add_chat(storage, write)
        await add_chat(storage, write, "c2")
        for run, chat in (("r1", "c1"), ("r2", "c1"), ("r3", "c2")):
            await storage.runs.add(write, id=run, chat_id=chat, state="running", body={})
        await storage.runs.end(write, "r1", "finished")

    running = await storage.runs.with_state({"running"})
    assert [run.id for run in running] == ["r2", "r3"]
    here = await storage.runs.with_state({"running", "finished"}, chat_id="c1")
    assert [run.id for run in here] == ["r1", "r2"]


async def test_a_run_is_added_once_in_a_chat_that_is_there(storage: Storage) -> None:
    with pytest.raises(RecordNotFound, match="There is no chat c1"):
        async with storage.write() as write:
            await storage.runs.add(write, id="r1", chat_id="c1", state="running", body={})
    async with storage.write() as write:
        await add_chat(storage, write)
        await storage.runs.add(write, id="r1", chat_id="c1", state="running", body={})
    with pytest.raises(RecordExists):
        async with storage.write() as write:
            await storage.runs.add(write, id="r1", chat_id="c1", state="running", body={})


async def test_an_unknown_run_is_not_found(storage: Storage) -> None:
    async with storage.write() as write:
        with pytest.raises(RecordNotFound):
            await storage.runs.start(write, "r1")
        with pytest.raises(RecordNotFound):
            await storage.runs.end(write, "r1", "failed")


async def test_the_runs_of_several_chats_are_read_at_once(storage: Storage) -> None:
    async with storage.write() as write:
        for chat in ("c1", "c2", "c3"):
            await add_chat(storage, write, chat)
        runs = [
            await storage.runs.add(write, id=name, chat_id=chat, state="queued", body={})
            for name, chat in (("r1", "c2"), ("r2", "c1"), ("r3", "c3"))
        ]

    assert await storage.runs.of_chats(["c1", "c2"]) == tuple(runs[:2])
    assert await storage.runs.of_chats([]) == ()
