"""The live documents of every project in use, with the store as their journal."""

from collections.abc import Sequence

import anyio
from anyio.abc import TaskGroup

from recto.clock import Clock
from recto.documents import Documents, Entry, NotStored
from recto.projects import Feed, FilesChanged, Workspaces
from recto.storage import DocumentUpdate, Storage, StorageFailure
from recto.workspace import Workspace


class StoredJournal:
    """The journals of one project's documents. Each commit is on the disk when it returns."""

    def __init__(self, storage: Storage, project_id: str) -> None:
        self._storage = storage
        self._project_id = project_id

    async def read(self, document_id: str) -> Sequence[Entry]:
        """All entries of a document."""
        try:
            return [
                entry_of(row) for row in await self._storage.documents.read(self._id(document_id))
            ]
        except StorageFailure as failure:
            raise NotStored(failure.message) from failure

    async def append(self, document_id: str, entries: Sequence[Entry]) -> None:
        """Add entries, all or none."""
        try:
            async with self._storage.write() as write:
                added = [(entry.data, dict(entry.origin)) for entry in entries]
                await self._storage.documents.append(
                    write, self._id(document_id), entries[0].seq, added
                )
        except StorageFailure as failure:
            raise NotStored(failure.message) from failure

    async def compact(self, document_id: str, entry: Entry) -> None:
        """Put one entry in the place of all up to its number."""
        try:
            async with self._storage.write() as write:
                await self._storage.documents.compact(
                    write,
                    self._id(document_id),
                    through_seq=entry.seq,
                    snapshot=entry.data,
                    origin=dict(entry.origin),
                )
        except StorageFailure as failure:
            raise NotStored(failure.message) from failure

    def _id(self, path: str) -> str:
        return f"{self._project_id}/{path}"


class LiveDocuments:
    """The documents of each project, opened when first used."""

    def __init__(
        self,
        workspaces: Workspaces,
        feed: Feed,
        storage: Storage,
        *,
        clock: Clock,
        tasks: TaskGroup,
    ) -> None:
        self._workspaces = workspaces
        self._feed = feed
        self._storage = storage
        self._clock = clock
        self._tasks = tasks
        self._open: dict[str, tuple[Workspace, Documents]] = {}

    async def get(self, project_id: str) -> Documents:
        """The documents of a project; anew when its folder was opened anew."""
        workspace = await self._workspaces.get(project_id)
        found = self._open.get(project_id)
        if found is None or found[0] is not workspace:
            journal = StoredJournal(self._storage, project_id)
            documents = Documents(workspace, journal, clock=self._clock, tasks=self._tasks)
            found = self._open[project_id] = (workspace, documents)
        return found[1]

    async def run(self) -> None:
        """Have the open documents follow what changes on disk, for as long as the program runs."""
        while True:
            async with self._feed.follow(None) as follower:
                await self._look(list(self._open), frozenset(), overflow=True)
                async for event in follower.events():
                    if isinstance(event, FilesChanged):
                        await self._look([event.project_id], event.folders, overflow=event.overflow)
            await anyio.lowlevel.checkpoint()

    async def _look(
        self, project_ids: Sequence[str], folders: frozenset[str], *, overflow: bool
    ) -> None:
        for project_id in project_ids:
            found = self._open.get(project_id)
            if found is not None:
                await found[1].on_changes(folders, overflow=overflow)


def entry_of(row: DocumentUpdate) -> Entry:
    """A stored row as the documents know it."""
    return Entry(row.seq, row.data, {name: plain(value) for name, value in row.origin.items()})


def plain(value: object) -> str | int | bool:
    """A value of an entry's origin; they are all plain."""
    if isinstance(value, str | int):
        return value
    raise TypeError(f"an entry of a document's journal holds {value!r}")
