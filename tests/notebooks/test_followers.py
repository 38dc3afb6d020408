"""What pages are told of a notebook, and when."""

import math

import anyio
import pytest
from anyio.lowlevel import checkpoint

from recto.notebooks import CellOutputs, Displays
from recto.notebooks.live.followers import Message, NotebookFollower

pytestmark = pytest.mark.anyio


class Shown:
    """A notebook with one running cell."""

    def __init__(self) -> None:
        self.outputs = CellOutputs(Displays())

    def running_outputs(self, cell_id: str) -> CellOutputs | None:
        return self.outputs

    def cell_message(self, cell_id: str) -> Message:
        return {"type": "cell", "outputs": self.outputs.outputs()}

    def state_message(self) -> Message:
        return {"type": "state"}

    def whole_message(self) -> Message:
        return {"type": "notebook"}


async def test_that_a_cell_runs_goes_along_with_its_first_answer() -> None:
    shown = Shown()
    follower = NotebookFollower(shown, moment_s=math.inf)
    assert [said["type"] for said in await follower.news()] == ["notebook", "state"]
    told: list[list[Message]] = []

    async def listen() -> None:
        told.append(await follower.news())

    async with anyio.create_task_group() as tasks:
        follower.tell_state()
        follower.tell_cell("a", may_wait=True)
        tasks.start_soon(listen)
        for _ in range(3):
            await checkpoint()
        assert told == []
        shown.outputs.take("stream", {"name": "stdout", "text": "1\n"})
        follower.tell_cell("a", is_printed=True)
    [batch] = told
    assert [said["type"] for said in batch] == ["cell", "state"]
    assert batch[0]["outputs"][0]["text"] == "1\n"


async def test_what_nobody_looks_for_is_told_a_moment_later_all_the_same() -> None:
    follower = NotebookFollower(Shown(), moment_s=0)
    await follower.news()
    follower.tell_cell("a", may_wait=True)
    assert [said["type"] for said in await follower.news()] == ["cell"]
    follower.tell_state()
    assert [said["type"] for said in await follower.news()] == ["state"]


async def test_a_question_is_told_at_once_and_that_it_is_over_too() -> None:
    follower = NotebookFollower(Shown(), moment_s=math.inf)
    await follower.news()
    with anyio.fail_after(60):
        for _ in range(2):
            follower.tell_state(may_wait=False)
            assert [said["type"] for said in await follower.news()] == ["state"]
