"""Work of many callers goes into one transaction, and nobody's failure is another's."""

from pathlib import Path

import anyio
import pytest

from recto.clock import SystemClock
from recto.storage import GroupedWrites, RecordExists, Storage, WriteTransaction

pytestmark = pytest.mark.anyio


async def test_callers_at_once_share_transactions_and_a_failure_is_its_callers_own(
    tmp_path: Path,
) -> None:
    storage = await Storage.open(tmp_path / "recto.db", clock=SystemClock())
    writes = GroupedWrites(storage)
    seen: list[WriteTransaction] = []
    ends: dict[int, str] = {}

    async def add(number: int) -> None:
        async def work(write: WriteTransaction) -> int:
            seen.append(write)
            # Ten of them want the name that the first one takes.
            name = "taken" if number % 3 == 0 else f"p{number}"
            await storage.projects.add(
                write, id=f"p{number}", name=name, path=f"/{name}", settings={}
            )
            return number

        try:
            assert await writes.do(work) == number
            ends[number] = "added"
        except RecordExists:
            ends[number] = "refused"

    with anyio.fail_after(60):
        async with anyio.create_task_group() as group:
            for number in range(30):
                group.start_soon(add, number)
        kept = await storage.projects.page(limit=100)
        await storage.close()

    assert sorted(ends) == list(range(30))
    added = {f"p{number}" for number, end in ends.items() if end == "added"}
    assert len(added) == 21
    assert {project.id for project in kept.items} == added


async def test_what_waits_goes_together(tmp_path: Path) -> None:
    storage = await Storage.open(tmp_path / "recto.db", clock=SystemClock())
    writes = GroupedWrites(storage)
    seen: list[WriteTransaction] = []

    async def note(write: WriteTransaction) -> None:
        seen.append(write)

    with anyio.fail_after(60):
        # Nobody else can write inside: all of them wait for their turn, and take it together.
        async with anyio.create_task_group() as group, storage.write():
            for _ in range(20):
                group.start_soon(writes.do, note)
            await anyio.wait_all_tasks_blocked()
            assert seen == []
        await storage.close()
    assert len(seen) == 20
    assert len(set(map(id, seen))) <= 2
