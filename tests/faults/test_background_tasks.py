"""Every background task raises, one after the other: the server lives, and nothing is missing.

Which there are is read from the supervisor: a new one is part of this by itself, or, if nothing
here begins it, makes it fail.
"""

import ast
import errno
import json
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import anyio
import anyio.lowlevel
import anyio.to_thread
import httpx
import pytest
from anyio.abc import TaskGroup

import recto
from recto.config import Home, Secret, Settings, save_keys
from recto.config.settings import ModelSettings
from recto.documents import Splice
from recto.supervisor import Supervisor, Work
from tests.fakes.providers import AnthropicServer, Fault, Gate, calls, says
from tests.faults.canaries import ANSWER, CHAT, DOCUMENT, ERROR, assert_no_content
from tests.gateway.served import served_gateway
from tests.gateway.test_whole_gateway import ask, key_of, lay_models
from tests.mcp.conftest import lay_servers, program
from tests.served import Served, point_anthropic_at, served
from tests.server.test_documents import Page, page
from tests.server.test_events import Stream, following
from tests.talk import Talk, ended, of_kind, open_talk, texts
from tests.word.documents import by_python_docx

pytestmark = pytest.mark.anyio
NOTEBOOK = (
    '{"cells": [{"cell_type": "code", "id": "a", "source": "1 + 1"}], "nbformat": 4,'
    ' "nbformat_minor": 5}'
)


WORK_OF_THE_START = {"totals"}
"""Comes to its own end before anybody could have it raise: its first try does."""


class FaultySupervisor(Supervisor):
    """Has tasks raise when it is told, wherever they are at that moment; pauses for no time."""

    def __init__(self, tasks: TaskGroup, monotonic: Callable[[], float]) -> None:
        super().__init__(tasks, monotonic, wait=no_time)
        self._faults: dict[str, anyio.Event] = {}
        self._raised: dict[str, anyio.Event] = {}
        self._start_to_fail = set(WORK_OF_THE_START)

    def let_fail(self, name: str) -> anyio.Event:
        """Have the tasks of a name raise, or the next that begins; set when one has."""
        self._raised[name] = anyio.Event()
        self._fault(name).set()
        return self._raised[name]

    async def attempt(self, name: str, work: Work) -> None:
        if name in self._start_to_fail:
            self._start_to_fail.remove(name)
            raise OSError(errno.EBADF, ERROR)
        is_failing = False
        async with anyio.create_task_group() as group:

            async def fail() -> None:
                nonlocal is_failing
                await self._fault(name).wait()
                is_failing = True
                group.cancel_scope.cancel()

            group.start_soon(fail)
            await anyio.lowlevel.checkpoint()
            await super().attempt(name, work)
            group.cancel_scope.cancel()
        if is_failing:
            self._faults.pop(name, None)
            self._raised[name].set()
            raise OSError(errno.EBADF, ERROR)

    def _fault(self, name: str) -> anyio.Event:
        return self._faults.setdefault(name, anyio.Event())


async def no_time(_: float) -> None:
    await anyio.lowlevel.checkpoint()


def names_in_source(*, of_gateway: bool = False) -> set[str]:
    """What is begun as background work, by the calls in the program.

    A gateway's own work is apart; its workers are processes, whose ends have tests of their own.
    """
    found: set[str] = set()
    paths = Path(recto.__file__).parent.rglob("*.py")
    for path in paths:
        is_gateway = path.name.startswith("gateway_")
        if is_gateway != of_gateway or path.name == "gateway_workers.py":
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
                continue
            called = ast.unparse(node.func)
            if called.endswith(("supervisor.keep", "supervisor.run_once")):
                (name, _) = node.args
                assert isinstance(name, ast.Constant), f"{path} begins work without a plain name"
                found.add(str(name.value))
    return found


@dataclass(frozen=True, slots=True)
class Bench:
    """A Recto with everything going on, and somebody at it."""

    recto: Served
    supervisor: FaultySupervisor
    upstream: AnthropicServer
    client: httpx.AsyncClient
    project_id: str
    talk: Talk
    page: Page
    stream: Stream

    async def count_tokens(self, name: str) -> None:
        """Have a file counted that never was: the count is kept in the background."""
        await anyio.Path(self.recto.folder, name).write_text(f"{DOCUMENT} {name}", encoding="utf-8")
        address = f"/api/v1/projects/{self.project_id}/tokens/calculate"
        answer = await self.client.post(address, json={"files": [name]})
        assert answer.status_code == 200, answer.text

    async def fetch_model(self) -> None:
        """Have a model fetched that is not there: the attempt runs in the background."""
        answer = await self.client.post("/api/v1/local-models/tiny/fetch")
        assert answer.status_code == 202, answer.text

    async def run_cell(self) -> None:
        """Have a kernel run: a model asks for a cell, and somebody agrees."""
        talk = await open_talk(self.client, self.project_id)
        self.upstream.answer(calls("run_cell", {"path": "n.ipynb", "cell": "a"}))
        self.upstream.answer(says(ANSWER))
        turn = await talk.say(CHAT)
        await talk.answer(await talk.until(of_kind("approval")), "once")
        assert (await talk.until(ended(turn)))["state"] == "finished"

    async def run_notebook(self) -> None:
        """Have a person run a cell: what waits is run in the background."""
        address = f"/api/v1/projects/{self.project_id}/notebooks/run"
        answer = await self.client.post(address, json={"path": "n.ipynb", "cells": ["a"]})
        assert answer.status_code == 202, answer.text

    async def show_word_page(self, name: str) -> None:
        """Show a Word document that never was: how it read is kept in the background."""
        await anyio.Path(self.recto.folder, name).write_bytes(by_python_docx())
        address = f"/api/v1/projects/{self.project_id}/word"
        answer = await self.client.get(address, params={"path": name, "tab": "one"})
        assert answer.status_code == 200, answer.text

    async def sign_in(self) -> None:
        """Sign in to a server where nobody listens: the attempt runs in the background."""
        place = f"/api/v1/projects/{self.project_id}/mcp"
        servers = (await self.client.get(place)).json()["items"]
        (far,) = [server["id"] for server in servers if server["transport"] == "http"]
        answer = await self.client.post(f"{place}/{far}/sign-in")
        assert answer.status_code == 422, answer.text

    async def begin_turn(self) -> tuple[str, Gate]:
        """A turn that waits for its model."""
        gate = Gate()
        self.upstream.answer(says(ANSWER), fault=Fault(hold_headers=True, gate=gate))
        turn = await self.talk.say(CHAT)
        await gate.arrived.wait()
        return turn, gate

    async def check_all_goes_on(self, number: int) -> None:
        """Typing is saved, changes are told, models answer."""
        word = f"{DOCUMENT}-{number} "
        await self.page.type(1, Splice(0, 0, word))
        await self.page.until_said(type="ack", channel=1, edits=number)
        await self.page.until(lambda: self.page.said[-1].get("saved") is True)
        text = await anyio.Path(self.recto.folder, "a.md").read_text(encoding="utf-8")
        assert text.startswith(word)
        other = await open_talk(self.client, self.project_id)
        await self.hear("change", "id", other.chat_id)
        await anyio.Path(self.recto.folder, f"{number}.txt").write_text("x", encoding="utf-8")
        await self.hear("files", "projectId", self.project_id)
        self.upstream.answer(says(ANSWER))
        assert texts(await other.ask(CHAT)) == [ANSWER]

    async def hear(self, event: str, name: str, value: str) -> None:
        while True:
            found, _, data = await self.stream.must_next()
            if found == event and data[name] == value:
                return

    async def failures(self, name: str) -> int:
        health = (await self.client.get("/api/v1/health")).json()
        assert health["status"] == "ok"
        return next(task["failures"] for task in health["tasks"] if task["name"] == name)


@asynccontextmanager
async def bench(tmp_path: Path) -> AsyncGenerator[Bench]:
    made: list[FaultySupervisor] = []

    def supervise(tasks: TaskGroup, monotonic: Callable[[], float]) -> Supervisor:
        made.append(FaultySupervisor(tasks, monotonic))
        return made[0]

    home, folder = tmp_path / "home", tmp_path / "folder"
    await anyio.Path(folder).mkdir()
    await anyio.Path(folder, "a.md").write_text("The end.\n", encoding="utf-8")
    await anyio.Path(folder, "n.ipynb").write_text(NOTEBOOK, encoding="utf-8")
    row = {
        "id": "tiny",
        "name": "Tiny",
        "about": "For tests.",
        "bytes": 1,
        "memoryBytes": 1,
        "licence": "Apache-2.0",
        "url": "http://127.0.0.1:9/tiny.gguf",
        "sha256": "0" * 64,
    }
    models = ModelSettings(servers=[], file_list=str(tmp_path / "list.json"))
    await anyio.Path(models.file_list).write_text(json.dumps({"models": [row]}), encoding="utf-8")
    await anyio.to_thread.run_sync(
        partial(lay_servers, home, near=program(), far={"url": "http://127.0.0.1:9"})
    )
    async with AnthropicServer() as upstream:
        point_anthropic_at(home, upstream.url)
        save_keys(Home(home), {"ANTHROPIC_API_KEY": Secret("test-key")})
        async with (
            served(home, folder, Settings(models=models), supervise=supervise) as recto,
            recto.script() as client,
            page(recto) as tab,
            following(client) as stream,
        ):
            project = (await client.get("/api/v1/projects/current")).json()
            talk = await open_talk(client, project["id"])
            await tab.open(1, "a.md")
            yield Bench(recto, made[0], upstream, client, project["id"], talk, tab, stream)


async def test_no_background_task_ends_the_server_and_each_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))  # a kernel keeps its history there
    async with bench(tmp_path) as one:
        await one.check_all_goes_on(1)
        await one.count_tokens("counted.md")
        await one.fetch_model()
        await one.run_cell()
        await one.run_notebook()
        await one.sign_in()
        await one.show_word_page("shown.docx")
        names = [health.name for health in one.supervisor.health()]
        assert set(names) == names_in_source()
        for name in WORK_OF_THE_START:
            assert await one.failures(name) == 1
        for number, name in enumerate((n for n in names if n not in WORK_OF_THE_START), 2):
            turn, gate = await one.begin_turn()
            before = await one.failures(name)
            raised = one.supervisor.let_fail(name)
            await one.count_tokens(f"{name}.md")
            await one.fetch_model()
            await one.run_notebook()
            await one.sign_in()
            await one.show_word_page(f"{name}.docx")
            with anyio.fail_after(60):
                await raised.wait()
            gate.open()
            end = await one.talk.until(ended(turn))
            assert end["state"] == ("interrupted" if name == "turn" else "finished")
            await one.check_all_goes_on(number)
            assert await one.failures(name) > before
            await anyio.to_thread.run_sync(assert_no_content, one.recto.home.log_file)


async def test_no_background_task_ends_a_gateway_and_each_goes_on(tmp_path: Path) -> None:
    made: list[FaultySupervisor] = []

    def supervise(tasks: TaskGroup, monotonic: Callable[[], float]) -> Supervisor:
        made.append(FaultySupervisor(tasks, monotonic))
        return made[0]

    home = tmp_path / "home"
    async with AnthropicServer() as upstream:
        await lay_models(home, upstream)
        async with served_gateway(home, supervise=supervise) as gateway:
            admin = await gateway.admin()
            key = await key_of(gateway, admin)
            (supervisor,) = made
            names = [health.name for health in supervisor.health()]
            assert set(names) == names_in_source(of_gateway=True)
            for name in names:
                with anyio.fail_after(60):
                    await supervisor.let_fail(name).wait()
                upstream.answer(says("At noon."))
                answered = await ask(gateway, key)
                assert answered.status_code == 200, (name, answered.text)
                async with gateway.client() as client:
                    health = (await client.get("/healthz")).json()
                failed = {task["name"] for task in health["tasks"] if task["failures"]}
                assert name in failed
            async with gateway.client(admin) as client:
                usage = (await client.get("/api/v1/usage")).json()
    assert sum(row["requests"] for row in usage["models"]) == len(names)


async def test_the_doctor_of_a_running_server_tells_of_background_work(tmp_path: Path) -> None:
    async with bench(tmp_path) as one:
        await one.supervisor.let_fail("feed").wait()
        checks: Sequence[dict[str, str]] = (await one.client.get("/api/v1/doctor")).json()["checks"]
        found = {check["name"]: (check["state"], check["detail"]) for check in checks}
        failures = len(WORK_OF_THE_START) + 1
        told = f"Goes on; failed {failures} times since the start"
        assert found["Background work"] == ("ok", told)
        assert found["Database"] == ("ok", "Answers")
        assert found["Ledger"] == ("ok", "Totals are what the rows come to")
