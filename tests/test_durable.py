"""Files survive a crash whole: old or new, never a mix."""

import os
import random
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from recto import durable
from recto.durable import (
    TEMPORARY_PREFIX,
    create_file,
    move_new,
    move_new_by_claim,
    put_in_place,
    replace_file,
)

Mover = Callable[[int, str, int, str], None]
OLD = b"o" * 1_000_000
NEW = b"n" * 1_000_000

WRITE_FOR_EVER = """
import os, sys
from recto.durable import replace_file
folder = os.open(sys.argv[1], os.O_RDONLY)
while True:
    for letter in (b"o", b"n"):
        replace_file(folder, "file", letter * 1_000_000)
        os.write(1, b".")
"""

DIE_BEFORE_CALL = """
import os, signal, sys
import recto.durable as durable
folder = os.open(sys.argv[1], os.O_RDONLY)
calls = iter(range(int(sys.argv[2]), -1, -1))
def deadly(call):
    def wrapped(*args, **kwargs):
        if next(calls) == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return call(*args, **kwargs)
    return wrapped
for name in ("open", "write", "fchmod", "fsync", "close", "rename"):
    setattr(os, name, deadly(getattr(os, name)))
durable.replace_file(folder, "file", b"n" * 1_000_000, mode=0o644)
"""


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[int]:
    fd = os.open(tmp_path, os.O_RDONLY)
    yield fd
    os.close(fd)


def test_a_file_is_replaced_with_the_mode_it_is_given(folder: int, tmp_path: Path) -> None:
    replace_file(folder, "file", b"one", mode=0o640)
    replace_file(folder, "file", b"two", mode=0o604)

    assert (tmp_path / "file").read_bytes() == b"two"
    assert (tmp_path / "file").stat().st_mode & 0o7777 == 0o604
    assert os.listdir(tmp_path) == ["file"]


def test_a_file_without_a_mode_gets_what_new_files_get(folder: int, tmp_path: Path) -> None:
    (tmp_path / "plain").write_bytes(b"")

    create_file(folder, "file", b"")

    assert (tmp_path / "file").stat().st_mode == (tmp_path / "plain").stat().st_mode


def test_a_check_that_fails_before_the_rename_leaves_everything_as_it_was(
    folder: int, tmp_path: Path
) -> None:
    (tmp_path / "file").write_bytes(b"old")

    def refuse() -> None:
        assert any(name.startswith(TEMPORARY_PREFIX) for name in os.listdir(tmp_path))
        raise RuntimeError("changed")

    with pytest.raises(RuntimeError, match="changed"):
        replace_file(folder, "file", b"new", before=refuse)

    assert os.listdir(tmp_path) == ["file"]
    assert (tmp_path / "file").read_bytes() == b"old"


def test_a_new_file_never_replaces_one_that_is_there(folder: int, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"old")

    with pytest.raises(FileExistsError):
        create_file(folder, "file", b"new")

    assert os.listdir(tmp_path) == ["file"]
    assert (tmp_path / "file").read_bytes() == b"old"


def write_beside(folder_fd: int, name: str, data: bytes) -> None:
    """As what comes from elsewhere is written: piece by piece, and named when it is whole."""
    fd = os.open("beside", os.O_WRONLY | os.O_CREAT, 0o600, dir_fd=folder_fd)
    os.write(fd, data)
    os.close(fd)
    put_in_place(folder_fd, "beside", name)


@pytest.mark.parametrize("write", [replace_file, create_file, write_beside])
def test_bytes_are_flushed_before_they_get_their_name_and_the_name_after(
    folder: int, monkeypatch: pytest.MonkeyPatch, write: Callable[[int, str, bytes], None]
) -> None:
    """So a power cut at any moment leaves the old file or the new one, whole."""
    done: list[str] = []
    fsync, rename, move = os.fsync, os.rename, durable.move_new_by_kernel

    def noting_fsync(fd: int) -> None:
        fsync(fd)
        done.append("folder flushed" if stat.S_ISDIR(os.fstat(fd).st_mode) else "bytes flushed")

    def noting_rename(*args: Any, **more: Any) -> None:
        rename(*args, **more)
        done.append("named")

    def noting_move(*args: Any) -> bool:
        done.append("named")
        return move(*args)

    monkeypatch.setattr(os, "fsync", noting_fsync)
    monkeypatch.setattr(os, "rename", noting_rename)
    monkeypatch.setattr(durable, "move_new_by_kernel", noting_move)
    write(folder, "file", b"new")

    assert done == ["bytes flushed", "named", "folder flushed"]


@pytest.mark.parametrize("move", [move_new, move_new_by_claim])
def test_moving_never_replaces(folder: int, tmp_path: Path, move: Mover) -> None:
    (tmp_path / "file").write_bytes(b"file")
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "inner").write_bytes(b"inner")
    (tmp_path / "taken").write_bytes(b"taken")

    for name in ("file", "folder"):
        with pytest.raises(FileExistsError):
            move(folder, name, folder, "taken")
    move(folder, "file", folder, "file2")
    move(folder, "folder", folder, "folder2")

    assert sorted(os.listdir(tmp_path)) == ["file2", "folder2", "taken"]
    assert (tmp_path / "folder2" / "inner").read_bytes() == b"inner"
    assert (tmp_path / "taken").read_bytes() == b"taken"


def test_a_folder_that_can_not_be_moved_leaves_no_claim(folder: int, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    inside = os.open(tmp_path / "folder", os.O_RDONLY)

    with pytest.raises(OSError, match="Invalid argument"):
        move_new_by_claim(folder, "folder", inside, "itself")

    os.close(inside)
    assert os.listdir(tmp_path / "folder") == []


def test_a_writer_killed_before_any_of_its_calls_leaves_the_old_file_or_the_new(
    tmp_path: Path,
) -> None:
    seen: list[bytes] = []
    for step in range(20):
        (tmp_path / "file").write_bytes(OLD)
        ended = subprocess.run(
            [sys.executable, "-c", DIE_BEFORE_CALL, str(tmp_path), str(step)], check=False
        )
        seen.append((tmp_path / "file").read_bytes())
        if ended.returncode == 0:
            break

    assert set(seen[:-1]) == {OLD, NEW}
    assert seen[-1] == NEW


@pytest.mark.slow
def test_a_writer_killed_at_random_moments_never_leaves_a_torn_file(tmp_path: Path) -> None:
    chance = random.Random(7)
    for _ in range(30):
        writer = subprocess.Popen(
            [sys.executable, "-c", WRITE_FOR_EVER, str(tmp_path)], stdout=subprocess.PIPE
        )
        assert writer.stdout is not None
        writer.stdout.read(chance.randint(1, 5))
        time.sleep(chance.random() / 200)  # not to wait, but to strike at any moment
        writer.send_signal(signal.SIGKILL)
        writer.wait()
        writer.stdout.close()
        assert (tmp_path / "file").read_bytes() in {OLD, NEW}
