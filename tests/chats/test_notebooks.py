"""The AI in notebooks: seen while it writes, asked about once before it runs, with no page too."""

import json
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

import anyio
import pytest
from websockets.asyncio.client import ClientConnection, connect

from recto.notebooks import parse
from tests.fakes.providers import AnthropicServer, Fault, Gate, Script, UseTool, calls, says
from tests.notebooks.places import kernel_home
from tests.notebooks.test_live import content
from tests.served import TOKEN
from tests.talk import Json, Talk, ended

pytestmark = pytest.mark.anyio
MANY = "".join(f"step_{number} = {number}\n" for number in range(60))


@pytest.fixture(autouse=True)
def home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    kernel_home(tmp_path_factory, monkeypatch)


@pytest.fixture
def folder(talk: Talk, tmp_path: Path) -> Path:
    for name in ("n.ipynb", "m.ipynb"):
        (tmp_path / "folder" / name).write_bytes(content(a="x = 1", b="print(x + 1)"))
    return tmp_path / "folder"


@asynccontextmanager
async def feed(talk: Talk, name: str) -> AsyncGenerator[ClientConnection]:
    """What a page that shows a notebook is told."""
    address = str(talk.client.base_url).replace("http", "ws", 1).rstrip("/")
    path = f"/api/v1/projects/{talk.project_id}/notebooks/feed?path={quote(name)}"
    headers = {"authorization": f"Bearer {TOKEN}"}
    async with connect(address + path, additional_headers=headers) as socket:
        yield socket


async def until(socket: ClientConnection, is_it: Callable[[list[Json]], bool]) -> list[Json]:
    """Listen until the cells that are being written are such."""
    with anyio.fail_after(60):
        while True:
            message = json.loads(await socket.recv())
            if message["type"] == "state" and is_it(message["drafts"]):
                return message["drafts"]


def writing(tool: str, gate: Gate, **asked: Any) -> Script:
    """An answer that writes a cell, a few signs at each step of the gate."""
    words = json.dumps({"path": "n.ipynb", **asked})
    pieces = tuple(words[at : at + 20] for at in range(0, len(words), 20))
    gate.step(len(pieces) - 10)
    return Script((UseTool(tool, pieces),), fault=Fault(drip=True, gate=gate))


async def test_a_cell_is_shown_while_it_is_written_and_no_longer(
    talk: Talk, upstream: AnthropicServer, folder: Path
) -> None:
    async with feed(talk, "n.ipynb") as socket:
        await until(socket, lambda drafts: drafts == [])
        gate = Gate()
        version = parse((folder / "n.ipynb").read_bytes()).cell("a").version
        upstream.script(writing("edit_cell", gate, cell="a", version=version, source=MANY))
        upstream.answer(says("Written."))
        turn = await talk.say("Write it anew.")
        (draft,) = await until(socket, lambda drafts: "step_9 = 9" in json.dumps(drafts))
        assert (draft["cell"], draft["after"]) == ("a", None)
        assert MANY.startswith(draft["source"])
        assert parse((folder / "n.ipynb").read_bytes()).cell("a").source == "x = 1"
        gate.open()
        await talk.until(ended(turn))
        await until(socket, lambda drafts: drafts == [])
        assert parse((folder / "n.ipynb").read_bytes()).cell("a").source == MANY

        # Of a turn that is stopped before its call was whole, nothing stays.
        gate = Gate()
        upstream.script(writing("add_cell", gate, after="a", source=MANY))
        turn = await talk.say("Add one.")
        (draft,) = await until(socket, lambda drafts: "step_9 = 9" in json.dumps(drafts))
        assert (draft["cell"], draft["after"]) == (None, "a")
        await talk.post(f"/api/v1/turns/{turn}/cancel", status=204)
        await until(socket, lambda drafts: drafts == [])
        gate.open()


async def run_it(
    talk: Talk, upstream: AnthropicServer, path: str, tool: str = "run_cell", **more: Any
) -> tuple[list[Json], str]:
    """Have the model run a cell; what was asked meanwhile, and what came of it."""
    begun = (await talk.view())["lastEvent"]
    upstream.answer(calls(tool, {"path": path, **more}))
    upstream.answer(says("Ran."))
    turn = await talk.say("Run it.")
    asked: list[Json] = []
    async for event in talk.follow(begun):
        if event["kind"] == "approval":
            asked.append(event)
            await talk.answer(event, "chat")
        if ended(turn)(event):
            break
    (*_, results) = await talk.entries("tool_results")
    return asked, results["results"][0]["text"]


async def test_running_asks_once_for_each_notebook_and_names_what_nobody_reviewed(
    talk: Talk, upstream: AnthropicServer, folder: Path
) -> None:
    version = parse((folder / "n.ipynb").read_bytes()).cell("a").version
    edit = {"path": "n.ipynb", "cell": "a", "version": version, "source": "x = 20"}
    upstream.answer(calls("edit_cell", edit))
    upstream.answer(says("Edited."))
    await talk.ask("Change it.")
    (asked,), _ = await run_it(talk, upstream, "n.ipynb", "run_all_cells")
    assert "Nobody has reviewed cell 1 yet." in json.dumps(asked)
    again, told = await run_it(talk, upstream, "n.ipynb", cell="b")
    assert (again, "21" in told) == ([], True)
    assert len((await run_it(talk, upstream, "m.ipynb", cell="a"))[0]) == 1
