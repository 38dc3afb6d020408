"""What a real kernel knows of code that is being written."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import pytest

from recto.clock import SystemClock, SystemIds
from recto.notebooks import CellOutputs, Displays, completions_of, help_of
from recto.notebooks.kernels.kernel import Kernel
from recto.notebooks.kernels.kernels import Kernels
from recto.supervisor import Supervisor
from tests.notebooks.places import kernel_home

pytestmark = pytest.mark.anyio
ANOTHER = """
from ipykernel.ipkernel import IPythonKernel
def answer(self, code, cursor_pos):
    return {reply}
IPythonKernel.do_complete = answer
"""


@pytest.fixture(autouse=True)
def home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    kernel_home(tmp_path_factory, monkeypatch)


@asynccontextmanager
async def started(folder: Path) -> AsyncGenerator[Kernel]:
    clock = SystemClock()
    async with anyio.create_task_group() as tasks:
        kernels = Kernels(Supervisor(tasks, clock.monotonic), SystemIds(clock))
        yield await kernels.get("/n.ipynb", folder=str(folder), cwd=str(folder), wanted="python3")
        tasks.cancel_scope.cancel()


async def run(kernel: Kernel, code: str) -> None:
    await kernel.execute(code, CellOutputs(Displays()), timeout_s=None)


async def test_names_go_on_and_are_explained_and_a_busy_kernel_is_not_waited_for(
    tmp_path: Path,
) -> None:
    (tmp_path / "levels.csv").touch()
    async with started(tmp_path) as kernel:
        await run(kernel, "def tide(hours):\n    'How high the water is.'\ntides = [1]")
        code = "x = '😀'\ny = ti + 1"
        found = await completions_of(kernel, code, code.index(" + 1"))
        assert code[found.start : found.end] == "ti"
        named = {item.text: item.type for item in found.items}
        assert named["tide"] == "function"
        assert "tides" in named
        assert (await completions_of(kernel, "tides.app", 9)).items[0].text == "append"
        files = (await completions_of(kernel, "open('lev", 9)).items
        assert any("levels.csv" in item.text for item in files)
        assert any("time" in item.text for item in (await completions_of(kernel, "%ti", 3)).items)
        assert "How high the water is." in await help_of(kernel, "tide(2)", 5)
        assert await help_of(kernel, "unheard", 7) == ""

        async with anyio.create_task_group() as tasks:
            begun = anyio.Event()

            async def tell(_words: str) -> None:
                begun.set()

            async def block() -> None:
                endless = "import time\nprint(1)\nwhile True: time.sleep(0.01)"
                outputs = CellOutputs(Displays())
                await kernel.execute(endless, outputs, timeout_s=None, tell=tell)

            tasks.start_soon(block)
            await begun.wait()
            assert (await completions_of(kernel, "ti", 2)).items == ()
            assert await help_of(kernel, "tide", 4) == ""
            await kernel.interrupt()
        # Asking left no trace: neither in the outputs, nor in the numbers of the runs.
        outputs = CellOutputs(Displays())
        await kernel.execute("len(In), tide", outputs, timeout_s=None)
        assert outputs.execution_count == 3


@pytest.mark.parametrize(
    "reply",
    [
        {"status": "error"},
        {"status": "ok", "matches": ["a"], "cursor_start": 5, "cursor_end": 2},
        {"status": "ok", "matches": ["a"], "cursor_start": 0, "cursor_end": 99},
        {"status": "ok", "matches": 1, "cursor_start": 0, "cursor_end": 1, "metadata": 2},
        {"status": "ok", "matches": [3, None], "cursor_start": 0, "cursor_end": 1},
    ],
)
async def test_a_kernel_that_answers_oddly_offers_nothing(
    reply: dict[str, object], tmp_path: Path
) -> None:
    async with started(tmp_path) as kernel:
        await run(kernel, ANOTHER.format(reply=reply))
        assert (await completions_of(kernel, "ti", 2)).items == ()
