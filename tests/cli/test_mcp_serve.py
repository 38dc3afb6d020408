"""`recto mcp serve` as a client starts it: by itself, and beside a Recto that runs already."""

import json
import os
import signal
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any, TextIO

import pytest

from recto.cli.running_server import fetch
from recto.config import Home, find_running
from tests.cli.recto import Command
from tests.forking import Started

Json = dict[str, Any]
LEGACY = "2025-06-18"
MODERN = "2026-07-28"
NUMBERS = count(1)
META = {
    "io.modelcontextprotocol/protocolVersion": MODERN,
    "io.modelcontextprotocol/clientInfo": {"name": "new-client", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}


@dataclass(frozen=True, slots=True)
class Client:
    """A program that has started `recto mcp serve`."""

    process: Started
    typing: TextIO
    """Where it writes what the command reads."""

    def ask(self, method: str, **params: Any) -> Json:
        body = {"jsonrpc": "2.0", "id": next(NUMBERS), "method": method, "params": params}
        self.send(body)
        answer = json.loads(self.process.stdout.readline())
        assert answer["id"] == body["id"], answer
        return answer

    def send(self, body: Json) -> None:
        self.typing.write(json.dumps(body) + "\n")
        self.typing.flush()

    def shake_hands(self) -> None:
        named = {"name": "old-client", "title": "Old Client", "version": "1"}
        told = self.ask("initialize", protocolVersion=LEGACY, capabilities={}, clientInfo=named)
        assert told["result"]["protocolVersion"] == LEGACY
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})


@contextmanager
def client_of(recto: Command, folder: Path) -> Generator[Client]:
    theirs, ours = os.pipe()
    process = recto.fork("mcp", "serve", str(folder), stdin=theirs)
    os.close(theirs)
    try:
        with os.fdopen(ours, "w", encoding="utf-8") as typing:
            yield Client(process, typing)
    finally:
        process.communicate(timeout=60)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "folder"
    made.mkdir()
    (made / "tides.md").write_text("The sea comes twice.\n", encoding="utf-8")
    return made


def edit(new: str) -> Json:
    arguments = {"path": "tides.md", "old_string": "sea", "new_string": new}
    return {"name": "edit_file", "arguments": arguments}


def reviews(home: Path) -> list[str]:
    """Who waits for a review in the Recto that serves a home."""
    running = find_running(Home(home))
    assert running is not None
    (project,) = fetch(running, "/api/v1/projects")["items"]
    found = fetch(running, f"/api/v1/projects/{project['id']}/reviews")["items"]
    return [edit["model"] for review in found for edit in review["edits"]]


def test_alone_it_is_a_whole_recto_until_its_client_ends(recto: Command, folder: Path) -> None:
    lay_settings(recto.home)
    with client_of(recto, folder) as client:
        client.shake_hands()
        told = client.ask("tools/call", **edit("water"))
        assert told["result"]["content"][0]["text"].startswith("Replaced the passage")
        assert reviews(recto.home) == ["Old Client"]
        wrong = client.ask("tools/call", name="no_such", arguments={})
        assert wrong["error"]["message"] == "There is no tool 'no_such'."
    assert client.process.wait(0) == 0
    assert find_running(Home(recto.home)) is None


def test_beside_a_running_recto_it_works_through_that_one_and_outlives_it(
    recto: Command, folder: Path
) -> None:
    lay_settings(recto.home)
    server = recto.start(folder)
    try:
        assert server.stdout.readline()
        with client_of(recto, folder) as client:
            told = client.ask("tools/call", **edit("water"), _meta=META)
            assert not told["result"].get("isError"), told
            running = find_running(Home(recto.home))
            assert running is not None
            assert running.pid == server.pid
            assert reviews(recto.home) == ["new-client"]
            server.send_signal(signal.SIGINT)
            server.communicate(timeout=60)
            asked = client.ask("tools/call", name="what_changed", arguments={}, _meta=META)
            text = asked["result"]["content"][0]["text"]
            assert "tides.md: edited by new-client" in text
    finally:
        if server.returncode is None:
            server.kill()
            server.communicate()


def test_what_can_not_be_served_is_said_in_one_line(recto: Command, tmp_path: Path) -> None:
    missing = recto.run("mcp", "serve", str(tmp_path / "nowhere"))
    assert (missing.returncode, missing.stdout) == (2, "")
    assert missing.stderr.startswith("recto: There is no folder")
    lay_settings(recto.home)
    own = recto.run("mcp", "serve", str(recto.home))
    assert (own.returncode, own.stdout) == (2, "")
    assert "Recto keeps its own records" in own.stderr


def lay_settings(home: Path) -> None:
    """Any free port will do."""
    home.mkdir(exist_ok=True)
    (home / "settings.toml").write_text("[server]\nport = 0\n", encoding="utf-8")
