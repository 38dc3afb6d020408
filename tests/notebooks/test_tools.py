"""The tools for notebooks, as a model calls them."""

import base64
import json
import os
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import anyio
import pytest

from recto.clock import SystemClock, SystemIds
from recto.messages import Image, Text, ToolCall
from recto.notebooks import Notebooks, parse, set_source
from recto.supervisor import Supervisor
from recto.tools import Effect, Permissions, Toolbox, ToolOutcome, builtin_tools, notebook_tools
from tests.notebooks.generated import JUPYTER, Json
from tests.notebooks.places import kernel_home
from tests.tools.bench import Bench, FakeShell, bench_in

pytestmark = pytest.mark.anyio
SCHEDULES = int(os.environ.get("RECTO_NOTEBOOK_SCHEDULES", "20"))
STEPS = 10
PICTURE = base64.b64encode(b"\x89PNG\r\n\x1a\n rest").decode()


@pytest.fixture(autouse=True)
def home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    kernel_home(tmp_path_factory, monkeypatch)


class Desk:
    """A folder, its tools, and somebody who calls them."""

    def __init__(self, bench: Bench, notebooks: Notebooks) -> None:
        self.bench = bench
        tools = (*builtin_tools(FakeShell()), *notebook_tools(notebooks))
        self.box = Toolbox(tools, Permissions(sandboxed=True))

    async def outcome(self, name: str, *, path: str = "n.ipynb", **given: Any) -> ToolOutcome:
        call = ToolCall("call", name, {"path": path, **given})
        context = self.bench.context
        verdict = await self.box.judge(call, context.workspace)
        assert verdict.kind == ("ask" if name.startswith("run_") else "allow")
        return await self.box.call(call, replace(context, approved=True))

    async def say(self, name: str, **given: Any) -> str:
        outcome = await self.outcome(name, **given)
        assert not outcome.is_error, outcome
        return first_text(outcome)

    async def fail(self, name: str, **given: Any) -> str:
        outcome = await self.outcome(name, **given)
        assert outcome.is_error, outcome
        return first_text(outcome)

    def version(self, cell_id: str) -> str:
        return parse(self.bench.read("n.ipynb")).cell(cell_id).version


def first_text(outcome: ToolOutcome) -> str:
    part = outcome.content[0]
    assert isinstance(part, Text)
    return part.text


def cell(cell_id: str, source: str, *, kind: str = "code", **more: Any) -> Json:
    found: Json = {"cell_type": kind, "id": cell_id, "metadata": {}}
    found["source"] = source.splitlines(True)
    code: Json = {"execution_count": None, "outputs": []} if kind == "code" else {}
    return found | code | more


def book(*cells: Json) -> bytes:
    return JUPYTER.write({"cells": list(cells), "metadata": {}, "nbformat": 4, "nbformat_minor": 5})


@asynccontextmanager
async def desk_in(root: Path) -> AsyncGenerator[Desk]:
    clock = SystemClock()
    async with bench_in(root) as bench, anyio.create_task_group() as tasks:
        supervisor = Supervisor(tasks, clock.monotonic)
        yield Desk(bench, Notebooks(supervisor, SystemIds(clock)))
        tasks.cancel_scope.cancel()


async def test_a_notebook_is_read_by_outline_id_range_heading_and_words(tmp_path: Path) -> None:
    trace = [f"\x1b[31mline {at}\x1b[0m" for at in range(200)]
    outputs: list[Json] = [
        {"name": "stdout", "output_type": "stream", "text": ["é" * 1000]},
        {"ename": "E", "evalue": "v", "output_type": "error", "traceback": trace},
        {"data": {"image/png": PICTURE}, "metadata": {}, "output_type": "display_data"},
    ]
    data = book(
        cell("t", "# Title\n\nwords", kind="markdown"),
        cell("a", "x = 1", outputs=outputs, execution_count=3),
        cell("s", "## Part\n", kind="markdown"),
        cell("b", "y = 2\nz = 3"),
        cell("u", "# Next", kind="markdown"),
    )
    async with desk_in(tmp_path) as desk:
        desk.bench.write("n.ipynb", data)
        assert (await desk.say("read_notebook")).splitlines() == [
            "5 cells.",
            "1. [t] markdown, 3 lines: # Title",
            "2. [a] code, 1 line, ran as [3], error: x = 1",
            "3. [s] markdown, 1 line: ## Part",
            "4. [b] code, 2 lines: y = 2",
            "5. [u] markdown, 1 line: # Next",
        ]
        outcome = await desk.outcome("read_notebook", cell="a")
        text = first_text(outcome)
        assert text.startswith(f"# Cell 2 (code, id a, version {desk.version('a')}, ran as [3])\n")
        assert "é" * 300 in text
        assert "é" * 301 not in text
        assert "[700 more characters; all is kept as output:1, for read_file]" in text
        assert "\x1b" not in text
        assert text.index("more characters; all is kept as output:2") < text.index("line 199")
        assert desk.bench.outputs.kept["output:1"] == "é" * 1000
        assert [part.media_type for part in outcome.content[1:] if isinstance(part, Image)] == [
            "image/png"
        ]
        by_range = await desk.say("read_notebook", first=3, last=4)
        assert ("## Part" in by_range, "# Title" in by_range) == (True, False)
        assert "y = 2\nz = 3" in await desk.say("read_notebook", heading="part")
        assert "# Next" not in await desk.say("read_notebook", heading="# Title")
        assert "id b" in await desk.say("read_notebook", search="Z = 3")
        assert "no heading" in await desk.fail("read_notebook", heading="none")
        assert "There is no cell none." in await desk.fail("read_notebook", cell="none")
        assert desk.bench.read("n.ipynb") == data
        assert desk.bench.notes == []


async def test_an_answer_has_its_bound_and_the_rest_a_handle(tmp_path: Path) -> None:
    async with desk_in(tmp_path) as desk:
        desk.bench.write("n.ipynb", book(*(cell(f"c{at}", "x" * 900) for at in range(100))))
        told = await desk.say("read_notebook", first=1)
        assert len(told) <= 50_000
        assert "characters are left out here. All is kept as" in told


async def test_cells_are_edited_added_moved_and_deleted_as_recorded_changes(tmp_path: Path) -> None:
    async with desk_in(tmp_path) as desk:
        before = book(cell("a", "x = 1"), cell("b", "y"))
        desk.bench.write("n.ipynb", before)
        version = desk.version("a")
        told = await desk.say("edit_cell", cell="a", version=version, source="x = 2\n")
        assert desk.bench.read("n.ipynb") == book(cell("a", "x = 2\n"), cell("b", "y"))
        assert f"version {desk.version('a')} now" in told
        ((change,),) = desk.bench.notes
        assert isinstance(change, Effect)
        assert change.before is not None
        assert change.before.data == before

        # From an old reading: refused with the cell as it is now, and nothing is written.
        now = desk.bench.read("n.ipynb")
        told = await desk.fail("edit_cell", cell="a", version=version, source="lost")
        assert told == (
            "The cell a has changed since it was read. Edit what is there now. It is code of "
            f"version {desk.version('a')} now:\n\nx = 2\n"
        )
        told = await desk.fail("delete_cell", cell="a", version=version)
        assert "x = 2" in told
        assert desk.bench.read("n.ipynb") == now

        await desk.say("edit_cell", cell="b", version=desk.version("b"), place=1, kind="markdown")
        await desk.say("delete_cell", cell="a", version=desk.version("a"))
        assert desk.bench.read("n.ipynb") == book(cell("b", "y", kind="markdown"))
        told = await desk.fail("delete_cell", cell="b", version=desk.version("b"))
        assert "only cell" in told
        told = await desk.say("add_cell", source="z", after="b")
        added = parse(desk.bench.read("n.ipynb")).cells[1]
        assert f"Added cell {added.id} (version {added.version})" in told
        assert "Nothing is to change" in await desk.fail("edit_cell", cell="b", version="v")

        await desk.say("add_cell", path="deep/new.ipynb", source="# Hi", kind="markdown")
        made = parse(desk.bench.read("deep/new.ipynb"))
        assert [item.source for item in made.cells] == ["# Hi"]


async def test_what_text_tools_write_becomes_changes_by_cell(tmp_path: Path) -> None:
    ran = [{"name": "stdout", "output_type": "stream", "text": ["kept\n"]}]
    data = book(cell("a", "x = 1", outputs=ran, execution_count=1), cell("b", "y = x\nx"))
    async with desk_in(tmp_path) as desk:
        desk.bench.write("n.ipynb", data)
        (tmp_path / "link.txt").symlink_to("n.ipynb")
        wanted = book(cell("b", "y = x"), cell("c", "z"), cell("a", "x = 1"))
        told = await desk.say("write_file", path="n.ipynb", content=wanted.decode())
        assert "Edited cell b. Added cell c. Outputs and all" in told
        found = parse(desk.bench.read("n.ipynb"))
        assert [(one.id, one.source) for one in found.cells] == [
            ("b", "y = x"),
            ("c", "z"),
            ("a", "x = 1"),
        ]
        assert list(found.cell("a").outputs) == ran
        assert "No cell" in await desk.fail("write_file", content=wanted.decode())
        assert "would not be a notebook" in await desk.fail("write_file", content="{}")
        for path in ("n.ipynb", "link.txt"):
            told = await desk.fail("edit_file", path=path, old_string="x", new_string="q")
            assert "more than once, in cells b, a. Add the lines" in told
        # The JSON around the cells is out of reach.
        told = await desk.fail("edit_file", old_string='"nbformat": 4', new_string="x")
        assert "within a single cell" in told
        told = await desk.say("edit_file", path="link.txt", old_string="x = 1", new_string="x = 2")
        assert "Edited cell a." in told
        both = {"old_string": "x", "new_string": "q", "replace_all": True}
        assert "Edited cells b, a." in await desk.say("edit_file", **both)
        found = parse(desk.bench.read("n.ipynb"))
        assert [one.source for one in found.cells] == ["y = q", "z", "q = 2"]
        assert list(found.cell("a").outputs) == ran
        assert "add_cell" in await desk.fail("write_file", path="new.ipynb", content="text")
        assert "add_cell" in await desk.fail("create_file", path="new.ipynb")
        await desk.say("write_file", path="new.ipynb", content=data.decode())
        # What is broken can be mended.
        desk.bench.write("n.ipynb", data[:-3])
        assert "not a notebook that can be read" in await desk.fail("read_notebook")
        await desk.say("write_file", content=data.decode())
        assert desk.bench.read("n.ipynb") == data
        assert "does not end in .ipynb" in await desk.fail("read_notebook", path="link.txt")


async def test_cells_run_and_what_they_answer_is_in_the_file(tmp_path: Path) -> None:
    async with desk_in(tmp_path) as desk:
        desk.bench.write(
            "n.ipynb",
            book(
                cell("a", "x = 20\nprint('x' * 1000)"),
                cell("b", "x + 1"),
                cell("m", "text", kind="markdown"),
                cell("e", "1 / 0"),
                cell("z", "never = 1"),
                cell("slow", "import time\nwhile True: time.sleep(0.01)"),
            ),
        )
        assert "No kernel is running" in await desk.say("kernel")
        told = await desk.say("run_cell", cell="a")
        assert told.startswith("# Cell a: ran\n# Output\n" + "x" * 300 + "\n[700 more")
        assert desk.bench.told == ["x" * 1000 + "\n"]
        assert "21" in await desk.say("run_cell", cell="b")
        assert "is not code" in await desk.fail("run_cell", cell="m")
        told = await desk.fail("run_cell", cell="slow", timeout_s=1)
        assert "took too long, so the kernel was interrupted" in told
        assert "KeyboardInterrupt" in told
        found = {item.id: item for item in parse(desk.bench.read("n.ipynb")).cells}
        assert found["b"].outputs[0]["data"] == {"text/plain": ["21"]}
        assert (found["a"].execution_count, found["b"].execution_count) == (1, 2)

        # From the top in a new kernel, up to the first error; a second run changes no byte.
        told = await desk.fail("run_all_cells", restart=True)
        assert "# Cell e: raised an error" in told
        assert told.endswith("[2 cells after it did not run.]")
        once = desk.bench.read("n.ipynb")
        await desk.fail("run_all_cells", restart=True)
        assert desk.bench.read("n.ipynb") == once
        assert json.loads(once)["cells"][3]["outputs"][0]["ename"] == "ZeroDivisionError"

        # The cell goes while it runs: what it answers is told, and the file is left as it is.
        left = book(cell("other", "1"))
        desk.bench.write("left.ipynb", left)
        code = "import shutil\nprint(shutil.copy('left.ipynb', 'n.ipynb'))"
        desk.bench.write("n.ipynb", book(cell("gone", code)))
        told = await desk.say("run_cell", cell="gone")
        assert "its cell is gone, so no outputs were written\n# Output\nn.ipynb" in told
        assert desk.bench.read("n.ipynb") == left
        assert "is idle" in await desk.say("kernel")
        await desk.say("add_cell", path="left.ipynb", source="names = ['a']")
        made = parse(desk.bench.read("left.ipynb")).cells[-1].id
        assert "No kernel" in await desk.fail("kernel", path="left.ipynb", action="variables")
        await desk.say("run_cell", path="left.ipynb", cell=made)
        told = await desk.say("kernel", path="left.ipynb", action="variables")
        assert told == "names: list 1 = ['a']"
        assert "is idle" in await desk.say("kernel", action="restart")


async def test_no_interleaving_of_stale_reads_and_typing_loses_an_update(tmp_path: Path) -> None:
    """An AI edits from readings of any age while a person types: nothing typed is overwritten."""
    refused = edits = 0
    async with desk_in(tmp_path) as desk:
        for seed in range(SCHEDULES):
            chance = Random(seed)
            cells = [cell(name, f"{name} = 0") for name in "abc"]
            desk.bench.write("n.ipynb", book(*cells))
            read: dict[str, tuple[str, str]] = {}
            typed: dict[str, list[str]] = {name: [] for name in "abc"}
            for step in range(STEPS):
                name = chance.choice("abc")
                now = parse(desk.bench.read("n.ipynb"))
                match chance.choice(["read", "type", "edit"]):
                    case "read":
                        read[name] = (now.cell(name).version, now.cell(name).source)
                    case "type":
                        mark = f"# typed {step}"
                        typed[name].append(mark)
                        data = set_source(now, name, f"{now.cell(name).source}\n{mark}").data
                        desk.bench.write("n.ipynb", data)
                    case _ if name in read:
                        version, source = read[name]
                        outcome = await desk.outcome(
                            "edit_cell", cell=name, version=version, source=f"{source}\n# AI {step}"
                        )
                        is_stale = now.cell(name).version != version
                        assert outcome.is_error is is_stale
                        edits += 1
                        refused += is_stale
                        if is_stale:
                            assert now.cell(name).source in first_text(outcome)
                    case _:
                        pass
            end = parse(desk.bench.read("n.ipynb"))
            for name, marks in typed.items():
                assert [
                    line for line in end.cell(name).source.splitlines() if "typed" in line
                ] == marks
    assert refused > SCHEDULES / 5
    assert edits > refused + SCHEDULES / 5
