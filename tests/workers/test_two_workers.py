"""What one worker does is seen at the other, and done once."""

import anyio
import pytest

from recto.chats.prompts.turn_input import TurnInput, body_of
from recto.storage import Storage
from tests.fakes import FakeClock
from tests.fakes.providers import Fault, Gate, says
from tests.server.test_events import following
from tests.talk import Talk, ended, of_kind, texts
from tests.workers.conftest import Workers

pytestmark = pytest.mark.anyio

LEFT = "0" * 26
UP_TO_THE_FIRST_WORDS = 3
"""Frames of the provider: the message, the block, some words."""


async def test_a_change_at_one_worker_reaches_the_stream_of_the_other(workers: Workers) -> None:
    one, two = workers.clients
    async with following(two) as stream:
        answer = await one.post(
            f"/api/v1/projects/{workers.project_id}/chats", json={"title": "Seen by both"}
        )
        event, _, told = await stream.must_next()

    chat_id = answer.json()["id"]
    assert (event, told["kind"], told["id"], told["action"]) == (
        "change",
        "chat",
        chat_id,
        "created",
    )
    assert (await two.get(f"/api/v1/chats/{chat_id}")).status_code == 200


async def test_a_turn_at_one_worker_is_heard_piece_by_piece_at_the_other(workers: Workers) -> None:
    here, there = await workers.talks()
    gate = Gate()
    workers.upstream.answer(says("The tide ", "turns."), fault=Fault(drip=True, gate=gate))
    turn = await here.say("Go on.")
    gate.step(UP_TO_THE_FIRST_WORDS)
    # The words are heard while the turn runs, in a process that does not run it.
    assert (await there.until(of_kind("text")))["text"] == "The tide "
    assert [item["state"] for item in (await there.view())["turns"]] == ["running"]
    gate.open()
    await there.until(ended(turn))

    assert [item["seq"] for item in there.heard] == sorted({item["seq"] for item in there.heard})
    assert texts(await there.entries()) == ["The tide turns."]


async def test_a_worker_that_starts_leaves_the_turns_of_others_alone(workers: Workers) -> None:
    here, there = await workers.talks()
    gate = Gate()
    workers.upstream.answer(says("Still here."), fault=Fault(hold_headers=True, gate=gate))
    turn = await here.say("Wait for me.")
    await gate.arrived.wait()
    async with workers.one_more() as client:
        third = Talk(client, workers.project_id, here.chat_id)
        assert [(item["id"], item["state"]) for item in (await third.view())["turns"]] == [
            (turn, "running")
        ]
        gate.open()
        end = await third.until(ended(turn))

    assert end["state"] == "finished"
    assert texts(await there.entries()) == ["Still here."]
    assert await there.entries("notice") == []


async def test_what_is_said_at_both_runs_once_and_one_after_the_other(workers: Workers) -> None:
    talks = await workers.talks()
    sent = len(workers.upstream.exchanges)
    gates = [Gate() for _ in range(4)]
    for number, gate in enumerate(gates):
        workers.upstream.answer(says(f"{number}."), fault=Fault(hold_headers=True, gate=gate))
    turns: list[str] = []

    async def say(talk: Talk, words: str) -> None:
        turns.append(await talk.say(words))

    with anyio.fail_after(60):
        async with anyio.create_task_group() as group:
            for number in range(4):
                group.start_soon(say, talks[number % 2], f"Words {number}")
        for number, gate in enumerate(gates):
            await gate.arrived.wait()
            # The others wait: there is one request at a time, whichever worker makes it.
            assert len(workers.upstream.exchanges) == sent + number + 1
            states = [turn["state"] for turn in (await talks[0].view())["turns"]]
            assert states == ["running", *["queued"] * (3 - number)]
            gate.open()
        for turn in turns:
            await talks[1].until(ended(turn))

    entries = await talks[1].entries()
    assert [entry["kind"] for entry in entries] == ["user", "assistant"] * 4
    assert texts(entries) == ["0.", "1.", "2.", "3."]
    assert len(workers.upstream.exchanges) == sent + 4


async def test_a_turn_is_stopped_through_the_other_worker(workers: Workers) -> None:
    here, there = await workers.talks()
    gate = Gate()
    workers.upstream.answer(says("Never ", "ends"), fault=Fault(drip=True, gate=gate))
    turn = await here.say("Go on.")
    gate.step(UP_TO_THE_FIRST_WORDS)
    await there.until(of_kind("text"))
    await there.post(f"/api/v1/turns/{turn}/cancel", status=204)
    end = await there.until(ended(turn))

    assert end["state"] == "cancelled"
    assert texts(await here.entries()) == ["Never "]


async def test_what_a_worker_that_died_left_behind_stands_in_nobodys_way(
    workers: Workers,
) -> None:
    here, there = await workers.talks()
    dead = await Storage.open(workers.database, clock=FakeClock())
    async with dead.write() as write:
        body = body_of(TurnInput("Left."))
        await dead.runs.add(write, id=LEFT, chat_id=here.chat_id, state="running", body=body)
    assert [turn["id"] for turn in (await there.view())["turns"]] == [LEFT]
    await dead.close()
    workers.upstream.answer(says("I go on."))
    await there.ask("Anybody there?")

    entries = await here.entries()
    assert [entry["kind"] for entry in entries] == ["notice", "user", "assistant"]
    assert entries[0]["reason"] == "interrupted"
    assert (await here.view())["turns"] == []
