"""A folder that turns into a link and back, as fast as it can, lets nothing through."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from recto.workspace.beneath import Opener
from recto.workspace.bulk import read_all
from recto.workspace.failures import WorkspaceFailure
from recto.workspace.files import read_bytes, write
from recto.workspace.jail import Jail

TRIES = int(os.environ.get("RECTO_RACES", "10000"))
READS, WRITES = TRIES * 4 // 5, TRIES // 5
PATIENCE = 50
"""On a busy computer the folder may stay what it is for a while: so many times as many tries."""
SWAP_FOR_EVER = """
import ctypes, os, sys
os.chdir(sys.argv[1])
renameat2 = ctypes.CDLL(None).renameat2
print("ready", flush=True)
while True:
    renameat2(-100, b"folder", -100, b"link", 2)
"""


@pytest.fixture
def swapped() -> Iterator[Path]:
    """A root in memory whose `folder` keeps changing places with a link to the outside."""
    with tempfile.TemporaryDirectory(dir="/dev/shm" if Path("/dev/shm").is_dir() else None) as name:
        around = Path(name)
        (around / "outside").mkdir()
        (around / "outside" / "file").write_bytes(b"outside")
        (around / "root" / "folder").mkdir(parents=True)
        (around / "root" / "folder" / "file").write_bytes(b"inside")
        (around / "root" / "link").symlink_to("../outside")
        swapper = subprocess.Popen(
            [sys.executable, "-c", SWAP_FOR_EVER, str(around / "root")], stdout=subprocess.PIPE
        )
        assert swapper.stdout is not None
        swapper.stdout.readline()
        yield around
        swapper.kill()
        swapper.wait()
        swapper.stdout.close()


@pytest.mark.slow
def test_many_thousand_tries_never_reach_outside(swapped: Path, opener: Opener) -> None:
    jail = Jail(swapped / "root", opener=opener)
    answers = {b"inside": 0, b"outside": 0, b"refused": 0}

    for tried in range(0, PATIENCE * READS, 2):
        if tried >= READS and min(answers[b"inside"], answers[b"refused"]) > 1000:
            break
        answers[attempt_read(jail)] += 1
        answers[attempt_read_in_bulk(jail)] += 1
    written = tried = 0
    while tried < WRITES or (not 100 < written < tried and tried < PATIENCE * WRITES):
        written += attempt_write(jail, tried)
        tried += 1

    jail.close()
    assert answers[b"outside"] == 0
    assert [path.name for path in (swapped / "outside").iterdir()] == ["file"]
    assert (swapped / "outside" / "file").read_bytes() == b"outside"
    assert answers[b"inside"] > 1000
    assert answers[b"refused"] > 1000
    assert 100 < written < tried


def attempt_read(jail: Jail) -> bytes:
    try:
        return read_bytes(jail, "folder/file")
    except WorkspaceFailure:
        return b"refused"


def attempt_read_in_bulk(jail: Jail) -> bytes:
    found = read_all(jail, ["folder/file"])["folder/file"]
    return b"refused" if isinstance(found, WorkspaceFailure) else found.data


def attempt_write(jail: Jail, number: int) -> bool:
    try:
        write(jail, f"folder/new-{number}", b"new", expected_hash=None)
    except WorkspaceFailure:
        return False
    return True
