"""A turn runs in one worker, and people act on it through either, at random.

`RECTO_CROSSINGS` says how many turns.
"""

import os
import random

import anyio
import pytest

from tests.fakes.providers import Fault, Gate, calls, says
from tests.talk import Json, Talk, ended, of_kind
from tests.workers.conftest import Workers

pytestmark = pytest.mark.anyio

CROSSINGS = int(os.environ.get("RECTO_CROSSINGS", "8"))


async def test_an_answer_through_the_other_worker_reaches_the_turn(workers: Workers) -> None:
    here, there = await workers.talks()
    (workers.place / "folder" / "asked.md").write_text("Keep me?\n", encoding="utf-8")
    workers.upstream.answer(calls("delete_file", {"path": "asked.md"}))
    workers.upstream.answer(says("Gone."))
    turn = await here.say("Delete it.")
    asked = await there.until(of_kind("approval"))
    await there.answer(asked, "once")
    assert (await here.until(ended(turn)))["state"] == "finished"

    assert not (workers.place / "folder" / "asked.md").exists()
    late = await here.client.post(f"/api/v1/approvals/{asked['approvalId']}", json=ONCE)
    assert late.status_code == 409


async def test_a_turn_is_steered_through_the_other_worker(workers: Workers) -> None:
    here, there = await workers.talks()
    gate = Gate()
    workers.upstream.answer(calls("list_files", {}), fault=Fault(hold_headers=True, gate=gate))
    workers.upstream.answer(says("In French, then."))
    turn = await here.say("List the files.")
    await gate.arrived.wait()
    await there.post(f"/api/v1/turns/{turn}/steer", {"text": "In French, please."})
    gate.open()
    await there.until(ended(turn))

    kinds = [entry["kind"] for entry in await there.entries()]
    assert kinds == ["user", "assistant", "tool_results", "user", "assistant"]
    late = await there.client.post(f"/api/v1/turns/{turn}/steer", json={"text": "Too late."})
    assert late.status_code == 409


ONCE = {"answer": "once"}


class Turn:
    """One turn that asks, with what is said to it, behind it and about it."""

    def __init__(self, workers: Workers, talks: list[Talk], chance: random.Random) -> None:
        self.workers = workers
        self.talks = talks
        self.chance = chance
        self.queued: list[tuple[str, str]] = []
        self.steered: list[str] = []
        self.gate = Gate()

    @property
    def anyone(self) -> Talk:
        """Somebody at one of the workers."""
        return self.chance.choice(self.talks)

    async def begin(self, path: str) -> None:
        hold = Fault(hold_headers=True, gate=self.gate)
        self.workers.upstream.answer(calls("delete_file", {"path": path}), fault=hold)
        self.id = await self.anyone.say("Delete it.")
        await self.gate.arrived.wait()

    async def act(self, number: int) -> None:
        """Somebody queues, steers or takes back a message."""
        words, act = f"Words {number}", self.chance.choice(("queue", "queue", "steer", "remove"))
        if act == "queue":
            self.queued.append((await self.anyone.say(words), words))
        elif act == "steer":
            await self.anyone.post(f"/api/v1/turns/{self.id}/steer", {"text": words})
            self.steered.append(words)
        elif self.queued:
            taken, _ = self.queued.pop(self.chance.randrange(len(self.queued)))
            answers = [await talk.client.delete(f"/api/v1/turns/{taken}") for talk in self.talks]
            assert [answer.status_code for answer in answers] == [204, 409]

    async def answer(self) -> str:
        """Both answer at once, and one is heard."""
        asked = await self.anyone.until(of_kind("approval"))
        for number in range(1 + len(self.queued)):
            self.workers.upstream.answer(says(f"Answer {number}."))
        heard: dict[str, int] = {}

        async def say(talk: Talk, answer: str) -> None:
            address = f"/api/v1/approvals/{asked['approvalId']}"
            heard[answer] = (await talk.client.post(address, json={"answer": answer})).status_code

        async with anyio.create_task_group() as group:
            for talk, answer in zip(
                self.talks, self.chance.sample(("once", "deny"), 2), strict=True
            ):
                group.start_soon(say, talk, answer)
        assert sorted(heard.values()) == [204, 409]
        return min(heard, key=lambda answer: heard[answer])

    async def stop(self) -> None:
        await self.anyone.until(of_kind("approval"))
        await self.anyone.post(f"/api/v1/turns/{self.id}/cancel", status=204)

    async def end(self) -> list[Json]:
        """Everything has run; both see the same."""
        for turn in (self.id, *(turn for turn, _ in self.queued)):
            assert (await self.anyone.until(ended(turn)))["state"] == "finished"
        first, second = [await talk.entries() for talk in self.talks]
        assert first == second
        return first


@pytest.mark.parametrize("seed", range(2))
async def test_whoever_acts_through_whichever_worker_is_heard_once(
    workers: Workers, seed: int
) -> None:
    chance = random.Random(seed)
    for number in range(CROSSINGS // 2):
        turn = Turn(workers, await workers.talks(), chance)
        file = workers.place / "folder" / f"crossing-{seed}-{number}.md"
        file.write_text("Keep me?\n", encoding="utf-8")
        await turn.begin(file.name)
        for action in range(chance.randrange(5)):
            await turn.act(action)
        turn.gate.open()
        if chance.random() < 0.3:
            await is_stopped(turn)
            assert file.exists()
            continue
        answer = await turn.answer()
        entries = await turn.end()

        assert file.exists() == (answer == "deny")
        said = [entry["text"] for entry in entries if entry["kind"] == "user"]
        assert said == ["Delete it.", *turn.steered, *(words for _, words in turn.queued)]
        assert [entry["kind"] for entry in entries] == [
            *("user", "assistant", "tool_results", *["user"] * len(turn.steered), "assistant"),
            *("user", "assistant") * len(turn.queued),
        ]


async def is_stopped(turn: Turn) -> None:
    """The turn ends, and what waits keeps waiting until it is taken back."""
    await turn.stop()
    for talk in turn.talks:
        assert (await talk.until(ended(turn.id)))["state"] == "cancelled"
    waiting = [item["id"] for item in (await turn.anyone.view())["turns"]]
    assert {item for item, _ in turn.queued} <= set(waiting)
    assert len(waiting) == len(turn.queued) + len(turn.steered)
    for item in waiting:
        assert (await turn.anyone.client.delete(f"/api/v1/turns/{item}")).status_code == 204
