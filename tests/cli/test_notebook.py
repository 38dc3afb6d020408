"""`recto notebook run`, with a real kernel."""

from pathlib import Path

import anyio.to_thread
import pytest

from recto.cli.failures import CommandFailed
from recto.cli.notebook import build_parser, run
from recto.config import Home, Secret, save_keys
from recto.notebooks import parse
from tests.cli.recto import Command
from tests.fakes.providers import AnthropicServer, calls, says
from tests.notebooks.places import kernel_home
from tests.notebooks.test_tools import book, cell
from tests.served import point_anthropic_at
from tests.talk import MODEL


@pytest.fixture(autouse=True)
def home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    kernel_home(tmp_path_factory, monkeypatch)


def recto_notebook(*arguments: str) -> int:
    return run(build_parser().parse_args(["run", *arguments]))


def test_a_notebook_runs_up_to_its_first_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "n.ipynb"
    cells = [cell("a", "x = 20"), cell("b", "x + 1"), cell("e", "x / 0"), cell("z", "never")]
    file.write_bytes(book(*cells))

    assert recto_notebook(str(file)) == 1

    told = capsys.readouterr().err
    assert told.splitlines()[:4] == [
        "Python 3 (ipykernel), 4 cells",
        "[1/4] x = 20",
        "[2/4] x + 1",
        "[3/4] x / 0",
    ]
    assert "ZeroDivisionError" in told
    found = parse(file.read_bytes())
    assert [item.execution_count for item in found.cells] == [1, 2, 3, None]
    assert found.cells[1].outputs[0]["data"] == {"text/plain": ["21"]}


def test_a_cell_that_takes_too_long_is_interrupted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "n.ipynb"
    file.write_bytes(book(cell("a", "print(1)"), cell("b", "while True: pass")))
    assert recto_notebook(str(file), "--timeout", "8", "--kernel", "python3") == 1
    assert "It took over 8 s and was interrupted." in capsys.readouterr().err
    assert parse(file.read_bytes()).cells[1].outputs[0]["ename"] == "KeyboardInterrupt"


def test_what_can_not_be_run_is_said(tmp_path: Path) -> None:
    file = tmp_path / "n.ipynb"
    with pytest.raises(CommandFailed, match="There is no file"):
        recto_notebook(str(file))
    file.write_bytes(b"{")
    with pytest.raises(CommandFailed, match="not a notebook that can be read"):
        recto_notebook(str(file))
    file.write_bytes(book(cell("a", "1")))
    with pytest.raises(CommandFailed, match="There is no kernel forth"):
        recto_notebook(str(file), "--kernel", "forth")
    with pytest.raises(SystemExit):
        recto_notebook(str(file), "--timeout", "-1")
    assert file.read_bytes() == book(cell("a", "1"))


@pytest.mark.anyio
async def test_a_turn_runs_a_notebook_without_a_page(tmp_path: Path) -> None:
    home, folder = tmp_path / "home", tmp_path / "folder"
    folder.mkdir()
    (folder / "n.ipynb").write_bytes(book(cell("a", "print('high', 6 * 7)")))
    async with AnthropicServer() as upstream:
        point_anthropic_at(home, upstream.url)
        save_keys(Home(home), {"ANTHROPIC_API_KEY": Secret("test-key")})
        upstream.answer(calls("run_cell", {"path": "n.ipynb", "cell": "a"}))
        upstream.answer(says("It ran."))
        given = ["run", "Run it.", "--yes", "--folder", str(folder), "--model", MODEL]
        ran = await anyio.to_thread.run_sync(lambda: Command(home).run(*given))
    assert (ran.returncode, ran.stdout) == (0, "It ran.\n"), ran.stderr
    (output,) = parse((folder / "n.ipynb").read_bytes()).cell("a").outputs
    assert output["text"] == ["high 42\n"]
