"""Hostile servers, one for each way: only their own call is harmed, and nothing stays behind."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import anyio
import pytest

from recto.mcp.calls import IDLE_S
from tests.fakes.providers import AnthropicServer
from tests.mcp.conftest import Servers, lay_servers, program, talk_with
from tests.mcp.talking import call_tool
from tests.talk import Json

pytestmark = pytest.mark.anyio


async def test_a_server_that_fails_harms_only_its_own_call(
    upstream: AnthropicServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("recto.mcp.server.FIRST_PAUSE_S", 0.05)
    bad = ["echo", "hang", "die", "flood", "endless", "big", "broken"]
    # Nonsense in answer to the newest revision's first question makes a server old, not dead.
    lay_servers(tmp_path / "home", bad=program(tools=bad), good=program(garbled=True))
    async with talk_with(upstream, tmp_path) as (talk, servers):
        expected = {
            "big": "50,0",  # its size, and that it is too large
            "broken": "is not JSON-RPC",
            "hang": "did not answer in 2 s",
            "die": "not known",
            "flood": "not known",
            "endless": "not known",
        }
        for name, words in expected.items():
            # Short only for the one that hangs: 50 MB take a while on a busy machine.
            monkeypatch.setattr("recto.mcp.tool.IDLE_S", 2.0 if name == "hang" else IDLE_S)
            failed = await call_tool(talk, upstream, f"bad__{name}")
            assert failed["state"] == "error"
            assert words in failed["text"], (name, failed["text"])
            monkeypatch.setattr("recto.mcp.tool.IDLE_S", IDLE_S)
            # Another server never noticed, and this one works again.
            fine = await call_tool(talk, upstream, "good__echo", {"text": "Fine."})
            assert fine["text"] == "Fine."
            await servers.ready("bad")
        with anyio.fail_after(120):
            after = await call_tool(talk, upstream, "bad__echo", {"text": "Again."})
            while "it ended" in after["text"]:
                # The end of the last program was not noticed yet; the next call meets a new one.
                after = await call_tool(talk, upstream, "bad__echo", {"text": "Again."})
        assert after["text"] == "Again."


class HearingPauses:
    """anyio, of which is heard how long pauses are."""

    def __init__(self) -> None:
        self.pauses: list[float] = []

    def __getattr__(self, name: str) -> object:
        return getattr(anyio, name)

    def move_on_after(self, delay: float) -> anyio.CancelScope:
        if delay < 1:
            self.pauses.append(delay)
        return anyio.move_on_after(delay)


async def test_one_that_hangs_at_its_start_is_tried_again_after_growing_pauses(
    upstream: AnthropicServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    heard = HearingPauses()
    monkeypatch.setattr("recto.mcp.servers.FIRST_LOOK_S", 2.0)
    notes = tmp_path / "notes"
    lay_servers(tmp_path / "home", good=program())
    async with talk_with(upstream, tmp_path) as (talk, servers):
        await servers.ready("good")
        monkeypatch.setattr("recto.mcp.server.anyio", heard)
        monkeypatch.setattr("recto.mcp.server.FIRST_PAUSE_S", 0.01)
        monkeypatch.setattr("recto.mcp.server.START_S", 0.3)
        stuck = {"name": "stuck", **program(silent=True, file=str(notes))}
        await talk.post(servers.address, stuck, status=201)
        # A chat does not wait for it.
        fine = await call_tool(talk, upstream, "good__echo", {"text": "Fine."})
        assert fine["text"] == "Fine."
        # What a server writes to its error output is kept to be read.
        good = (await servers.get("good"))["id"]
        log = await talk.client.get(f"{servers.address}/{good}/log")
        assert "echoing" in log.json()["lines"]
        failed = await servers.until("stuck", lambda one: one["state"] == "failed")
        assert "did not answer in time" in failed["words"]
        assert [pause for pause in heard.pauses if pause != 0.3] == [0.01, 0.02, 0.04, 0.08]
        assert notes.read_text("utf-8").count("started") == 5
        # It is tried again when a chat needs it, and not at once.
        monkeypatch.setattr("recto.mcp.server.REST_S", 0.0)
        fine = await call_tool(talk, upstream, "good__echo", {"text": "Fine."})
        await servers.until("stuck", lambda one: notes.read_text("utf-8").count("started") == 6)


async def test_what_a_server_starts_ends_with_it_and_with_its_project(
    upstream: AnthropicServer, tmp_path: Path
) -> None:
    lay_servers(tmp_path / "folder" / ".recto", one=program(tools=["family"]))
    async with talk_with(upstream, tmp_path) as (talk, servers):
        await servers.put("one", "/approval", await approval(servers))
        await servers.ready("one")
        first = int((await call_tool(talk, upstream, "one__family"))["text"])
        assert is_alive(first)
        await servers.post("one", "/restart")
        assert not is_alive(first)
        await servers.ready("one")
        second = int((await call_tool(talk, upstream, "one__family"))["text"])
        assert is_alive(second)
        handle = os.pidfd_open(second)
        place = f"/api/v1/projects/{talk.project_id}"
        answer = await talk.client.delete(place, params={"confirm": "folder"})
        assert answer.status_code == 204, answer.text
        await ended(handle)


async def approval(servers: Servers) -> Json:
    shown = (await servers.get("one"))["approval"]
    return {"digest": shown["digest"], "approved": True}


KILLED = """
import sys, anyio
from pathlib import Path
from recto.app import open_mcp
from recto.config import Home

async def main():
    async with open_mcp(Home(Path(sys.argv[1])), Path(sys.argv[2])) as (servers, workspace):
        look = await servers.look("", workspace)
        await look.servers[0].settled()
        print("ready", flush=True)
        await anyio.sleep_forever()

anyio.run(main)
"""


def test_nothing_outlives_a_killed_recto(tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    (tmp_path / "folder").mkdir()
    lay_servers(tmp_path / "home", one=program(file=str(notes)))
    argv = [sys.executable, "-c", KILLED, str(tmp_path / "home"), str(tmp_path / "folder")]
    with subprocess.Popen(argv, stdout=subprocess.PIPE) as recto:
        assert recto.stdout is not None
        assert recto.stdout.readline() == b"ready\n"
        started = int(notes.read_text(encoding="utf-8").split()[1])
        handle = os.pidfd_open(started)
        recto.send_signal(signal.SIGKILL)
    anyio.run(ended, handle)


async def ended(handle: int) -> None:
    """Wait for the end of a process."""
    try:
        with anyio.fail_after(60):
            await anyio.wait_readable(handle)
    finally:
        os.close(handle)


def is_alive(pid: int) -> bool:
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            return file.read().rpartition(b")")[2].split()[0] != b"Z"
    except FileNotFoundError:
        return False
