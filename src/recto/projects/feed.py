"""The feed: what changed, told to every open page in commit order.

Changes to records come from the store's own log, so a page that was away resumes from a number and
misses nothing. Changes to files are not kept: a page that was away looks at its folders again.
"""

import posixpath
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream

from recto.storage import ChangeRecord, Storage

QUEUE_LENGTH = 1000
BATCH = 500


@dataclass(frozen=True, slots=True)
class ResourceChanged:
    """A record was created, updated or deleted; `seq` is where a page resumes."""

    seq: int
    kind: str
    id: str
    project_id: str | None
    action: str
    version: int


@dataclass(frozen=True, slots=True)
class FilesChanged:
    """The direct contents of these folders changed; with `overflow`, any may have.

    `note` tells the reader why the page no longer follows the folder by itself. `moved` are paths
    that a person gave another name here, `removed` those that a person deleted here.
    """

    project_id: str
    folders: frozenset[str]
    overflow: bool
    git: bool
    note: str | None = None
    moved: tuple[tuple[str, str], ...] = ()
    removed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class StoreAnswering:
    """The database went away, and everybody waits for it; or it is back."""

    is_answering: bool


Event = ResourceChanged | FilesChanged | StoreAnswering


class FeedFollower:
    """One open page's end of the feed."""

    def __init__(self, feed: "Feed", queue: MemoryObjectReceiveStream[Event], after: int) -> None:
        self._feed = feed
        self._queue = queue
        self.seen = after
        """The number of the last change that was told."""

    async def events(self) -> AsyncGenerator[Event]:
        """What was missed, then what happens, each once and in order."""
        async for change in self._feed.since(self.seen):
            self.seen = change.seq
            yield change
        async for event in self._queue:
            if not isinstance(event, ResourceChanged):
                yield event
            elif event.seq > self.seen:
                self.seen = event.seq
                yield event


class Feed:
    """Spreads what changed to every follower."""

    def __init__(self, storage: Storage) -> None:
        self._storage = storage
        self._queues: set[MemoryObjectSendStream[Event]] = set()
        self._passed_on: int | None = None
        storage.on_answering(lambda is_answering: self.tell(StoreAnswering(is_answering)))

    @property
    def is_answering(self) -> bool:
        """Whether the database answers."""
        return self._storage.is_answering

    async def run(self) -> None:
        """Pass on what the store commits, for as long as the program runs.

        Begun again after a failure, it goes on where it was.
        """
        if self._passed_on is None:
            self._passed_on = await self._storage.changes.latest()
        while True:
            await self._storage.wait_for_change(self._passed_on)
            async for change in self.since(self._passed_on):
                self._passed_on = change.seq
                self.tell(change)

    async def since(self, seq: int) -> AsyncIterator[ResourceChanged]:
        """Every change after a number, up to now."""
        is_more = True
        while is_more:
            batch = await self._storage.changes.after(seq, limit=BATCH)
            for change in batch:
                yield present(change)
                seq = change.seq
            is_more = len(batch) == BATCH

    async def latest(self) -> int:
        """The number of the newest change."""
        return await self._storage.changes.latest()

    async def announce(self, kind: str) -> None:
        """Tell every page, also those that are away, to read something again."""
        async with self._storage.write() as write:
            await self._storage.changes.append(
                write,
                kind=kind,
                resource_id=kind,
                project_id=None,
                action="updated",
                version=0,
            )

    def tell(self, event: Event) -> None:
        """Tell every follower. One that is too slow is let go: it will come back and resume."""
        for queue in tuple(self._queues):
            try:
                queue.send_nowait(event)
            except anyio.WouldBlock:
                self._queues.discard(queue)
                queue.close()

    def tell_written(self, project_id: str, path: str) -> None:
        """Tell that a file was written here, before the folder's watcher has found it."""
        folders = frozenset({posixpath.dirname(path)})
        self.tell(FilesChanged(project_id, folders, overflow=False, git=False))

    def tell_of_git(self, project_id: str, note: str) -> None:
        """Tell readers in words what was done in a folder's repository."""
        self.tell(FilesChanged(project_id, frozenset(), overflow=False, git=True, note=note))

    @asynccontextmanager
    async def follow(self, after: int | None) -> AsyncGenerator[FeedFollower]:
        """Follow from a number on; None means from now."""
        send, receive = anyio.create_memory_object_stream[Event](QUEUE_LENGTH)
        self._queues.add(send)
        try:
            start = await self.latest() if after is None else after
            yield FeedFollower(self, receive, start)
        finally:
            self._queues.discard(send)
            send.close()
            receive.close()


def present(change: ChangeRecord) -> ResourceChanged:
    """A stored change as others see it."""
    return ResourceChanged(
        seq=change.seq,
        kind=change.kind,
        id=change.resource_id,
        project_id=change.project_id,
        action=change.action,
        version=change.version,
    )
