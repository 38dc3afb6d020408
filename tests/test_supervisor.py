"""Background work that fails: begun again with growing pauses, reported, and nobody else's end."""

from collections.abc import Awaitable, Callable

import anyio
import anyio.lowlevel
import pytest

from recto.supervisor import LONGEST_PAUSE_S, STEADY_S, Supervisor, TaskHealth
from tests.fakes import FakeClock

pytestmark = pytest.mark.anyio


class Pauses:
    """Notes how long somebody would pause, and goes on at once."""

    def __init__(self) -> None:
        self.asked: list[float] = []

    async def __call__(self, seconds: float) -> None:
        self.asked.append(seconds)
        await anyio.lowlevel.checkpoint()


def failing(times: int, each: Callable[[], None] = lambda: None) -> Callable[[], Awaitable[None]]:
    """Work that fails a number of times and then comes to its end."""
    left = times

    async def work() -> None:
        nonlocal left
        each()
        if left:
            left -= 1
            raise OSError(9, "words of a document")

    return work


async def test_work_that_fails_begins_again_with_growing_pauses_until_it_is_done() -> None:
    pauses = Pauses()
    tasks = anyio.create_task_group()
    supervisor = Supervisor(tasks, FakeClock().monotonic, wait=pauses)
    async with tasks:
        supervisor.keep("feed", failing(12))

    assert pauses.asked == sorted(pauses.asked)
    assert pauses.asked[:4] == [0.1, 0.2, 0.4, 0.8]
    assert pauses.asked[-1] == LONGEST_PAUSE_S
    assert supervisor.health() == (TaskHealth("feed", "idle", 12, "OSError"),)


async def test_work_that_went_well_for_long_begins_again_soon() -> None:
    pauses, clock = Pauses(), FakeClock()

    def go_on_for_long() -> None:
        clock.pass_time(STEADY_S)

    async with anyio.create_task_group() as tasks:
        Supervisor(tasks, clock.monotonic, wait=pauses).keep("feed", failing(5, go_on_for_long))

    assert pauses.asked == [0.1] * 5


async def test_work_that_must_not_be_repeated_is_not() -> None:
    begun: list[None] = []
    tasks = anyio.create_task_group()
    supervisor = Supervisor(tasks, FakeClock().monotonic)
    async with tasks:
        supervisor.run_once("turn", failing(1, lambda: begun.append(None)))

    assert len(begun) == 1
    assert supervisor.health() == (TaskHealth("turn", "idle", 1, "OSError"),)


async def test_one_that_fails_does_not_touch_the_others_and_says_so() -> None:
    is_pausing, goes_on = anyio.Event(), anyio.Event()

    async def wait(_: float) -> None:
        is_pausing.set()
        await goes_on.wait()

    tasks = anyio.create_task_group()
    supervisor = Supervisor(tasks, FakeClock().monotonic, wait=wait)
    async with tasks:
        supervisor.keep("feed", failing(1))
        scope = supervisor.keep("notes", anyio.sleep_forever)
        await is_pausing.wait()
        assert supervisor.health() == (
            TaskHealth("feed", "pausing", 1, "OSError"),
            TaskHealth("notes", "running", 0, None),
        )
        goes_on.set()
        scope.cancel()

    assert [item.state for item in supervisor.health()] == ["idle", "idle"]
