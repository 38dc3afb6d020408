import json
import logging
import stat
from pathlib import Path

import pytest

from recto.config import Home, Secret, save_keys
from recto.server import logging_to
from tests.fakes import FakeClock
from tests.served import TOKEN, Served, served

pytestmark = pytest.mark.anyio

CANARY = "sk-canary-0123456789abcdef"


def lines(file: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


async def test_known_and_likely_secrets_are_blotted_out(tmp_path: Path) -> None:
    file = tmp_path / "log"
    with logging_to(file, "info", [Secret("hunter2-hunter2")], FakeClock()):
        log = logging.getLogger("recto.test")
        log.info("using hunter2-hunter2")
        log.info("Authorization: Bearer abcdef123456", extra={"api_key": "api_key=abcdef123456"})
        try:
            raise ValueError(f"refused {CANARY}")
        except ValueError:
            log.exception("failed")
    text = file.read_text(encoding="utf-8")
    assert [word for word in ("hunter2-hunter2", "abcdef123456", CANARY) if word in text] == []
    assert len(lines(file)) == 3
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


async def test_a_request_is_logged_without_its_address(recto: Served) -> None:
    async with recto.browser(), recto.script() as script:
        await script.get("/api/v1/projects", params={"cursor": "private-words"})
    # The test's own HTTP client logs into the same file.
    ours = [line for line in lines(recto.home.log_file) if line["logger"] != "httpx"]
    log = json.dumps(ours)
    assert "/api/v1/projects" in log
    assert "private-words" not in log
    assert recto.ready.link.rpartition("/")[2] not in log
    assert TOKEN not in log


async def test_no_key_is_written_anywhere_but_its_own_file(tmp_path: Path) -> None:
    home, folder = tmp_path / "home", tmp_path / "folder"
    home.mkdir()
    save_keys(Home(home), {"ANTHROPIC_API_KEY": Secret(CANARY)})
    async with served(home, folder) as recto, recto.script() as script:
        answers = [
            (await script.get(path)).text
            for path in ("/api/v1/doctor", "/api/v1/projects/current", "/api/v1/openapi.json", "/")
        ]
    written = {path.name for path in home.rglob("*") if CANARY.encode() in path.read_bytes()}
    assert written == {"keys.env"}
    assert [text for text in answers if CANARY in text] == []
