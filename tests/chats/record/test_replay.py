"""Replay: a turn run again from its record comes out the same, or says where it does not."""

import json
import os
import shutil
from collections.abc import AsyncGenerator
from pathlib import Path

import anyio
import pytest

from recto.app import trace_request
from recto.chats.record.recorded_run import NotReplayable
from recto.chats.turns.runner import TurnRunner
from recto.config import Settings
from recto.storage import RecordNotFound
from tests.chats.record.runs import MODELS, Body, World, open_world
from tests.chats.undoing.work import files_in, undo
from tests.fakes.providers import Fault, Gate, Step, calls, says, thinks
from tests.talk import ended, of_kind

pytestmark = pytest.mark.anyio

READ = calls("read_file", {"path": "a.md"})
LIST = calls("list_files", {"path": ""})
EDIT = calls("edit_file", {"path": "a.md", "old_string": "Ebb", "new_string": "Flood"})


@pytest.fixture
async def world(tmp_path: Path) -> AsyncGenerator[World]:
    async with open_world(tmp_path) as world:
        yield world


async def ask(world: World, name: str, *steps: tuple[Step, ...]) -> str:
    """A turn in which a provider answers with these steps; its id."""
    for step in steps:
        world.servers[name].answer(*step)
    turn = await world.talk.say("Go on.", model=MODELS[name], files=["a.md"])
    await world.talk.until(ended(turn))
    return turn


async def summarise(world: World, name: str) -> str:
    """Have the conversation summarised; the id of that turn."""
    path = world.talk.path("summary")
    turn = (await world.talk.post(path, {"model": MODELS[name]}))["turnId"]
    await world.talk.until(ended(turn))
    return turn


async def identical(world: World, turn: str, steps: int) -> None:
    replayed = await world.replay(turn)
    assert (replayed.difference, replayed.steps, replayed.ends_early) == (None, steps, False)


@pytest.mark.parametrize("name", MODELS)
async def test_thoughts_parallel_tools_a_steer_and_a_second_try_come_out_the_same(
    world: World, name: str
) -> None:
    server = world.servers[name]
    await ask(world, name, (says("Hello."),))
    gate = Gate()
    server.script(Fault(status=503))
    server.answer(
        thinks("Hm."), says("Looking."), READ, LIST, fault=Fault(hold_headers=True, gate=gate)
    )
    server.answer(thinks("So."), EDIT, calls("create_file", {"path": "b.md", "content": "x\n"}))
    server.answer(says("Done."))
    turn = await world.talk.say("Edit it.", model=MODELS[name], files=["a.md"])
    await gate.arrived.wait()
    await world.talk.post(f"/api/v1/turns/{turn}/steer", {"text": "And be quick."})
    gate.open()
    await world.talk.until(ended(turn))
    before = files_in(world.folder)
    assert before == {"a.md": "Flood and flow.\n", "b.md": "x\n"}

    await identical(world, turn, 3)

    assert files_in(world.folder) == before


async def test_an_answer_of_the_built_in_model_comes_out_the_same(world: World) -> None:
    models = (await world.talk.client.get("/api/v1/models")).json()["items"]
    (model,) = [item["id"] for item in models if item["provider"] == "builtin"]
    turn = await world.talk.say("Say hello.", model=model)
    await world.talk.until(ended(turn))

    await identical(world, turn, 1)

    def tamper(body: Body) -> Body:
        (one,) = body["tries"]
        answer = world.blob(one["answer"]).replace(b'"content": "', b'"content": "~', 1)
        return {**body, "tries": [{**one, "answer": world.keep(answer)}]}

    await world.change_events(turn, "exchange", tamper)
    found = (await world.replay(turn)).difference
    assert found is not None
    assert found.place == "step 1: the answer"


async def test_a_replay_needs_neither_the_folder_nor_the_provider(
    world: World, tmp_path: Path
) -> None:
    turn = await ask(world, "anthropic", (READ,), (EDIT,), (says("Done."),))
    asked = len(world.servers["anthropic"].exchanges)
    shutil.rmtree(world.folder)

    await identical(world, turn, 3)

    assert len(world.servers["anthropic"].exchanges) == asked


async def test_a_later_turn_of_a_long_chat_over_two_providers_comes_out_the_same(
    world: World,
) -> None:
    await ask(world, "anthropic", (thinks("Hm."), READ), (says("One."),))
    await ask(world, "openai", (thinks("Hm."), READ), (says("Two."),))
    third = await ask(world, "anthropic", (READ,), (says("Three."),))

    await identical(world, third, 2)


@pytest.mark.parametrize(
    "fault",
    [
        Fault(status=400),
        Fault(status=401),
        Fault(reset_after=400),
        Fault(eof_after=400),
        Fault(html=True),
    ],
    ids=["refused", "no key", "connection lost", "cut short", "a web page"],
)
async def test_a_turn_that_failed_fails_in_the_same_way(world: World, fault: Fault) -> None:
    server = world.servers["anthropic"]
    server.answer(says("Some words, and ", "some more words that take a while."), fault=fault)
    for _ in range(3):
        server.script(fault)
    turn = await world.talk.say("Go on.", model=MODELS["anthropic"])
    await world.talk.until(ended(turn))
    assert (await world.talk.entries("error")) != []

    await identical(world, turn, 1)


async def test_a_lost_connection_and_a_second_try_come_out_the_same(world: World) -> None:
    world.servers["anthropic"].script(Fault(reset=True))
    turn = await ask(world, "anthropic", (says("At last."),))

    await identical(world, turn, 1)


async def test_a_refused_call_is_refused_again(world: World) -> None:
    server = world.servers["anthropic"]
    server.answer(calls("delete_file", {"path": "a.md"}), READ)
    server.answer(says("Then not."))
    turn = await world.talk.say("Delete it.", model=MODELS["anthropic"])
    await world.talk.answer(await world.talk.until(of_kind("approval")), "deny")
    await world.talk.until(ended(turn))

    await identical(world, turn, 2)


async def test_a_request_that_had_to_be_mended_is_mended_again(world: World) -> None:
    refused = Fault(status=400, message="Invalid `signature` in `thinking` block")
    await ask(world, "anthropic", (thinks("Hm."), READ), (says("One."),))
    world.servers["anthropic"].script(refused)
    turn = await ask(world, "anthropic", (thinks("So."), READ), (says("Two."),))
    assert await world.talk.entries("error") == []

    await identical(world, turn, 2)

    after = await ask(world, "anthropic", (says("Three."),))
    await identical(world, after, 1)


async def test_a_turn_after_a_summary_a_pin_and_a_retry_comes_out_the_same(world: World) -> None:
    talk, server = world.talk, world.servers["anthropic"]
    await ask(world, "anthropic", (thinks("Hm."), READ), (says("One."),))
    first = (await talk.entries("user"))[0]
    await talk.client.put(talk.path(f"entries/{first['id']}/pin"), json={"pinned": True})
    server.answer(says("They spoke of the tide."))
    await summarise(world, "anthropic")
    await ask(world, "anthropic", (says("Two."),))
    server.answer(READ)
    server.answer(says("Three."))
    answer = (await talk.entries("assistant"))[-1]
    body = {"model": MODELS["anthropic"]}
    turn = (await talk.post(talk.path(f"entries/{answer['id']}/retry"), body))["turnId"]
    await talk.until(ended(turn))

    await identical(world, turn, 2)


@pytest.mark.parametrize("name", MODELS)
async def test_a_summary_comes_out_the_same_and_another_byte_of_it_is_found(
    world: World, name: str
) -> None:
    await ask(world, name, (READ,), (says("One."),))
    world.servers[name].answer(says("They spoke of the tide."))
    summary = await summarise(world, name)

    await identical(world, summary, 1)

    def tamper(body: Body) -> Body:
        (one,) = body["tries"]
        answer = world.blob(one["answer"]).replace(b"tide", b"time")
        return {**body, "tries": [{**one, "answer": world.keep(answer)}]}

    await world.change_events(summary, "exchange", tamper)
    found = (await world.replay(summary)).difference
    assert found is not None
    assert found.place == "step 1: the summary"


async def test_what_is_asked_for_as_a_turn_ends_waits_for_its_last_step(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked, work = anyio.Event(), TurnRunner.work

    async def linger(turn: TurnRunner) -> None:
        await work(turn)
        await asked.wait()

    monkeypatch.setattr(TurnRunner, "work", linger)
    await ask(world, "anthropic", (says("One."),))
    world.servers["anthropic"].answer(says("They spoke of the tide."))
    with anyio.fail_after(120):
        async with anyio.create_task_group() as group:
            group.start_soon(summarise, world, "anthropic")
            await anyio.wait_all_tasks_blocked()
            asked.set()


async def test_a_summary_that_failed_fails_in_the_same_way(world: World) -> None:
    await ask(world, "anthropic", (says("One."),))
    world.servers["anthropic"].script(Fault(status=400))
    summary = await summarise(world, "anthropic")

    await identical(world, summary, 1)


async def test_the_bytes_of_a_summary_can_be_traced(world: World) -> None:
    await ask(world, "anthropic", (says("One."),))
    server = world.servers["anthropic"]
    server.answer(says("They spoke of the tide."))
    summary = await summarise(world, "anthropic")
    (exchange,) = world.events(summary, "exchange")

    trace = await trace_request(world.home, Settings(), exchange["request_id"], os.environ)

    assert trace.run_id == summary
    assert trace.tries[0].request == server.exchanges[-1].incoming.body


async def test_a_turn_in_circles_ends_in_the_same_way(world: World) -> None:
    turn = await ask(world, "anthropic", (READ,), (READ,), (READ, LIST))
    assert (await world.talk.entries("notice"))[-1]["reason"] == "repeat"

    await identical(world, turn, 3)


async def test_an_answer_that_the_budget_shortened_comes_out_the_same(tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    limit = json.dumps({"monthlyLimitUsd": 0.2})
    (tmp_path / "home" / "budget.json").write_text(limit, encoding="utf-8")
    async with open_world(tmp_path) as world:
        turn = await ask(world, "anthropic", (says("Brief."),))
        sent = world.servers["anthropic"].last.json
        assert sent["max_tokens"] < 64_000

        await identical(world, turn, 1)


async def test_a_request_that_the_budget_refused_is_refused_again(tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    limit = json.dumps({"monthlyLimitUsd": 0.0001})
    (tmp_path / "home" / "budget.json").write_text(limit, encoding="utf-8")
    async with open_world(tmp_path) as world:
        turn = await ask(world, "anthropic")
        assert world.servers["anthropic"].exchanges == []

        await identical(world, turn, 1)


async def test_a_turn_that_was_stopped_is_replayed_up_to_there(world: World) -> None:
    server = world.servers["anthropic"]
    gate = Gate()
    server.answer(READ)
    server.answer(says("The tide ", "never ends"), fault=Fault(drip=True, gate=gate))
    turn = await world.talk.say("Go on.", model=MODELS["anthropic"])
    await gate.arrived.wait()
    gate.step(3)
    await world.talk.until(of_kind("text"))
    await world.talk.post(f"/api/v1/turns/{turn}/cancel", status=204)
    await world.talk.until(ended(turn))

    replayed = await world.replay(turn)

    assert (replayed.difference, replayed.steps, replayed.ends_early) == (None, 2, True)


@pytest.mark.parametrize("kind", ["exchange", "call_started", "call_ended"])
async def test_a_turn_that_a_crash_cut_off_is_replayed_up_to_there(world: World, kind: str) -> None:
    turn = await ask(world, "anthropic", (READ, LIST), (says("Done."),))
    await world.cut_off(turn, after_kind=kind)

    replayed = await world.replay(turn)

    assert (replayed.difference, replayed.ends_early) == (None, True)


async def test_one_other_byte_of_an_answer_is_found(world: World) -> None:
    turn = await ask(world, "anthropic", (says("The tide rises."), READ), (says("Done."),))

    def tamper(body: Body) -> Body:
        (one,) = body["tries"]
        answer = world.blob(one["answer"]).replace(b"The tide rises.", b"The tide rises!")
        return {**body, "tries": [{**one, "answer": world.keep(answer)}]}

    await world.change_events(turn, "exchange", tamper)
    found = (await world.replay(turn)).difference

    assert found is not None
    assert found.place == "step 1: the answer"
    assert ("rises." in found.recorded, "rises!" in found.now) == (True, True)


async def test_one_other_byte_of_what_a_tool_said_is_found(world: World) -> None:
    turn = await ask(world, "anthropic", (READ,), (says("Done."),))

    def tamper(body: Body) -> Body:
        return json.loads(json.dumps(body).replace("Ebb and flow.", "Ebb and flaw."))

    await world.change_events(turn, "call_ended", tamper)
    found = (await world.replay(turn)).difference

    assert found is not None
    assert found.place == "step 1: the answers of the tools"
    assert ("flow" in found.recorded, "flaw" in found.now) == (True, True)


async def test_what_a_turn_found_is_stored_before_anything_of_its_answer(world: World) -> None:
    await ask(world, "anthropic", (says("Hello."),))
    # In the second, nothing else is committed before the request.
    turn = await ask(world, "anthropic", (says("Done."),))

    kinds = [kind for kind in world.kinds(turn) if kind in {"turn", "setting", "text"}]
    assert kinds == ["turn", "setting", "text", "turn"]


async def test_one_other_byte_of_the_prompt_is_found(world: World) -> None:
    await ask(world, "anthropic", (says("Hello."),))
    turn = await ask(world, "anthropic", (says("Done."),))

    def tamper(body: Body) -> Body:
        snapshot = json.loads(world.blob(body["blob"]))
        snapshot["ground"]["system"]["text"] += "!"
        return {**body, "blob": world.keep(json.dumps(snapshot).encode())}

    await world.change_events(turn, "setting", tamper)
    found = (await world.replay(turn)).difference

    assert found is not None
    assert found.place == "step 1, request 1: its bytes"
    assert found.words.startswith("They differ from byte ")


async def test_other_arguments_than_a_tool_was_given_are_found(world: World) -> None:
    turn = await ask(world, "anthropic", (READ,), (says("Done."),))

    await world.change_events(
        turn, "call_started", lambda body: {**body, "arguments": {"path": "other.md"}}
    )
    found = (await world.replay(turn)).difference

    assert found is not None
    assert "what the tool was given" in found.place
    assert ("other.md" in found.recorded, "other.md" in found.now) == (True, False)


async def test_a_turn_whose_record_lacks_its_end_is_not_taken_for_whole(world: World) -> None:
    turn = await ask(world, "anthropic", (READ,), (says("Done."),))

    await world.cut_off(turn, after_kind="call_ended", state="finished")
    found = (await world.replay(turn)).difference

    assert found is not None
    assert found.words == "Now the turn goes on where the record has its end."


async def test_the_key_is_nowhere_in_the_record(world: World) -> None:
    await ask(world, "anthropic", (READ,), (says("Done."),))

    for file in ("recto.db", "recto.db-wal"):
        assert b"test-key" not in (world.home.folder / file).read_bytes()


async def test_what_can_not_be_replayed_says_why(world: World) -> None:
    turn = await ask(world, "anthropic", (EDIT,), (says("Done."),))
    undone = await undo(world.talk, turn)

    with pytest.raises(NotReplayable, match="This run asked no model"):
        await world.replay(undone["undoCallId"])
    with pytest.raises(RecordNotFound, match="There is no run nobody"):
        await world.replay("nobody")
