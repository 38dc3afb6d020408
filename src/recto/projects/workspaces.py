"""The open workspaces: one for each project in use, each with a watcher that feeds the pages."""

import asyncio
import logging
from contextlib import aclosing
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import anyio.lowlevel
from anyio import CancelScope

from recto.projects.feed import Feed, FilesChanged, ResourceChanged
from recto.projects.projects import Projects
from recto.supervisor import Supervisor
from recto.workspace import RootGone, WatchUnavailable, Workspace

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class OpenedWorkspace:
    """A workspace and the life of its watcher."""

    workspace: Workspace
    watching: CancelScope


class Workspaces:
    """Opens a project's folder when it is first used and keeps it open."""

    def __init__(
        self, projects: Projects, feed: Feed, supervisor: Supervisor, *, records: Path
    ) -> None:
        """`records` is the folder of Recto's own records."""
        self._records = records
        self._projects = projects
        self._feed = feed
        self._supervisor = supervisor
        self._heard: int | None = None
        self._open: dict[str, OpenedWorkspace] = {}
        self._opening = asyncio.Lock()

    async def run(self) -> None:
        """Let go of projects that are deleted, in whichever process, while the program runs."""
        while True:
            async with self._feed.follow(self._heard) as follower:
                self._heard = follower.seen
                async for event in follower.events():
                    self._heard = follower.seen
                    if isinstance(event, ResourceChanged) and is_removal(event):
                        self.forget(event.id)
            await anyio.lowlevel.checkpoint()

    async def get(self, project_id: str) -> Workspace:
        """The workspace of a project. Raises RecordNotFound."""
        opened = self._open.get(project_id)
        if opened is not None:
            return opened.workspace
        async with self._opening:
            folder = await self._projects.folder_of(project_id)
            opened = self._open.get(project_id)
            if opened is None:
                workspace = await Workspace.open(folder, records=self._records)
                watch = partial(self._watch, project_id, workspace)
                opened = OpenedWorkspace(workspace, self._supervisor.keep("watching", watch))
                self._open[project_id] = opened
        return opened.workspace

    def forget(self, project_id: str) -> None:
        """Let go of a project's folder; whoever still reads from it can finish."""
        opened = self._open.pop(project_id, None)
        if opened is not None:
            opened.watching.cancel()

    async def _watch(self, project_id: str, workspace: Workspace) -> None:
        try:
            await self._follow(project_id, workspace)
        except RootGone as gone:
            # The next request opens whatever is there then.
            log.warning("%s", gone)
            self._open.pop(project_id, None)
            self._feed.tell(anything_changed(project_id))
        except WatchUnavailable as unavailable:
            # The folder stays usable; the pages say that they no longer follow it by themselves.
            log.warning("%s", unavailable)
            self._feed.tell(anything_changed(project_id, str(unavailable)))

    async def _follow(self, project_id: str, workspace: Workspace) -> None:
        async with aclosing(workspace.watch()) as batches:
            await anext(batches)
            # The watch stands now. What happened while it was set up is not known.
            self._feed.tell(anything_changed(project_id))
            async for changes in batches:
                self._feed.tell(
                    FilesChanged(project_id, changes.folders, changes.overflow, changes.git)
                )


def is_removal(event: ResourceChanged) -> bool:
    """Whether a project was deleted."""
    return event.kind == "project" and event.action == "deleted"


def anything_changed(project_id: str, note: str | None = None) -> FilesChanged:
    """The pages should look at everything again."""
    return FilesChanged(project_id, frozenset(), overflow=True, git=True, note=note)
