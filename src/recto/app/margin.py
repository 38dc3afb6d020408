"""Has notes follow what happens to the files that they are beside."""

import logging

import anyio

from recto.margin import Notes
from recto.projects import Feed, FilesChanged, StorageFailure
from recto.workspace import WorkspaceFailure

log = logging.getLogger(__name__)


async def follow_files(feed: Feed, notes: Notes) -> None:
    """Look at the notes of folders that change, for as long as the program runs."""
    while True:
        async with feed.follow(None) as follower:
            async for event in follower.events():
                if isinstance(event, FilesChanged):
                    await look(notes, event)
        await anyio.lowlevel.checkpoint()


async def look(notes: Notes, event: FilesChanged) -> None:
    """Look once. A folder or a store that can't be read just now is looked at again later."""
    try:
        await notes.on_changes(event.project_id, event.folders, overflow=event.overflow)
    except (WorkspaceFailure, StorageFailure) as failure:
        log.warning("notes not followed: %s", failure)
