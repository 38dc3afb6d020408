"""Notes over a folder: a real store, which is the documents' journal too, and real files."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import anyio

from recto.clock import SystemIds
from recto.documents import Documents, EditOrigin, LiveDocument, Splice
from recto.margin import Note, Notes, PlacedNote, TextPlace
from recto.projects.live_documents import StoredJournal
from recto.storage import RecordNotFound, Storage
from recto.supervisor import Supervisor
from recto.workspace import Workspace
from tests.documents.folder import Waits
from tests.fakes import FakeClock
from tests.storage.conftest import add_project

ANN = EditOrigin("person", "ann")


@dataclass(frozen=True, slots=True)
class Margin:
    """Somebody's folder, and what is said beside its files."""

    folder: Path
    storage: Storage
    documents: Documents
    notes: Notes

    def put(self, name: str, content: str) -> None:
        """What another program writes."""
        file = self.folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content, encoding="utf-8")

    async def note(self, name: str, passage: str, body: str = "") -> Note:
        """A note at the first place where these words stand."""
        async with self.open(name) as live:
            start = live.text.index(passage)
        return await self.notes.add("p1", TextPlace(name, start, start + len(passage)), body=body)

    @asynccontextmanager
    async def open(self, name: str) -> AsyncGenerator[LiveDocument]:
        """A file in somebody's tab."""
        async with self.documents.using(name) as live:
            assert isinstance(live, LiveDocument)
            yield live

    async def replace(self, name: str, old: str, new: str, origin: EditOrigin = ANN) -> None:
        """Somebody edits the first place where these words stand."""
        async with self.open(name) as live:
            start = live.text.index(old)
            await live.edit([Splice(start, start + len(old), new)], origin)

    async def shown(self) -> list[tuple[str, int | None, str | None]]:
        """Each note: file, line, and the words that stand there; None when it is detached."""
        return [await self.show(item) for item in await self.notes.list("p1")]

    async def show(self, placed: PlacedNote) -> tuple[str, int | None, str | None]:
        """One note."""
        path = placed.note.path
        if placed.start is None:
            assert placed.is_detached
            return path, placed.line, None
        async with self.open(path) as live:
            return path, placed.line, live.text[placed.start : placed.end]

    async def told(self) -> list[str]:
        """What pages heard of notes: which, and what happened."""
        changes = await self.storage.changes.after(0)
        return [
            f"{change.resource_id} {change.action}" for change in changes if change.kind == "thread"
        ]


@asynccontextmanager
async def margin_at(path: Path) -> AsyncGenerator[Margin]:
    """The margin of a folder. The next one on the same path is after a restart."""
    folder = path / "folder"
    folder.mkdir(exist_ok=True)
    clock = FakeClock()
    storage = await Storage.open(path / "recto.db", clock=clock)
    try:
        await storage.projects.get("p1")
    except RecordNotFound:
        async with storage.write() as write:
            await add_project(storage, write)
    async with await Workspace.open(folder) as workspace, anyio.create_task_group() as tasks:
        journal = StoredJournal(storage, "p1")
        documents = Documents(
            workspace,
            journal,
            clock=clock,
            supervisor=Supervisor(tasks, clock.monotonic),
            wait=Waits(clock),
        )

        async def open_documents(_: str) -> Documents:
            return documents

        notes = Notes(storage, SystemIds(clock), clock, open_documents=open_documents)
        yield Margin(folder, storage, documents, notes)
        tasks.cancel_scope.cancel()
    await storage.close()
