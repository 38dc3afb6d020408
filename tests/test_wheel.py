import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


@pytest.mark.slow
def test_the_wheel_holds_the_page_and_the_data_and_runs_nothing_by_itself(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation"]
    subprocess.run([*command, "--wheel-dir", tmp_path, ROOT], check=True)
    (wheel,) = tmp_path.glob("recto-*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    assert {
        "recto/server/static/index.html",
        "recto/gateway/static/gateway.html",
        "recto/access/data/models.json",
        "recto/storage/migrations/versions/m0001_initial.py",
        "recto/py.typed",
    } <= set(names)
    assert [name for name in names if name.endswith((".pth", ".pyc")) or "tests/" in name] == []
