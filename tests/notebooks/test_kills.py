"""SIGKILL of kernels and of Recto at random moments: what was shown stays, nothing else is left."""

import json
import os
import random
import re
import select
import shutil
import signal
import sys
import tempfile
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote

import anyio
import httpx
import pytest
from anyio.streams.buffered import BufferedByteReceiveStream
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from recto.notebooks import parse
from tests.notebooks.places import kernel_home
from tests.served import TOKEN

pytestmark = [pytest.mark.anyio, pytest.mark.slow]

KILLS = int(os.environ.get("RECTO_NOTEBOOK_KILLS", "4"))
HEADERS = {"authorization": f"Bearer {TOKEN}"}
WORD = re.compile(r"\[\d+\.\d+\]")
# Lines that stay, one that is written over, an output that is updated, and one that is cleared.
TALKS = """
import os, time
from IPython.display import clear_output, display
bar = display({"text/plain": "at 0"}, raw=True, display_id=True)
for n in range(40):
    print(f"[{os.getpid()}.{n}]", flush=True)
    print(f"\\r{n} %", end="", flush=True)
    bar.update({"text/plain": f"at {n}"}, raw=True)
    time.sleep(0.002)
""".strip()
WHO = "import os\nprint('pids', os.getpid(), os.getppid())"


def book() -> bytes:
    sources = {
        "who": WHO,
        "one": TALKS,
        "two": TALKS.replace("n in range(40)", "n in range(40, 80)"),
    }
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
    found: dict[str, Any] = {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(found, indent=1).encode() + b"\n"


def words_of(outputs: Any) -> set[str]:
    return set(WORD.findall(json.dumps(outputs)))


@dataclass
class Page:
    """What somebody has seen of a notebook."""

    cells: dict[str, dict[str, Any]] = field(default_factory=dict[str, Any])
    state: dict[str, Any] = field(default_factory=dict[str, Any])
    seen: set[str] = field(default_factory=set[str])

    def take(self, message: dict[str, Any]) -> None:
        match message["type"]:
            case "notebook":
                self.cells = message["cells"]
            case "cell":
                self.cells[message["cell"]] = message
            case "append":
                output = self.cells[message["cell"]]["outputs"][message["index"]]
                output["text"] = output["text"][: message["keep"]] + message["text"]
            case _:
                self.state = message
        self.seen |= words_of([cell["outputs"] for cell in self.cells.values()])

    @property
    def pids(self) -> list[int]:
        """The kernel's process and its keeper's, once the first cell has told them."""
        found = re.search(r"pids (\d+) (\d+)", json.dumps(self.cells.get("who", {})))
        return [] if found is None else [int(found[1]), int(found[2])]

    @property
    def is_dead(self) -> bool:
        kernel = self.state.get("kernel")
        return kernel is not None and kernel["state"] == "dead"

    @property
    def is_done(self) -> bool:
        return bool(self.state) and not self.state["running"] and not self.state["queue"]


class Server:
    """Recto, in a process that is killed and begun again."""

    def __init__(self, process: anyio.abc.Process, folder: Path) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self._input = process.stdin
        self._lines = BufferedByteReceiveStream(process.stdout)
        self.folder = folder
        self.file = folder / "n.ipynb"
        self.pid = 0
        self.url = ""
        self._project = ""

    async def begin(self) -> None:
        home = self.folder.parent / "home"
        task = {"home": str(home), "folder": str(self.folder), "kill_at": None}
        await self._input.send(json.dumps(task).encode() + b"\n")
        born = await self._next()
        self.pid, self.url = born["pid"], born["url"]
        async with self.client() as client:
            self._project = (await client.get("/api/v1/projects/current")).json()["id"]

    def client(self) -> httpx.AsyncClient:
        return httpx.AsyncClient(base_url=self.url, headers=HEADERS, timeout=60)

    async def post(self, what: str, **body: Any) -> httpx.Response:
        async with self.client() as client:
            path = f"/api/v1/projects/{self._project}/notebooks/{what}"
            return await client.post(path, json={"path": "n.ipynb", **body})

    @asynccontextmanager
    async def feed(self) -> AsyncGenerator[ClientConnection]:
        place = f"/api/v1/projects/{self._project}/notebooks/feed?path={quote('n.ipynb')}"
        address = self.url.replace("http", "ws") + place
        async with connect(address, additional_headers=HEADERS) as socket:
            yield socket

    async def kill(self) -> None:
        os.kill(self.pid, signal.SIGKILL)
        assert (await self._next())["ended"] == -signal.SIGKILL

    async def _next(self) -> dict[str, Any]:
        with anyio.fail_after(120):
            return json.loads(await self._lines.receive_until(b"\n", 1 << 20))


async def hear(socket: ClientConnection, page: Page) -> None:
    try:
        with anyio.fail_after(120):
            page.take(json.loads(await socket.recv()))
    except TimeoutError:
        raise AssertionError(f"nothing more is told: {page}") from None


async def until_gone(handles: list[int]) -> None:
    """Wait until these processes have ended."""
    for handle in handles:
        has_ended = await anyio.to_thread.run_sync(ends, handle)
        os.close(handle)
        assert has_ended, "a process was left"


def ends(handle: int) -> bool:
    return bool(select.select([handle], [], [], 60)[0])


async def run_until(server: Server, victim: str, chance: random.Random) -> set[str]:
    """Run all cells and kill somebody on the way; the words that were shown."""
    page = Page()
    async with server.feed() as socket:
        while not page.state:
            await hear(socket, page)
        before = page.pids
        answer = await server.post("run", restart=True)
        assert answer.status_code == 202, answer.text
        while page.pids in ([], before):
            assert page.state["problem"] == "", page.state
            await hear(socket, page)
        handles = [os.pidfd_open(pid) for pid in page.pids]
        for _ in range(chance.randrange(12)):
            if not page.is_done:
                await hear(socket, page)
        await anyio.sleep(chance.random() * 0.03)
        if victim == "kernel":
            with suppress(ProcessLookupError):
                os.kill(page.pids[0], signal.SIGKILL)
            while not page.is_dead:
                await hear(socket, page)
        else:
            await server.kill()
            with suppress(ConnectionClosed):
                while True:  # what was sent before the end was shown
                    page.take(json.loads(await socket.recv()))
    await until_gone(handles)
    return {word for word in page.seen if word.startswith(f"[{page.pids[0]}.")}


async def check_kept(server: Server, seen: set[str]) -> None:
    """Everything that was shown is there for somebody who comes now, and soon in the file."""
    page = Page()
    async with server.feed() as socket:
        while not page.is_done:
            await hear(socket, page)
        assert seen - page.seen == set()
        # The end of a run is told again once it is saved.
        while seen - words_of(json.loads(server.file.read_bytes())["cells"]):
            await hear(socket, page)


async def test_nothing_shown_is_lost_and_no_process_is_left(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    kernel_home(tmp_path_factory, monkeypatch)
    # Where sockets can lie: a test's own folder has a path that is too long for them.
    private = Path(tempfile.mkdtemp(prefix="recto-kills-", dir="/tmp"))
    (tmp_path / "home").mkdir()
    (tmp_path / "folder").mkdir()
    chance = random.Random(20)
    seen_at_all = 0
    async with await anyio.open_process(
        [sys.executable, "-m", "tests.documents.typist"],
        stderr=sys.stderr,
        start_new_session=True,
        env={**os.environ, "TMPDIR": str(private)},
    ) as process:
        try:
            server = Server(process, tmp_path / "folder")
            server.file.write_bytes(book())
            await server.begin()
            for life in range(1, KILLS + 1):
                victim = ("kernel", "server")[life % 2]
                seen = await run_until(server, victim, chance)
                parse(server.file.read_bytes())  # never torn
                if victim == "server":
                    assert [name for name in os.listdir(private) if "kernel" in name] == []
                    await server.begin()
                await check_kept(server, seen)
                seen_at_all += len(seen)
            assert seen_at_all > 0
        finally:
            os.killpg(process.pid, signal.SIGKILL)
    # A file that was being written when its writer was killed is seen by nobody but this test.
    left = [name for name in os.listdir(tmp_path / "folder") if not name.startswith(".recto-tmp-")]
    assert left == ["n.ipynb"]
    shutil.rmtree(private)
