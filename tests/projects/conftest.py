"""A folder, a store and what counts files, on a clock for which every file is old."""

from collections.abc import AsyncGenerator
from dataclasses import dataclass
from pathlib import Path

import anyio
import pytest

from recto.clock import SystemClock
from recto.projects import FileCounts
from recto.projects.file_counts import CountedFiles
from recto.storage import Storage
from recto.supervisor import Supervisor
from recto.workspace import Workspace
from tests.stores import open_empty


class LaterClock(SystemClock):
    """An hour from now: whatever a test has just written is settled."""

    def now_ms(self) -> int:
        return super().now_ms() + 3_600_000


@dataclass(frozen=True, slots=True)
class Bench:
    """What a test about counting works with."""

    root: Path
    storage: Storage
    workspace: Workspace
    supervisor: Supervisor
    counts: FileCounts

    async def count(self, *paths: str) -> CountedFiles:
        return await self.counts.of(self.workspace, paths)

    def restarted(self) -> FileCounts:
        """What counts after a restart: it remembers only what is in the store."""
        return FileCounts(self.storage, LaterClock(), self.supervisor)


@pytest.fixture
async def bench(tmp_path: Path) -> AsyncGenerator[Bench]:
    root = tmp_path / "x" / "data"
    root.mkdir(parents=True)
    storage = await open_empty(tmp_path / "recto.db", clock=LaterClock())
    async with await Workspace.open(root) as workspace, anyio.create_task_group() as tasks:
        supervisor = Supervisor(tasks, LaterClock().monotonic)
        counts = FileCounts(storage, LaterClock(), supervisor)
        yield Bench(root, storage, workspace, supervisor, counts)
        tasks.cancel_scope.cancel()
    await storage.close()
