"""Has notes follow what happens to the files that they are beside."""

import logging

import anyio

from recto.margin import Notes
from recto.projects.feed import Feed, FilesChanged
from recto.storage import StorageFailure
from recto.workspace import WorkspaceFailure

log = logging.getLogger(__name__)


class NoteTracker:
    """Looks at the notes of folders that change."""

    def __init__(self, feed: Feed, notes: Notes) -> None:
        self._feed = feed
        self._notes = notes
        self._project_ids: set[str] = set()

    async def run(self) -> None:
        """Look whenever something changes, for as long as the program runs.

        What changed between two listenings is not known, so all notes are looked at then.
        """
        while True:
            async with self._feed.follow(None) as follower:
                for project_id in sorted(self._project_ids):
                    await self._look(project_id, frozenset(), overflow=True)
                async for event in follower.events():
                    if isinstance(event, FilesChanged):
                        self._project_ids.add(event.project_id)
                        await self._look(event.project_id, event.folders, overflow=event.overflow)
            await anyio.lowlevel.checkpoint()

    async def _look(self, project_id: str, folders: frozenset[str], *, overflow: bool) -> None:
        """Look once. A folder or a store that can't be read just now is looked at again later."""
        try:
            await self._notes.on_changes(project_id, folders, overflow=overflow)
        except (WorkspaceFailure, StorageFailure) as failure:
            log.warning("notes not followed: %s", failure)
