"""SIGKILL while a Word document is typed in: it is never torn, nothing acknowledged is lost."""

import io
import os
import random
import threading
from http.client import HTTPException
from pathlib import Path
from typing import Any

import docx
import pytest

from tests.cli.recto import Command
from tests.faults.test_kill_during_writes import TOKEN, ask, kill, start
from tests.word.documents import by_hand, paragraph, parts_of

KILLS = int(os.environ.get("RECTO_WORD_KILLS", "2"))


class Typist(threading.Thread):
    """Types one word after the other, and remembers what the server said to be saved."""

    def __init__(self, address: str, project: str, text: str) -> None:
        super().__init__(daemon=True)
        self._root = f"/api/v1/projects/{project}/word"
        self._address = address
        self.acknowledged = self.attempted = text
        self.answered = threading.Semaphore(0)

    def run(self) -> None:
        try:
            page = ask(self._address, "GET", f"{self._root}?path=a.docx&tab=one")
            for number in range(1000):
                self.attempted = f"{self.acknowledged} {number}"
                edit: dict[str, Any] = {"do": "text", "paragraph": 1, "base": self.acknowledged}
                edits = [{**edit, "text": self.attempted}]
                body = {"path": "a.docx", "hash": page["hash"], "tab": "one", "isTracked": False}
                page = ask(self._address, "POST", f"{self._root}/edits", {**body, "edits": edits})
                self.acknowledged = self.attempted
                self.answered.release()
        except (OSError, HTTPException, ValueError):
            return  # the server is gone


@pytest.mark.slow
def test_kills_while_typing_tear_no_document_and_lose_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    file = folder / "a.docx"
    file.write_bytes(by_hand(paragraph("typed") + paragraph("left alone")))
    before = parts_of(file.read_bytes())
    command = Command(tmp_path / "home", {"RECTO_TOKEN": TOKEN})
    chance = random.Random(20261118)
    text = "typed"
    for _ in range(KILLS):
        process, address = start(command, folder)
        project = ask(address, "GET", "/api/v1/projects/current")["id"]
        typist = Typist(address, project, text)
        typist.start()
        assert typist.answered.acquire(timeout=60)
        # Somewhere in the next save, which takes a good part of a second.
        typist.answered.acquire(timeout=chance.random())
        kill(process)
        typist.join(timeout=60)
        assert not typist.is_alive()
        data = file.read_bytes()
        text, untouched = [item.text for item in docx.Document(io.BytesIO(data)).paragraphs]
        assert text in (typist.acknowledged, typist.attempted)
        assert untouched == "left alone"
        now = parts_of(data)
        assert {name for name in now if now[name] != before[name]} == {"word/document.xml"}
    assert text != "typed"
