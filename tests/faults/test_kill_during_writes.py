"""SIGKILL at any moment loses no acknowledged write and damages nothing."""

import json
import os
import random
import sqlite3
import threading
import urllib.request
from collections import Counter
from http.client import HTTPException
from pathlib import Path
from typing import Any

import pytest

from tests.cli.recto import READY, SERVING, Command, ready_line
from tests.forking import Started

TOKEN = "a-token-for-killing-recto"
KILLS = int(os.environ.get("RECTO_WRITE_KILLS", "6"))
PROJECTS = 4

Row = dict[str, Any]


class Writer(threading.Thread):
    """Renames one project again and again, and remembers what was acknowledged."""

    def __init__(self, address: str, project: Row, answered: threading.Semaphore) -> None:
        super().__init__(daemon=True)
        self._address = address
        self._answered = answered
        self.acknowledged = project
        self.attempted = project["name"]

    def run(self) -> None:
        while True:
            self.attempted = f"name {self.acknowledged['version'] + 1}"
            body = {"name": self.attempted, "settings": self.acknowledged["settings"]}
            version = f'"{self.acknowledged["version"]}"'
            path = f"/api/v1/projects/{self.acknowledged['id']}"
            try:
                self.acknowledged = ask(
                    self._address, "PUT", path, body, headers={"If-Match": version}
                )
            except (OSError, HTTPException, ValueError):
                return  # the server is gone
            self._answered.release()


def ask(
    address: str, method: str, path: str, body: object = None, *, headers: Row | None = None
) -> Row:
    request = urllib.request.Request(
        address + path,
        method=method,
        data=None if body is None else json.dumps(body).encode(),
        headers={
            "Authorization": f"Bearer {TOKEN}",
            "Content-Type": "application/json",
            **(headers or {}),
        },
    )
    with urllib.request.urlopen(request, timeout=120) as answer:
        return json.loads(answer.read())


def start(command: Command, folder: Path) -> tuple[Started, str]:
    process = command.fork(str(folder), *SERVING)
    return process, ready_line(process).removeprefix(READY).partition("/open/")[0]


def kill(process: Started) -> None:
    process.kill()
    process.communicate(timeout=120)


def write_until_killed(
    process: Started, address: str, projects: list[Row], answers: int
) -> list[Writer]:
    """Rename every project as fast as it goes; kill the server in the midst, after some answers."""
    answered = threading.Semaphore(0)
    writers = [Writer(address, project, answered) for project in projects]
    for writer in writers:
        writer.start()
    for _ in range(answers):
        assert answered.acquire(timeout=120)
    kill(process)
    for writer in writers:
        writer.join(timeout=120)
        assert not writer.is_alive()
    return writers


def check_nothing_lost(address: str, writer: Writer) -> Row:
    """The last acknowledged write is there, or the one that was under way when the server died."""
    kept = ask(address, "GET", f"/api/v1/projects/{writer.acknowledged['id']}")
    last = writer.acknowledged
    if kept["version"] != last["version"]:
        assert (kept["version"], kept["name"]) == (last["version"] + 1, writer.attempted)
    else:
        assert kept["name"] == last["name"]
    return kept


@pytest.mark.slow
def test_kills_lose_no_acknowledged_write(tmp_path: Path) -> None:
    command = Command(tmp_path / "home", {"RECTO_TOKEN": TOKEN})
    chance = random.Random(20261115)
    process, address = start(command, tmp_path)
    projects: list[Row] = []
    for number in range(PROJECTS):
        (tmp_path / f"p{number}").mkdir()
        body = {"path": str(tmp_path / f"p{number}")}
        projects.append(ask(address, "POST", "/api/v1/projects", body))
    for _ in range(KILLS):
        writers = write_until_killed(process, address, projects, chance.randrange(40))
        process, address = start(command, tmp_path)
        projects = [check_nothing_lost(address, writer) for writer in writers]
    kill(process)

    assert sum(project["version"] for project in projects) > KILLS, "hardly anything was written"
    with sqlite3.connect(tmp_path / "home" / "recto.db") as database:
        assert database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        changes = database.execute("SELECT kind FROM changes ORDER BY seq").fetchall()
        (last,) = database.execute("SELECT max(seq) FROM changes").fetchone()
    database.close()
    assert len(changes) == last, "a change was lost"
    # A new project is told with the skill that it comes with.
    assert Counter(kind for (kind,) in changes) == {
        "project": sum(item["version"] for item in projects),
        "skill": PROJECTS,
    }
