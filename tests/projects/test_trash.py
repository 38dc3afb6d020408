"""The trash keeps for a while, and within a size; the oldest goes first."""

from pathlib import Path

import pytest

from recto.projects import Trash
from recto.projects.trash import DAY_MS, KEPT_DAYS
from recto.workspace import TrashFolder, Workspace
from tests.fakes import CountingIds, FakeClock

pytestmark = pytest.mark.anyio


async def test_what_is_too_old_goes_and_then_the_oldest(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    clock = FakeClock()
    trash = Trash(TrashFolder(tmp_path / "trash"), clock=clock, ids=CountingIds(), max_bytes=10)

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
        clock.pass_time(KEPT_DAYS * DAY_MS / 1000 + 1)
        assert await kept() == []
