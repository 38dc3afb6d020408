"""The list of what waits: quick, and true without opening anything."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from recto.reviews import Reviews, UnchangedPath
from recto.tools import Change
from tests.reviews.bench import bench_at
from tests.storage.test_edits import EDIT

pytestmark = pytest.mark.anyio


async def nothing_left(
    _project: str, _chat: str, changes: tuple[Change, ...]
) -> Sequence[UnchangedPath]:
    return ()


async def test_listing_two_hundred_files_opens_none_of_them(tmp_path: Path) -> None:
    async with bench_at(tmp_path) as bench:
        rows = [
            replace(EDIT, id=f"e{n:03}", path=f"{n % 200}.md", status="pending", added=n % 200)
            for n in range(600)
        ]
        async with bench.storage.write() as write:
            await bench.storage.edits.add(write, rows)

        found = await Reviews(bench.edits, nothing_left).list("p1")

        assert [(item.id, item.path) for item in found] == [
            (f"e{n:03}", f"{n}.md") for n in range(200)
        ]
        assert [item.counts.added for item in found] == list(range(200))
        assert {len(item.edits) for item in found} == {3}


async def test_edits_that_are_not_written_yet_are_not_listed(tmp_path: Path) -> None:
    async with bench_at(tmp_path) as bench:
        async with bench.storage.write() as write:
            await bench.storage.edits.add(
                write, [EDIT, replace(EDIT, id="e2", status="not_written")]
            )

        assert await Reviews(bench.edits, nothing_left).list("p1") == ()
