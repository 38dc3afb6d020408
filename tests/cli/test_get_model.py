import hashlib
import json
import signal
from pathlib import Path

from anyio.from_thread import start_blocking_portal

from tests.cli.recto import Command
from tests.fakes.file_server import FileServer

MIB = 2**20
WEIGHTS = b"GGUF" + bytes(4 * MIB)


def name_list(home: Path, server: FileServer) -> None:
    """Have the home take its models from a server of this machine."""
    row = {
        "id": "tiny",
        "name": "Tiny",
        "bytes": len(WEIGHTS),
        "memoryBytes": len(WEIGHTS),
        "licence": "Apache-2.0",
        "url": server.url,
        "sha256": hashlib.sha256(WEIGHTS).hexdigest(),
    }
    home.mkdir()
    (home / "list.json").write_text(json.dumps({"models": [row]}), encoding="utf-8")
    settings = f'[models]\nfile_list = "{home / "list.json"}"\n'
    (home / "settings.toml").write_text(settings, encoding="utf-8")


def test_ctrl_c_keeps_what_has_come_and_the_same_command_goes_on(recto: Command) -> None:
    held = FileServer(WEIGHTS, holds_at=2 * MIB)
    with start_blocking_portal() as portal, portal.wrap_async_context_manager(held) as server:
        name_list(recto.home, server)
        started = recto.fork("models", "get", "tiny")
        while "40 %" not in started.stderr.readline():
            pass
        started.send_signal(signal.SIGINT)
        _, stopped = started.communicate()
        again = recto.run("models", "get", "tiny")
        rows = {row["id"]: row for row in json.loads(recto.run("models", "--json").stdout)}
    assert started.wait(0) == 130
    assert "recto models get tiny" in stopped
    assert "Traceback" not in stopped
    assert (again.returncode, "100 %" in again.stderr) == (0, True), again.stderr
    assert "recto models use builtin/tiny" in again.stdout
    assert server.asked[0] == ""
    assert server.asked[1].startswith("bytes=")
    assert (recto.home / "models" / "tiny.gguf").read_bytes() == WEIGHTS
    assert rows["builtin/tiny"]["current"]


def test_a_wrong_file_is_one_clear_line(recto: Command) -> None:
    with (
        start_blocking_portal() as portal,
        portal.wrap_async_context_manager(FileServer(WEIGHTS)) as server,
    ):
        name_list(recto.home, server)
        server.data = bytes(len(WEIGHTS))
        outcome = recto.run("models", "get", "tiny")
    assert outcome.returncode == 2
    assert "SHA-256" in outcome.stderr.splitlines()[-1]
    assert list((recto.home / "models").iterdir()) == []
