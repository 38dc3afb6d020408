import asyncio
import errno
import json
import logging
import stat
from contextlib import ExitStack
from pathlib import Path

import pytest
from sqlalchemy import exc

from recto.config import Home, Secret, save_keys
from recto.server import logging_to
from recto.storage import Storage
from recto.storage.tables import document_updates
from tests.fakes import FakeClock
from tests.served import TOKEN, Served, served
from tests.storage.server import running_server, url

pytestmark = pytest.mark.anyio

CANARY = "sk-canary-0123456789abcdef"
CONTENT = "what somebody wrote in a document"


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


async def test_an_error_is_logged_with_its_places_and_without_its_words(tmp_path: Path) -> None:
    """Whatever raised it, and however deep: its words may be those of a document."""
    file = tmp_path / "log"

    def fail() -> None:
        try:
            raise OSError(errno.EBADF, CONTENT)
        except OSError as error:
            error.add_note(CONTENT)
            raise ExceptionGroup(CONTENT, [KeyError(CONTENT), ValueError(CONTENT)]) from error

    async def fail_unheard() -> None:
        raise LookupError(CONTENT)

    with logging_to(file, "info", [], FakeClock()):
        try:
            fail()
        except ExceptionGroup:
            logging.getLogger("recto.test").exception("failed")
        task = asyncio.create_task(fail_unheard())
        await asyncio.wait([task])
        asyncio.get_running_loop().default_exception_handler(
            {"message": "Task exception was never retrieved", "future": task}
            | {"exception": task.exception()}
        )
    text = file.read_text(encoding="utf-8")
    assert CONTENT not in text
    failed, unheard = lines(file)
    traceback = str(failed["traceback"])
    kinds = ("OSError (EBADF)", "ExceptionGroup", "KeyError", "ValueError")
    assert [kind for kind in kinds if kind not in traceback] == []
    assert "in fail\n" in traceback
    assert unheard["message"] == "Task exception was never retrieved"
    assert "LookupError" in str(unheard["traceback"])


@pytest.mark.parametrize("engine", ["sqlite", "postgres"])
async def test_a_statement_that_fails_is_logged_without_what_it_was_to_store(
    tmp_path: Path, engine: str
) -> None:
    file = tmp_path / "log"
    with ExitStack() as stack:
        where: str | Path = tmp_path / "recto.db"
        if engine == "postgres":
            where = url(stack.enter_context(running_server()))
        storage = await Storage.open(where, clock=FakeClock())
        stack.enter_context(logging_to(file, "info", [], FakeClock()))
        row = {
            "document_id": CONTENT,
            "seq": 1,
            "data": CONTENT.encode(),
            "origin": {"by": CONTENT},
        }
        try:
            async with storage.write() as write:
                # A bug: a column that must have a value is left out.
                await write.insert_all(document_updates, [row, row])
        except exc.StatementError:
            logging.getLogger("recto.test").exception("a bug")
        await storage.close()
    assert CONTENT not in file.read_text(encoding="utf-8")
    (line,) = lines(file)
    assert "IntegrityError" in str(line["traceback"])


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
    # I10: not in the log, not in the store.
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
