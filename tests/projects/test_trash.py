"""The trash keeps for a while, and within a size; the oldest goes first."""

import os
from pathlib import Path

import pytest

from recto.projects import Trash
from recto.projects.trash import DAY_MS, KEPT_DAYS
from recto.workspace import TrashFolder, Workspace, transfers
from tests.fakes import CountingIds, FakeClock

pytestmark = pytest.mark.anyio


async def never_erased(_: str, path: str, deleted_ms: int) -> None:
    pytest.fail(f"{path}, deleted at {deleted_ms}, is gone for good")


async def test_the_folder_of_an_item_is_on_the_disk_before_its_content_is_in_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    root = tmp_path / "root"
    for folder in (home, root):
        folder.mkdir()
    (root / "notes.md").write_text("Mine", encoding="utf-8")
    steps: list[str] = []
    fsync, move = os.fsync, transfers.move_new

    def noting_fsync(fd: int) -> None:
        fsync(fd)
        steps.append(Path(os.readlink(f"/proc/self/fd/{fd}")).name)

    def noting_move(from_fd: int, name: str, to_fd: int, new_name: str) -> None:
        move(from_fd, name, to_fd, new_name)
        steps.append("moved")

    monkeypatch.setattr(os, "fsync", noting_fsync)
    monkeypatch.setattr(transfers, "move_new", noting_move)
    trash = Trash(
        TrashFolder(home / "trash"), clock=FakeClock(), ids=CountingIds(), on_erased=never_erased
    )
    async with await Workspace.open(root) as workspace:
        item = await trash.add("p", workspace, "notes.md", ())
    moved = steps.index("moved")
    assert {"home", "trash", item.id} <= set(steps[:moved])
    assert steps[moved:] == ["moved", item.id, "root"]


async def test_what_is_too_old_goes_and_then_the_oldest(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    clock = FakeClock()
    erased: list[str] = []

    async def forget(_: str, path: str, deleted_ms: int) -> None:
        assert deleted_ms <= clock.now_ms()
        erased.append(path)

    trash = Trash(
        TrashFolder(tmp_path / "trash"),
        clock=clock,
        ids=CountingIds(),
        on_erased=forget,
        max_bytes=10,
    )

    async def delete(name: str, size: int) -> None:
        (root / name).write_bytes(b"x" * size)
        await trash.add("p", workspace, name, ())

    async def kept() -> list[str]:
        return [item.path for item in await trash.items("p")]

    async with await Workspace.open(root) as workspace:
        await delete("first", 4)
        clock.pass_time(1)
        await delete("second", 6)
        assert await kept() == ["second", "first"]
        clock.pass_time(1)
        await delete("third", 1)
        assert await kept() == ["third", "second"]
        clock.pass_time(1)
        await delete("large", 50)
        assert await kept() == ["large"]
        assert erased == ["first", "second", "third"]
        clock.pass_time(KEPT_DAYS * DAY_MS / 1000 + 1)
        assert await kept() == []
