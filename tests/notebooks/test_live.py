"""The live notebook with a real kernel: runs, questions, interrupts, deaths, and what stays."""

import json
import os
import select
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import pytest

from recto.chats.turns.unreviewed_code import sentence
from recto.clock import SystemClock, SystemIds
from recto.documents import Documents, EditOrigin, LiveDocument
from recto.messages import ToolCall
from recto.notebooks import (
    LiveNotebook,
    LiveNotebooks,
    Notebooks,
    notebook_form,
    parse,
    set_outputs,
    unreviewed_cell,
    unreviewed_cells,
    variables_of,
)
from recto.notebooks.live.cells_text import split_cells
from recto.notebooks.live.followers import Message, NotebookFollower
from recto.supervisor import Supervisor
from recto.workspace import PathChanged, Workspace, content_hash
from tests.documents.folder import MemoryJournal
from tests.notebooks.places import kernel_home

pytestmark = pytest.mark.anyio
PERSON = EditOrigin("person", way="typed")
STREAM = {"name": "stdout", "output_type": "stream", "text": "of a tool\n"}
AI = EditOrigin("run", "edit-1", pending=True)


@pytest.fixture(autouse=True)
def home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    kernel_home(tmp_path_factory, monkeypatch)


def content(**sources: str) -> bytes:
    cells: list[dict[str, Any]] = [
        {
            "cell_type": "code",
            "execution_count": None,
            "id": name,
            "metadata": {},
            "outputs": [],
            "source": source.splitlines(keepends=True),
        }
        for name, source in sources.items()
    ]
    found: dict[str, object] = {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(found, indent=1).encode() + b"\n"


@dataclass
class Bench:
    """A folder with one notebook, and what shows it."""

    folder: Path
    workspace: Workspace
    documents: Documents
    notebooks: LiveNotebooks

    @property
    def file(self) -> Path:
        return self.folder / "n.ipynb"

    def outputs(self, cell_id: str) -> list[dict[str, Any]]:
        cells = json.loads(self.file.read_bytes())["cells"]
        return next(cell["outputs"] for cell in cells if cell["id"] == cell_id)


@dataclass
class Watcher:
    """A page that follows a notebook."""

    follower: NotebookFollower
    cells: dict[str, Message] = field(default_factory=dict[str, Message])
    state: Message = field(default_factory=dict[str, Any])
    kernels: list[str] = field(default_factory=list[str])
    """The states of the kernel that were told, one after the other."""

    def text(self, cell_id: str) -> str:
        outputs = self.cells.get(cell_id, {}).get("outputs", [])
        return "".join(output.get("text", "") for output in outputs)

    async def until(self, is_so: "Callable[[], bool]") -> None:
        with anyio.fail_after(120):
            while not is_so():
                for message in await self.follower.news():
                    self._take(message)

    def _take(self, message: Message) -> None:
        match message["type"]:
            case "notebook":
                self.cells = dict(message["cells"])
            case "cell":
                self.cells[message["cell"]] = message
            case "append":
                output = self.cells[message["cell"]]["outputs"][message["index"]]
                output["text"] = output["text"][: message["keep"]] + message["text"]
            case _:
                self.state = message
                kernel = "" if message["kernel"] is None else message["kernel"]["state"]
                if self.kernels[-1:] != [kernel]:
                    self.kernels.append(kernel)

    async def until_done(self) -> None:
        """Wait until nothing runs and nothing waits."""
        # What was heard last may be old.
        self.state = {}
        self.follower.tell_state()
        await self.until(
            lambda: bool(self.state) and not self.state["running"] and not self.state["queue"]
        )


@asynccontextmanager
async def bench(
    tmp_path: Path,
    data: bytes,
    journal: MemoryJournal | None = None,
    idle_s: float | None = None,
    strips: Callable[[], bool] = bool,
) -> AsyncGenerator[Bench]:
    """A notebook in use; leaving it is as abrupt as a crash for what is not stored."""
    folder = tmp_path / "folder"
    folder.mkdir(exist_ok=True)
    if not (folder / "n.ipynb").exists():
        (folder / "n.ipynb").write_bytes(data)
    clock = SystemClock()
    async with await Workspace.open(folder) as workspace, anyio.create_task_group() as tasks:
        supervisor = Supervisor(tasks, clock.monotonic)
        documents = Documents(
            workspace,
            journal or MemoryJournal(),
            clock=clock,
            supervisor=supervisor,
            find_form=partial(notebook_form, strips=strips),
        )

        async def open_documents(_project: str) -> Documents:
            return documents

        async def open_workspace(_project: str) -> Workspace:
            return workspace

        notebooks = LiveNotebooks(
            Notebooks(supervisor, SystemIds(clock), kept=tmp_path / "kernels", idle_s=idle_s),
            supervisor,
            clock,
            open_documents=open_documents,
            open_workspace=open_workspace,
            records=tmp_path / "records",
        )
        yield Bench(folder, workspace, documents, notebooks)
        tasks.cancel_scope.cancel()


@asynccontextmanager
async def watching(one: Bench) -> AsyncGenerator[tuple[LiveNotebook, Watcher]]:
    async with one.notebooks.using("p", "n.ipynb") as live:
        with live.follow() as follower:
            watcher = Watcher(follower)
            await watcher.until(lambda: bool(watcher.state))
            yield live, watcher


async def test_cells_run_ask_are_interrupted_die_and_run_again(tmp_path: Path) -> None:
    data = content(
        a="x = 1\nfor n in range(3): print(n)\nx",
        b="y = x + 1",
        ask="print('Hello', input('Name? '))",
        long="import time\nprint('on')\nwhile True: time.sleep(0.05)",
        die="import os\nprint('last words')\ninput()\nos.kill(os.getpid(), 9)",
    )
    async with bench(tmp_path, data) as one, watching(one) as (live, page):
        live.run(["a", "b"])
        await page.until(lambda: page.cells["a"]["ran"] is not None)
        await page.until_done()
        assert page.text("a") == "0\n1\n2\n1"
        assert [cell["count"] for cell in (page.cells["a"], page.cells["b"])] == [1, 2]
        await live.document.save()
        assert one.outputs("a")[0]["text"] == ["0\n", "1\n", "2\n"]
        # What b has used was defined anew since.
        live.run(["a"])
        await page.until(lambda: page.state["stale"] == {"b": "names"})
        await page.until_done()
        assert live.kernel is not None
        found = await variables_of(live.kernel)
        assert found is not None
        assert {(item.name, item.type, item.preview) for item in found} >= {("y", "int", "2")}
        live.run(["ask"])
        await page.until(lambda: page.state["asked"] is not None)
        assert page.state["asked"]["prompt"] == "Name? "
        assert live.answer("ask", "Ada")
        await page.until(lambda: "Hello Ada" in page.text("ask"))
        await page.until_done()
        live.run(["long", "a"])
        await page.until(lambda: page.text("long") == "on\n")
        await live.interrupt()
        await page.until_done()
        assert page.cells["long"]["outputs"][-1]["name"] == "KeyboardInterrupt"
        live.run(["die"])
        await page.until(
            lambda: page.text("die") == "last words\n" and page.state["asked"] is not None
        )
        assert live.answer("die", "")
        await page.until(lambda: page.state["kernel"]["state"] == "dead")
        await page.until_done()
        assert "signal 9" in page.state["kernel"]["whyDead"]
        assert page.text("die") == "last words\n"
        await live.restart()
        live.run(["b"])
        await page.until(lambda: bool(page.cells["b"]["outputs"]))
        assert page.cells["b"]["outputs"][0]["name"] == "NameError"
        await page.until_done()
    assert one.outputs("die")[0]["text"] == ["last words\n"]


STARTED = ["", "starting", "idle"]


async def test_a_page_hears_of_every_start_of_a_kernel_whoever_starts_it(tmp_path: Path) -> None:
    async with bench(tmp_path, content(a="x = 1")) as one, watching(one) as (live, page):
        live.run(["a"])
        await page.until(lambda: page.cells["a"]["ran"] is not None)
        # That it was busy is told only to who looks before it is over.
        await page.until(lambda: [one for one in page.kernels if one != "busy"] == STARTED)
        page.kernels.clear()
        async with anyio.create_task_group() as tasks:
            # As the AI does it: nobody runs anything.
            tasks.start_soon(one.notebooks.notebooks.kernels.restart, live.site.key)
            await page.until(lambda: page.kernels == ["starting", "idle"])
        assert page.cells["a"]["ran"] is None


async def test_what_was_shown_before_a_crash_is_in_the_file_after_it(tmp_path: Path) -> None:
    data = content(a="import time\nprint('shown')\nwhile True: time.sleep(0.05)")
    async with bench(tmp_path, data) as one, watching(one) as (live, page):
        live.run(["a"])
        await page.until(lambda: page.text("a") == "shown\n")
        kept = [(file.name, file.read_bytes()) for file in (tmp_path / "records").iterdir()]
    one.file.write_bytes(data)  # a crash would have left it so
    for name, left in kept:
        (tmp_path / "records" / name).write_bytes(left)
    async with bench(tmp_path, data) as one:
        await one.notebooks.recover()
    assert one.outputs("a") == [{"name": "stdout", "output_type": "stream", "text": ["shown\n"]}]
    assert list((tmp_path / "records").iterdir()) == []


async def test_outputs_that_are_left_out_of_the_file_stay_on_the_page_and_for_ai(
    tmp_path: Path,
) -> None:
    chosen = [True]
    data = content(a="x = 7\nprint(x)", b="print(x + 1)")
    async with bench(tmp_path, data, strips=lambda: chosen[0]) as one:
        async with watching(one) as (live, page):
            live.run(None)
            await page.until(lambda: page.text("b") == "8\n")
            await page.until_done()
            assert one.file.read_bytes() == data
            # As a tool writes what it has run: shown, and not in the file either.
            ran = set_outputs(parse(data), "b", [STREAM], 9).data
            known = content_hash(data)
            await one.documents.rewrite("n.ipynb", ran, expected_hash=known, origin=AI)
            assert one.file.read_bytes() == data
            await page.until(lambda: page.text("b") == "of a tool\n")
        async with watching(one) as (live, page):  # loaded anew
            await page.until(lambda: page.text("b") == "of a tool\n")
            assert page.text("a") == "7\n"
            shown = one.notebooks.notebooks.shown(live.site.key, parse(data).cell("a"))
            assert (shown.execution_count, shown.outputs[0]["text"]) == (1, "7\n")
            chosen[0] = False
            live.run(["a"])
            await page.until(lambda: page.cells["a"].get("count") == 3)
            await page.until_done()
            await live.shut_down()
        assert one.outputs("a")[0]["text"] == ["7\n"]
        assert one.outputs("b")[0]["text"] == ["of a tool\n"]


async def test_a_renamed_notebook_keeps_its_kernel_and_is_forgotten_with_it(tmp_path: Path) -> None:
    journal = MemoryJournal()
    async with bench(tmp_path, content(a="x = 7\nprint(x)", b="print(x + 1)"), journal) as one:
        async with watching(one) as (live, page):
            live.run(["a"])
            await page.until(lambda: page.text("a") == "7\n")
            await page.until_done()
            kernel = live.kernel
            async with one.documents.moving("n.ipynb", "m.ipynb"):
                await one.workspace.move("n.ipynb", "m.ipynb")
                journal.entries["m.ipynb"] = journal.entries.pop("n.ipynb")
            await one.notebooks.follow_move("p", "n.ipynb", "m.ipynb")
            live.run(["b"])  # over the page that was open all the time
            await page.until(lambda: page.text("b") == "8\n")
            await page.until_done()
            assert live.kernel is kernel
        assert one.notebooks.in_memory == ("m.ipynb",)  # its kernel lives
        async with one.notebooks.using("p", "m.ipynb") as again:
            assert again is live
            await again.shut_down()
        assert one.notebooks.in_memory == ()
        async with one.notebooks.using("p", "m.ipynb"):
            assert one.notebooks.in_memory == ("m.ipynb",)
        assert one.notebooks.in_memory == ()
    assert "8\\n" in (one.folder / "m.ipynb").read_text()


async def test_a_kept_kernel_is_found_again_with_its_variables_and_ends_when_it_shall(
    tmp_path: Path,
) -> None:
    data = content(a="import os; x = 41; print(os.getpid())", b="print(x + 1)")
    async with bench(tmp_path, data) as one, watching(one) as (live, page):
        live.run(["a"])
        await page.until(lambda: page.text("a") != "")
        await page.until_done()
        await live.keep(is_kept=True)
        await page.until(lambda: page.state["kernel"]["isKept"])
        pid = int(page.text("a"))
    (record,) = (tmp_path / "kernels").iterdir()
    private = json.loads(record.read_bytes())["folder"]
    assert [os.stat(path).st_mode & 0o077 for path in (record, private)] == [0, 0]
    os.kill(pid, 0)  # it lives
    async with bench(tmp_path, data) as one:
        await one.notebooks.recover()
        async with watching(one) as (live, page):
            assert page.state["kernel"]["isKept"]
            live.run(["b"])
            await page.until(lambda: page.text("b") == "42\n")
            await page.until_done()
            assert page.cells["b"]["count"] == 2
            await live.keep(is_kept=False)
            assert list((tmp_path / "kernels").iterdir()) == []
    # Not kept any more, it has ended with the second program, and nothing of it is left.
    await until_gone(pid)
    assert not await anyio.Path(private).exists()


async def test_a_kernel_that_nobody_uses_ends_and_says_so(tmp_path: Path) -> None:
    async with bench(tmp_path, content(a="1"), idle_s=0.1) as one, watching(one) as (live, page):
        live.run(["a"])
        await page.until(lambda: has_died(page))
        assert page.state["kernel"]["whyDead"].startswith("nobody used it for")


def has_died(page: Watcher) -> bool:
    kernel = page.state["kernel"]
    return kernel is not None and kernel["state"] == "dead"


async def until_gone(pid: int) -> None:
    """Wait until a process has ended that is not ours to wait for."""
    try:
        handle = os.pidfd_open(pid)
    except ProcessLookupError:
        return
    try:
        await anyio.to_thread.run_sync(lambda: select.select([handle], [], [], 60))
    finally:
        os.close(handle)
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


async def test_an_edit_of_ai_waits_within_its_cell_and_a_stale_one_is_refused(
    tmp_path: Path,
) -> None:
    data = content(a="x = 1\ny = 2", b="z = 3")
    async with bench(tmp_path, data) as one, one.documents.using("n.ipynb") as live:
        assert isinstance(live, LiveDocument)
        wanted = content(a="x = 1\ny = 20", b="z = 3")
        known = content_hash(data)
        await one.documents.rewrite("n.ipynb", wanted, expected_hash=known, origin=AI)
        (hunk,) = live.hunks()
        cell = split_cells(live.text)[0]
        # With the line break that ends the cell.
        assert cell.start <= hunk.start <= hunk.end <= cell.end + 1
        assert one.file.read_bytes() == wanted
        assert unreviewed_cells(live) == (1,)
        assert (unreviewed_cell(live, "a"), unreviewed_cell(live, "b")) == (1, None)
        for name, cell_id, said in (
            ("run_cell", "a", "Nobody has reviewed cell 1 yet."),
            ("run_cell", "b", ""),
            ("run_all_cells", "", "Nobody has reviewed cell 1 yet."),
        ):
            assert sentence(live, ToolCall("c", name, {"path": "n.ipynb", "cell": cell_id})) == said
        with pytest.raises(PathChanged):
            await one.documents.rewrite("n.ipynb", data, expected_hash=known, origin=AI)
        await live.reject(origin=PERSON)
        assert one.file.read_bytes() == data
