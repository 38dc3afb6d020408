import json
import signal
import socket
import urllib.request
from pathlib import Path

import pytest

from tests.cli.recto import READY, Command, ready_line


def get(url: str, token: str) -> bytes:
    request = urllib.request.Request(url, headers={"Authorization": f"Bearer {token}"})
    with urllib.request.urlopen(request, timeout=120) as answer:
        return answer.read()


def test_it_says_where_it_is_ready_answers_there_and_stops_with_nothing_but_quiet(
    recto: Command, tmp_path: Path
) -> None:
    command = Command(recto.home, {"RECTO_TOKEN": "a-token-of-mine-0123"})
    process = command.start_anew(tmp_path)
    try:
        line = ready_line(process)
        assert line.startswith(READY + "http://127.0.0.1:")
        address = line.removeprefix(READY).partition("/open/")[0]
        project = json.loads(get(address + "/api/v1/projects/current", "a-token-of-mine-0123"))
    finally:
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=120)
    assert project["path"] == str(tmp_path)
    assert (process.returncode, out, err) == (0, "", "")


def test_a_script_can_read_the_ready_line_as_json(recto: Command, tmp_path: Path) -> None:
    with recto.serving(tmp_path, "--json") as line:
        assert json.loads(line)["url"].startswith("http://127.0.0.1:")


def test_a_second_recto_lets_the_first_open_the_folder(recto: Command, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    with recto.serving(tmp_path) as line:
        second = recto.run(str(other), "--no-open")
        first_address = line.removeprefix(READY).partition("/open/")[0]
        assert second.returncode == 0, second.stderr
        assert second.stdout.startswith(f"{READY}{first_address}/open/")
        assert "?project=" in second.stdout


def test_after_a_kill_it_starts_again(recto: Command, tmp_path: Path) -> None:
    process = recto.start(tmp_path)
    ready_line(process)
    process.kill()
    process.communicate(timeout=120)
    with recto.serving(tmp_path) as line:
        assert line.startswith(READY)


def refused(outcome: tuple[int, str]) -> str:
    """The one line of a refusal."""
    code, text = outcome
    assert code == 2
    lines = text.splitlines()
    assert len(lines) == 1, text
    assert lines[0].startswith("recto: ")
    return lines[0]


def test_a_folder_that_does_not_exist_is_one_clear_line(recto: Command, tmp_path: Path) -> None:
    outcome = recto.run(str(tmp_path / "nothing"))
    assert "There is no folder" in refused((outcome.returncode, outcome.stderr))


def test_a_file_instead_of_a_folder_is_one_clear_line(recto: Command, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    outcome = recto.run(str(tmp_path / "file"))
    assert "is a file" in refused((outcome.returncode, outcome.stderr))


def test_the_folder_of_the_records_is_no_project(recto: Command) -> None:
    recto.home.mkdir()
    outcome = recto.run(str(recto.home))
    assert "keeps its own records" in refused((outcome.returncode, outcome.stderr))


def test_a_port_that_is_taken_is_one_clear_line(recto: Command, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        outcome = recto.run(str(tmp_path), "--no-open", "--port", port)
    assert f"Port {port} is taken" in refused((outcome.returncode, outcome.stderr))


def test_a_home_that_cannot_be_written_is_one_clear_line(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    outcome = Command(tmp_path / "file" / "home").run(str(tmp_path), "--no-open")
    assert "can't be written" in refused((outcome.returncode, outcome.stderr))


def test_settings_with_a_mistake_are_one_clear_line(recto: Command, tmp_path: Path) -> None:
    recto.home.mkdir()
    (recto.home / "settings.toml").write_text("[server]\nport = 'x'\n", encoding="utf-8")
    outcome = recto.run(str(tmp_path), "--no-open")
    assert "settings.toml, line 2: server.port" in refused((outcome.returncode, outcome.stderr))


def test_records_that_are_no_database_are_one_clear_line(recto: Command, tmp_path: Path) -> None:
    recto.home.mkdir()
    (recto.home / "recto.db").write_bytes(b"nonsense" * 1000)
    outcome = recto.run(str(tmp_path), "--no-open", "--port", "0")
    refused((outcome.returncode, outcome.stderr))
    assert (recto.home / "recto.db").read_bytes() == b"nonsense" * 1000


@pytest.mark.parametrize(
    ("arguments", "environment", "says"),
    [
        (["--host", "0.0.0.0"], {}, "Set RECTO_TOKEN"),
        (["--host", "0.0.0.0"], {"RECTO_TOKEN": "x" * 30}, "--plain-http"),
        ([], {"RECTO_TOKEN": "short"}, "RECTO_TOKEN is too short"),
        (["--host", "256.1.1.1", "--plain-http"], {"RECTO_TOKEN": "x" * 30}, "Can't listen"),
    ],
)
def test_a_careless_binding_is_refused(
    recto: Command, tmp_path: Path, arguments: list[str], environment: dict[str, str], says: str
) -> None:
    command = Command(recto.home, environment)
    outcome = command.run(str(tmp_path), "--no-open", "--port", "0", *arguments)
    assert says in refused((outcome.returncode, outcome.stderr))


def test_a_wrong_port_says_what_is_allowed(recto: Command) -> None:
    outcome = recto.run("--port", "99999")
    assert outcome.returncode == 2
    assert "from 0 to 65535" in outcome.stderr


def test_help_shows_examples_and_version_the_version(recto: Command) -> None:
    shown = recto.run_anew("--help")
    assert (shown.returncode, "examples:" in shown.stdout) == (0, True)
    assert recto.run_anew("--version").stdout.startswith("recto 0.")


def test_help_imports_nothing_heavy(recto: Command) -> None:
    command = Command(recto.home, {"PYTHONPROFILEIMPORTTIME": "1"})
    imported = command.run_anew("--help").stderr
    heavy = ("fastapi", "sqlalchemy", "pydantic", "asyncio", "uvicorn", "alembic", "watchfiles")
    assert [name for name in heavy if f" {name}\n" in imported] == []
