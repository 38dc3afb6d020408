import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from recto.config import (
    ConfigFailure,
    Home,
    RunningServer,
    claim_home,
    find_home,
    find_running,
    open_home,
)


def test_recto_home_says_where(tmp_path: Path) -> None:
    assert find_home({"RECTO_HOME": str(tmp_path)}) == Home(tmp_path)


def test_without_it_the_platform_says_where() -> None:
    assert find_home({}).folder.name == "recto"


@pytest.mark.parametrize("value", ["", "relative/path"])
def test_a_path_that_is_not_absolute_is_refused(value: str) -> None:
    with pytest.raises(ConfigFailure, match="not an absolute path"):
        find_home({"RECTO_HOME": value})


def test_a_new_home_is_made_for_the_user_alone(tmp_path: Path) -> None:
    home = open_home({"RECTO_HOME": str(tmp_path / "a" / "b")})
    assert stat.S_IMODE(home.folder.stat().st_mode) == 0o700


def test_a_home_that_is_a_file_is_refused_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(ConfigFailure, match="can't be written") as caught:
        open_home({"RECTO_HOME": str(tmp_path / "file")})
    assert "\n" not in str(caught.value)


def test_a_claim_tells_others_how_to_reach_the_server(tmp_path: Path) -> None:
    home = Home(tmp_path)
    assert find_running(home) is None
    claim = claim_home(home)
    assert find_running(home) is None, "it has not said yet how"
    claim.publish("http://127.0.0.1:1", "token")
    assert find_running(home) == RunningServer(os.getpid(), "http://127.0.0.1:1", "token")
    claim.release()
    assert find_running(home) is None
    assert home.running_file.read_bytes() == b""


def test_a_home_is_claimed_once(tmp_path: Path) -> None:
    claim = claim_home(Home(tmp_path))
    with pytest.raises(ConfigFailure, match="Another Recto"):
        claim_home(Home(tmp_path))
    claim.release()
    claim_home(Home(tmp_path)).release()


def test_what_a_killed_server_left_behind_means_nothing(tmp_path: Path) -> None:
    code = (
        "import os, signal; from pathlib import Path; from recto.config import Home, claim_home\n"
        f"claim_home(Home(Path({str(tmp_path)!r}))).publish('http://127.0.0.1:1', 'token')\n"
        "os.kill(os.getpid(), signal.SIGKILL)"
    )
    subprocess.run([sys.executable, "-c", code], check=False)
    assert json.loads(Home(tmp_path).running_file.read_bytes())["token"] == "token"
    assert find_running(Home(tmp_path)) is None
