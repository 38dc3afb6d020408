"""`recto replay`, as people run it, beside a Recto that runs."""

import json
from pathlib import Path

import anyio.to_thread
import pytest

from tests.chats.record.runs import MODELS, World, open_world
from tests.cli.recto import Command
from tests.fakes.providers import calls, says
from tests.talk import ended

pytestmark = pytest.mark.anyio


async def a_turn(world: World) -> str:
    server = world.servers["anthropic"]
    server.answer(calls("read_file", {"path": "a.md"}))
    server.answer(says("Done."))
    turn = await world.talk.say("Read.", model=MODELS["anthropic"])
    await world.talk.until(ended(turn))
    return turn


async def test_it_says_that_all_is_the_same(recto: Command, tmp_path: Path) -> None:
    async with open_world(tmp_path) as world:
        turn = await a_turn(world)
        plain = await anyio.to_thread.run_sync(recto.run, "replay", turn)
        script = await anyio.to_thread.run_sync(recto.run, "replay", turn, "--json")

    assert (plain.returncode, plain.stdout, plain.stderr) == (0, "identical: 2 steps\n", "")
    assert json.loads(script.stdout) == {
        "run_id": turn,
        "steps": 2,
        "difference": None,
        "ends_early": False,
        "identical": True,
    }


async def test_it_works_when_nothing_runs_and_names_the_first_difference(
    recto: Command, tmp_path: Path
) -> None:
    async with open_world(tmp_path) as world:
        turn = await a_turn(world)
    await world.change_events(
        turn,
        "call_ended",
        lambda body: json.loads(json.dumps(body).replace("Ebb and flow.", "Ebb and flaw.")),
    )

    outcome = await anyio.to_thread.run_sync(recto.run, "replay", turn)

    assert outcome.returncode == 1
    first, words, recorded, now = outcome.stdout.splitlines()
    assert first == "different: step 1: the answers of the tools"
    assert words.startswith("They differ from character ")
    assert ("flow" in recorded, "flaw" in now) == (True, True)


async def test_a_run_that_was_cut_off_says_so(recto: Command, tmp_path: Path) -> None:
    async with open_world(tmp_path) as world:
        turn = await a_turn(world)
    await world.cut_off(turn, after_kind="call_started")

    outcome = await anyio.to_thread.run_sync(recto.run, "replay", turn)

    assert (outcome.returncode, outcome.stdout) == (
        0,
        "identical: 1 step\nThe run did not come to its end. What there is of it was compared.\n",
    )


def test_an_unknown_run_is_refused_in_one_line(recto: Command) -> None:
    outcome = recto.run("replay", "nobody")

    assert (outcome.returncode, outcome.stdout) == (2, "")
    assert outcome.stderr.startswith("recto: There is no run nobody.")
    assert outcome.stderr.count("\n") == 1
