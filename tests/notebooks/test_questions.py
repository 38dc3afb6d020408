"""The line that a running cell asks for."""

from typing import cast

import anyio
import pytest

from recto.notebooks.kernels.execution import InputRequest
from recto.notebooks.kernels.kernel import Kernel
from recto.notebooks.live.questions import InputQuestions

pytestmark = pytest.mark.anyio


class LivingKernel:
    """A kernel that does not end."""

    async def wait_until_over(self) -> None:
        await anyio.sleep_forever()


async def test_a_question_goes_when_whoever_ran_the_cell_is_stopped() -> None:
    told: list[bool] = []
    questions = InputQuestions(lambda: told.append(questions.view is not None))
    asked = anyio.Event()

    async def ask() -> None:
        async with anyio.create_task_group() as waiting:
            waiting.start_soon(until_asked)
            await questions.ask("c1", InputRequest("Name?", is_password=False), kernel)

    async def until_asked() -> None:
        asked.set()

    kernel = cast(Kernel, LivingKernel())
    async with anyio.create_task_group() as running:
        running.start_soon(ask)
        await asked.wait()
        assert questions.view is not None
        running.cancel_scope.cancel()
    assert questions.view is None
    assert told == [True, False]
    assert not questions.answer("c1", "Ada")
