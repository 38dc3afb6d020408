"""Work that a cancelled task began is finished, and the cancellation is heard then."""

import asyncio

import anyio
import anyio.lowlevel
import pytest

from recto.storage import finish_shielded

pytestmark = pytest.mark.anyio


class Work:
    """Something that takes until it is allowed to end."""

    def __init__(self) -> None:
        self.may_end = asyncio.Event()
        self.is_done = False

    async def run(self) -> str:
        await self.may_end.wait()
        self.is_done = True
        return "done"


async def test_what_nobody_cancels_gives_its_answer() -> None:
    work = Work()
    work.may_end.set()

    assert await finish_shielded(work.run()) == "done"


async def test_a_task_that_is_cancelled_again_and_again_waits_for_its_work() -> None:
    work = Work()
    caller = asyncio.create_task(finish_shielded(work.run()))
    for _ in range(3):
        await anyio.wait_all_tasks_blocked()
        caller.cancel()
    await anyio.wait_all_tasks_blocked()
    assert not caller.done()
    work.may_end.set()
    with pytest.raises(asyncio.CancelledError):
        await caller

    assert work.is_done


@pytest.mark.parametrize("is_before", [True, False])
async def test_a_scope_that_is_cancelled_is_heard_once_its_work_is_done(*, is_before: bool) -> None:
    work, scope, heard = Work(), anyio.CancelScope(), list[str]()

    async def call() -> None:
        with scope:
            await finish_shielded(work.run())
            heard.append("went on")
        heard.append("left")

    if is_before:
        scope.cancel()
    with anyio.fail_after(120):
        async with anyio.create_task_group() as group:
            group.start_soon(call)
            await anyio.wait_all_tasks_blocked()
            scope.cancel()
            await anyio.wait_all_tasks_blocked()
            assert heard == [], "the work is not done"
            work.may_end.set()

    assert work.is_done
    assert heard == ["left"]
    assert scope.cancelled_caught


async def test_a_failure_of_cancelled_work_is_told_with_the_cancellation() -> None:
    async def fail() -> None:
        await may_fail.wait()
        raise OSError("no")

    may_fail = asyncio.Event()
    caller = asyncio.create_task(finish_shielded(fail()))
    await anyio.wait_all_tasks_blocked()
    caller.cancel()
    await anyio.wait_all_tasks_blocked()
    may_fail.set()
    with pytest.raises(asyncio.CancelledError) as told:
        await caller

    assert isinstance(told.value.__cause__, OSError)


async def test_a_failure_is_not_lost_behind_a_scope_that_was_cancelled() -> None:
    async def fail() -> None:
        await may_fail.wait()
        raise OSError("no")

    may_fail, heard = asyncio.Event(), list[str]()
    with anyio.CancelScope() as scope:
        asyncio.get_running_loop().call_soon(scope.cancel)
        asyncio.get_running_loop().call_soon(may_fail.set)
        try:
            await finish_shielded(fail())
        except OSError as error:
            heard.append(str(error))
        await anyio.lowlevel.checkpoint()
        heard.append("went on")

    assert heard == ["no"], "and the scope at the next wait"
    assert scope.cancelled_caught
