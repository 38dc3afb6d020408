"""A kernel of another language than Python: bash_kernel, as anybody installs it."""

import json
from pathlib import Path
from typing import Any

import anyio
import pytest

from recto.clock import SystemClock, SystemIds
from recto.notebooks import CellOutputs, CodeRunResult, Displays
from recto.notebooks.kernels.kernel import Kernel
from recto.notebooks.kernels.kernels import Kernels
from recto.supervisor import Supervisor
from tests.notebooks.places import kernel_home
from tests.notebooks.test_live import bench, watching

pytestmark = pytest.mark.anyio
SPEC = {"display_name": "Bash", "language": "bash", "name": "bash"}


@pytest.fixture(autouse=True)
def bash(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The kernelspec that bash_kernel installs."""
    kernel_home(tmp_path_factory, monkeypatch)
    folder = tmp_path / "jupyter" / "kernels" / "bash"
    folder.mkdir(parents=True)
    argv = ["python", "-m", "bash_kernel", "-f", "{connection_file}"]
    spec = {"argv": argv, "display_name": "Bash", "language": "bash", "env": {"PS1": "$"}}
    (folder / "kernel.json").write_text(json.dumps(spec), encoding="utf-8")
    monkeypatch.setenv("JUPYTER_PATH", str(tmp_path / "jupyter"))


async def test_a_shell_runs_keeps_its_variables_fails_and_is_interrupted(tmp_path: Path) -> None:
    clock = SystemClock()
    async with anyio.create_task_group() as tasks:
        kernels = Kernels(Supervisor(tasks, clock.monotonic), SystemIds(clock))
        folder = str(tmp_path)
        kernel = await kernels.get("/n", folder=folder, cwd=folder, wanted="bash")
        assert await run(kernel, "pwd; x=7") == (CodeRunResult("ok"), f"{folder}\n")
        result, text = await run(kernel, "echo $((x + 1)); ls missing 2>/dev/null")
        assert (result, text) == (CodeRunResult("error"), "8\n")
        result, _ = await run(kernel, "echo begun; sleep 1000", 1)
        assert result == CodeRunResult("timed_out")
        assert await run(kernel, "echo $x") == (CodeRunResult("ok"), "7\n")
        await kernels.shut_down("/n")
        tasks.cancel_scope.cancel()


async def run(
    kernel: Kernel, code: str, timeout_s: float | None = None
) -> tuple[CodeRunResult, str]:
    outputs = CellOutputs(Displays())
    result = await kernel.execute(code, outputs, timeout_s=timeout_s)
    return result, "".join(output.get("text", "") for output in outputs.outputs())


def notebook(*sources: str) -> bytes:
    cells: list[dict[str, Any]] = [
        {
            "cell_type": "code",
            "execution_count": None,
            "id": f"c{number}",
            "metadata": {},
            "outputs": [],
            "source": source.splitlines(keepends=True),
        }
        for number, source in enumerate(sources)
    ]
    found: dict[str, Any] = {"cells": cells, "nbformat": 4, "nbformat_minor": 5}
    found["metadata"] = {"kernelspec": SPEC}
    return json.dumps(found, indent=1).encode() + b"\n"


async def test_a_notebook_of_another_language_runs_and_its_cells_are_stale_by_their_place(
    tmp_path: Path,
) -> None:
    data = notebook("x=1", "echo $x", "leave() { return 3; }\nleave")
    async with bench(tmp_path, data) as one, watching(one) as (live, page):
        assert live.whole_message()["language"] == "bash"
        live.run(None)
        await page.until(lambda: page.text("c1") == "1\n")
        await page.until_done()
        # An error of a shell is a number, without a name.
        (error,) = page.cells["c2"]["outputs"]
        assert (error["kind"], error["text"]) == ("error", "3")
        live.run(["c0"])
        await page.until(lambda: page.state["stale"] == {"c1": "place", "c2": "place"})
        await page.until_done()
        await live.shut_down()
