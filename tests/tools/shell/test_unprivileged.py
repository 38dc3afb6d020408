"""The sandbox of an ordinary user: no rights are needed."""

import json
import os
import shutil
import sys
import tempfile
from collections.abc import Generator
from pathlib import Path

import anyio
import pytest

from tests.tools.shell.place import survivors

pytestmark = pytest.mark.anyio

# Of this run alone: how many processes there may be is counted for each user.
SOMEBODY = 100_000 + os.getpid()
PROJECT = Path(__file__).parents[3]


@pytest.fixture
def folder() -> Generator[Path]:
    """A folder of somebody else, where they can reach it."""
    if os.geteuid() or not shutil.which("setpriv"):
        pytest.skip("only an administrator can become somebody else, with setpriv")
    top = Path(tempfile.mkdtemp(dir="/tmp"))
    for name in ("", "work", "work/deep", "tmp"):
        (top / name).mkdir(exist_ok=True)
    for name in ("work/a.txt", "work/deep/b.txt", "work/.env"):
        (top / name).write_text("one\n", encoding="utf-8")
    for path in (top, *top.rglob("*")):
        os.chown(path, SOMEBODY, SOMEBODY)
    yield top
    shutil.rmtree(top)


async def test_an_ordinary_user_has_the_same_sandbox(folder: Path) -> None:
    token = f"survivor-{folder.name}"
    become = ["setpriv", f"--reuid={SOMEBODY}", f"--regid={SOMEBODY}", "--clear-groups"]
    run = [sys.executable, "-m", "tests.tools.shell.as_another", str(folder / "work"), token]
    environment = {
        "PATH": os.environ["PATH"],
        "TMPDIR": str(folder / "tmp"),
        "HOME": "/nonexistent",
    }

    with anyio.fail_after(120):
        done = await anyio.run_process([*become, *run], cwd=PROJECT, env=environment, check=False)

    if done.returncode:
        pytest.skip(f"Python can't be run by others here: {done.stderr.decode()[-300:]}")
    answers = json.loads(done.stdout)
    if answers["level"][0] != "sandboxed":
        pytest.skip(f"no sandbox for ordinary users here: {answers['level'][1]}")
    assert answers["changes"] == [
        0,
        f"{SOMEBODY}\n",
        [
            ["deep/b.txt", True, False],
            ["deep", True, False],
            ["a.txt", True, True],
            ["new", False, True],
        ],
    ]
    code, output, changes = answers["outside"]
    assert (code, changes) == (1, [])
    assert "/etc/planted': Read-only file system\n" in output
    assert output.endswith("cat: .env: Permission denied\n")
    assert answers["survivor"] == [0, "", []]
    assert survivors(token) == []
    assert "Resource temporarily unavailable" in answers["too many"][1]
    assert (folder / "work" / "a.txt").read_text("utf-8") == "one\n"
    assert list((folder / "tmp").iterdir()) == []
