"""`recto export`: a chat as a file, and which chats there are."""

import json
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack
from pathlib import Path

import anyio.to_thread
import pytest

from recto.app import open_services
from recto.clock import SystemClock, SystemIds
from recto.config import Home, Settings
from tests.cli.recto import Command
from tests.served import served

pytestmark = pytest.mark.anyio


@pytest.fixture
async def chat_id(recto: Command, tmp_path: Path) -> str:
    """An empty chat with a title, in the folder `folder`."""
    folder, clock = tmp_path / "folder", SystemClock()
    folder.mkdir()
    recto.home.mkdir()
    ids = SystemIds(clock)
    async with open_services(Home(recto.home), Settings(), folder, clock, ids) as working:
        project = await working.projects.current()
        return (await working.chats.create(project.id, "High\x1b water")).id


@pytest.fixture(params=["alone", "through a running Recto"])
async def run(
    request: pytest.FixtureRequest, recto: Command, chat_id: str, tmp_path: Path
) -> AsyncGenerator["Run"]:
    async with AsyncExitStack() as stack:
        if request.param != "alone":
            await stack.enter_async_context(served(recto.home, tmp_path / "folder"))
        yield Run(recto)


class Run:
    """The command, beside a server in this process."""

    def __init__(self, recto: Command) -> None:
        self._recto = recto

    async def __call__(self, *arguments: str) -> tuple[int, str, str]:
        ran = await anyio.to_thread.run_sync(lambda: self._recto.run("export", *arguments))
        return ran.returncode, ran.stdout, ran.stderr


async def test_a_chat_is_listed_and_written(run: Run, chat_id: str, tmp_path: Path) -> None:
    folder = str(tmp_path / "folder")
    code, listed, _ = await run("--list", "--folder", folder)
    assert (code, listed.startswith(f"{chat_id}  20"), listed[-17:]) == (
        0,
        True,
        "  High\\x1b water\n",
    )
    file = tmp_path / "chat.json"
    assert await run(chat_id, "--format", "json", "-o", str(file)) == (0, "", "")
    assert json.loads(file.read_bytes())["title"] == "High\x1b water"
    code, text, _ = await run(chat_id)
    assert (code, text.startswith("# High")) == (0, True)


@pytest.mark.parametrize("wrong", ["01m7g7yv6r2v3sgvv3nvg6y2fj", "../health?x="])
async def test_an_unknown_chat_is_refused(run: Run, wrong: str) -> None:
    code, out, said = await run(wrong)
    assert (code, out, said.startswith("recto: ")) == (2, "", True)


def test_a_folder_without_chats_says_so(recto: Command, tmp_path: Path) -> None:
    ran = recto.run("export", "--list", "--folder", str(tmp_path))
    assert (ran.returncode, ran.stdout) == (0, "There are no chats in this folder yet.\n")


def test_one_chat_or_the_list(recto: Command) -> None:
    ran = recto.run("export")
    assert (ran.returncode, ran.stderr) == (2, "recto: Name one chat, or use --list to see them.\n")


async def test_a_file_that_can_not_be_written_says_why(run: Run, chat_id: str) -> None:
    code, _, said = await run(chat_id, "-o", "/nowhere/chat.md")
    assert (code, said) == (
        2,
        "recto: /nowhere/chat.md can't be written: No such file or directory.\n",
    )
