"""The workspaces of projects in use: opened once, and let go when their project is deleted."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import pytest

from recto.clock import SystemIds
from recto.projects import Feed, NotPlaced, Projects, Workspaces
from recto.storage import RecordNotFound, Storage
from recto.supervisor import Supervisor
from tests.fakes import FakeClock

pytestmark = pytest.mark.anyio


@asynccontextmanager
async def opened(
    tmp_path: Path, folder: Path
) -> AsyncGenerator[tuple[Storage, Projects, Workspaces]]:
    home = tmp_path / "home"
    home.mkdir(parents=True)
    clock = FakeClock()
    storage = await Storage.open(home / "recto.db", clock=clock)
    projects = Projects(storage, ids=SystemIds(clock), start_folder=folder, records=home)
    feed = Feed(storage)
    async with anyio.create_task_group() as tasks:
        supervisor = Supervisor(tasks, clock.monotonic)
        workspaces = Workspaces(projects, feed, supervisor, records=home)
        tasks.start_soon(feed.run)
        tasks.start_soon(workspaces.run)
        yield storage, projects, workspaces
        tasks.cancel_scope.cancel()
    await storage.close()


async def test_a_project_that_another_process_deletes_is_let_go(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    async with opened(tmp_path, folder) as (storage, projects, workspaces):
        project = await projects.current()
        workspace = await workspaces.get(project.id)
        assert await workspaces.get(project.id) is workspace
        gone, forget = anyio.Event(), workspaces.forget

        def forgotten(project_id: str) -> None:
            forget(project_id)
            gone.set()

        monkeypatch.setattr(workspaces, "forget", forgotten)
        async with storage.write() as write:
            await storage.projects.remove(write, project.id)
        with anyio.fail_after(60):
            await gone.wait()
        with pytest.raises(RecordNotFound):
            await workspaces.get(project.id)


async def test_records_inside_a_project_are_kept_from_the_ai(tmp_path: Path) -> None:
    async with opened(tmp_path, tmp_path) as (_, projects, workspaces):
        workspace = await workspaces.get((await projects.current()).id)
        assert await workspace.hidden_paths() == ("home",)


@pytest.mark.parametrize("inside", ["", "deep"])
async def test_the_records_are_no_project(tmp_path: Path, inside: str) -> None:
    async with opened(tmp_path, tmp_path) as (_, projects, _workspaces):
        (tmp_path / "home" / "deep").mkdir()
        with pytest.raises(NotPlaced, match="its own records"):
            await projects.place(str(tmp_path / "home" / inside), None)
