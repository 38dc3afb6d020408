"""The live documents of every project in use, with the store as their journal."""

import logging
from collections.abc import AsyncGenerator, Callable, Generator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from functools import partial

import anyio

from recto.clock import Clock
from recto.documents import Documents, FileForm, JournalEntry, NotStored, OwnWords
from recto.projects.feed import Feed, FilesChanged
from recto.projects.workspaces import Workspaces
from recto.storage import DocumentUpdate, Storage, StorageFailure, document_name
from recto.supervisor import Supervisor
from recto.workspace import Workspace, WorkspaceFailure

log = logging.getLogger(__name__)
FindFormIn = Callable[[str, Callable[[], bool]], FileForm | None]
"""The form of the file at a path, in a project that may leave outputs out of its notebooks."""


class StoredJournal:
    """The journals of one project's documents. Each commit is on the disk when it returns."""

    def __init__(self, storage: Storage, project_id: str) -> None:
        self._storage = storage
        self._locks = storage.shared_locks
        self._project_id = project_id

    @property
    def is_shared(self) -> bool:
        """Whether other processes may write, too."""
        return self._locks.is_shared

    async def read(self, document_id: str, *, after: int = 0) -> Sequence[JournalEntry]:
        """The entries of a document after a number."""
        with not_stored():
            found = await self._storage.documents.read(self._id(document_id), after + 1)
        return [entry_of(row) for row in found]

    async def append(
        self, document_id: str, entries: Sequence[JournalEntry]
    ) -> Sequence[JournalEntry]:
        """Add entries, all or none: none when others wrote first, whose entries it answers."""
        known, first = self._id(document_id), entries[0].seq
        log = self._storage.documents
        with not_stored():
            async with self._storage.write(document_name(known)) as write:
                if self.is_shared and (others := await log.read(known, first, within=write)):
                    return [entry_of(row) for row in others]
                added = [(entry.data, dict(entry.origin)) for entry in entries]
                await log.append(write, known, first, added)
        return ()

    async def compact(self, document_id: str, entry: JournalEntry) -> None:
        """Put one entry in the place of all up to its number."""
        with not_stored():
            async with self._storage.write() as write:
                await self._storage.documents.compact(
                    write,
                    self._id(document_id),
                    through_seq=entry.seq,
                    snapshot=entry.data,
                    origin=dict(entry.origin),
                )

    @asynccontextmanager
    async def lock(self, document_id: str) -> AsyncGenerator[None]:
        """Have a document's file to oneself, among all processes."""
        async with AsyncExitStack() as stack:
            with not_stored():
                await stack.enter_async_context(self._locks.lock(self._id(document_id)))
            yield

    async def open(self, document_id: str) -> None:
        """Let other processes know that a document is in use here."""
        with not_stored():
            await self._locks.open(self._id(document_id))

    async def close(self, document_id: str) -> None:
        """Let them know that it is not any more."""
        await self._locks.close(self._id(document_id))

    async def is_open_elsewhere(self, document_id: str) -> bool:
        """Whether another process has a document in use."""
        with not_stored():
            return await self._locks.is_open_elsewhere(self._id(document_id))

    async def unsaved(self) -> Sequence[str]:
        """The documents that may not be saved; where nobody else writes, one knows them anyway."""
        if not self.is_shared:
            return ()
        with not_stored():
            found = await self._storage.documents.unsaved(self._project_id)
        return [item.removeprefix(self._id("")) for item in found]

    def _id(self, path: str) -> str:
        return f"{self._project_id}/{path}"


@contextmanager
def not_stored() -> Generator[None]:
    """Raise what the store raises as what documents know."""
    try:
        yield
    except StorageFailure as failure:
        raise NotStored(failure.message) from failure


class LiveDocuments:
    """The documents of each project, opened when first used."""

    def __init__(
        self,
        workspaces: Workspaces,
        feed: Feed,
        storage: Storage,
        *,
        own_words: Callable[[str, str], OwnWords],
        find_form: FindFormIn,
        clock: Clock,
        supervisor: Supervisor,
    ) -> None:
        self._own_words = own_words
        self._find_form = find_form
        self._workspaces = workspaces
        self._feed = feed
        self._storage = storage
        self._clock = clock
        self._supervisor = supervisor
        self._open: dict[str, tuple[Workspace, Documents]] = {}
        self._strips: dict[str, bool] = {}
        self._written: dict[str | None, int] = {}
        """What other processes wrote into and is not taken in yet; None: any document."""
        self._news = anyio.Event()
        storage.on_documents(self._heard)

    async def get(self, project_id: str) -> Documents:
        """The documents of a project; anew when its folder was opened anew."""
        workspace = await self._workspaces.get(project_id)
        project = await self._storage.projects.get(project_id)
        # Whoever runs or edits comes by here first: a choice that is new holds from the next save.
        self._strips[project_id] = project.settings.get("strip_outputs") is True
        found = self._open.get(project_id)
        if found is None or found[0] is not workspace:
            journal = StoredJournal(self._storage, project_id)
            documents = Documents(
                workspace,
                journal,
                clock=self._clock,
                supervisor=self._supervisor,
                on_own_words=self._own_words(project_id, workspace.root),
                find_form=partial(self._form, project_id),
            )
            found = self._open[project_id] = (workspace, documents)
        return found[1]

    def _form(self, project_id: str, path: str) -> FileForm | None:
        return self._find_form(path, lambda: self._strips[project_id])

    async def run(self) -> None:
        """Have the open documents follow what changes on disk, for as long as the program runs."""
        while True:
            async with self._feed.follow(None) as follower:
                await self._look(list(self._open), frozenset(), overflow=True)
                async for event in follower.events():
                    if isinstance(event, FilesChanged):
                        await self._look([event.project_id], event.folders, overflow=event.overflow)
            await anyio.lowlevel.checkpoint()

    async def follow_others(self) -> None:
        """Have the open documents follow what other processes write, while the program runs."""
        while True:
            await self._news.wait()
            self._news = anyio.Event()
            written, self._written = self._written, {}
            for document_id, seq in written.items():
                try:
                    await self._catch_up(document_id, seq)
                except WorkspaceFailure as failure:
                    log.warning("%s", failure.message)
                    self._written.setdefault(document_id, seq)  # again with the next news

    def _heard(self, document_id: str | None, seq: int) -> None:
        self._written[document_id] = max(seq, self._written.get(document_id, 0))
        self._news.set()

    async def _catch_up(self, document_id: str | None, seq: int) -> None:
        if document_id is None:
            for _, documents in list(self._open.values()):
                await documents.catch_up_all()
            return
        project_id, _, path = document_id.partition("/")
        if project_id in self._open:
            await self._open[project_id][1].catch_up(path, seq)

    async def _look(
        self, project_ids: Sequence[str], folders: frozenset[str], *, overflow: bool
    ) -> None:
        for project_id in project_ids:
            found = self._open.get(project_id)
            if found is not None:
                await found[1].on_changes(folders, overflow=overflow)


def entry_of(row: DocumentUpdate) -> JournalEntry:
    """A stored row as the documents know it."""
    return JournalEntry(
        row.seq, row.data, {name: plain(value) for name, value in row.origin.items()}
    )


def plain(value: object) -> str | int | bool:
    """A value of an entry's origin; they are all plain."""
    if isinstance(value, str | int):
        return value
    raise TypeError(f"an entry of a document's journal holds {value!r}")
