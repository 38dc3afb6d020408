"""A folder with live documents, a journal in memory, and time that a test moves."""

from collections import Counter
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import anyio
from anyio.abc import TaskGroup

from recto.documents import Documents, EditOrigin, JournalEntry, LiveDocument, NotStored
from recto.supervisor import Supervisor
from recto.workspace import Workspace
from tests.fakes import FakeClock

ANN = EditOrigin("person", "ann")
RUN = EditOrigin("run", "r1")


@dataclass
class MemoryJournal:
    """Keeps entries as a store would; fails when told to."""

    entries: dict[str, list[JournalEntry]] = field(default_factory=dict[str, list[JournalEntry]])
    failure: str | None = None
    is_shared: bool = False
    locks: dict[str, anyio.Lock] = field(default_factory=dict[str, anyio.Lock])
    uses: Counter[str] = field(default_factory=Counter[str])

    async def read(self, document_id: str, *, after: int = 0) -> Sequence[JournalEntry]:
        await anyio.lowlevel.checkpoint()
        return tuple(item for item in self.entries.get(document_id, ()) if item.seq > after)

    async def append(
        self, document_id: str, entries: Sequence[JournalEntry]
    ) -> Sequence[JournalEntry]:
        await anyio.lowlevel.checkpoint()
        if self.failure is not None:
            raise NotStored(self.failure)
        kept = self.entries.setdefault(document_id, [])
        last = kept[-1].seq if kept else 0
        first = entries[0].seq
        assert [entry.seq for entry in entries] == list(range(first, first + len(entries)))
        if first <= last and self.is_shared:
            return tuple(item for item in kept if item.seq >= first)
        assert first == last + 1
        kept.extend(entries)
        return ()

    async def compact(self, document_id: str, entry: JournalEntry) -> None:
        kept = self.entries[document_id]
        assert entry.seq in [item.seq for item in kept]
        self.entries[document_id] = [entry, *(item for item in kept if item.seq > entry.seq)]

    def lock(self, document_id: str) -> anyio.Lock:
        return self.locks.setdefault(document_id, anyio.Lock())

    async def open(self, document_id: str) -> None:
        self.uses[document_id] += 1

    async def close(self, document_id: str) -> None:
        self.uses[document_id] -= 1

    async def is_open_elsewhere(self, document_id: str) -> bool:
        return self.uses[document_id] > 1

    async def unsaved(self) -> Sequence[str]:
        if not self.is_shared:
            return ()
        return [name for name, kept in self.entries.items() if kept[-1].origin["kind"] != "saved"]


@dataclass
class Waits:
    """A wait that ends when the test lets the time pass."""

    clock: FakeClock
    asked: anyio.Event = field(default_factory=anyio.Event)
    over: anyio.Event = field(default_factory=anyio.Event)

    async def __call__(self, seconds: float) -> None:
        self.over = anyio.Event()
        self.asked.set()
        await self.over.wait()

    async def let_pass(self, seconds: float) -> None:
        """Wait until somebody waits, then move the clock and wake them."""
        await self.asked.wait()
        self.asked = anyio.Event()
        self.clock.pass_time(seconds)
        self.over.set()


@dataclass
class Folder:
    """A workspace, its documents, and the disk beneath."""

    path: Path
    workspace: Workspace
    journal: MemoryJournal
    clock: FakeClock
    wait: Waits
    documents: Documents

    def put(self, name: str, content: bytes | str) -> None:
        data = content.encode() if isinstance(content, str) else content
        (self.path / name).write_bytes(data)

    def disk(self, name: str) -> bytes:
        return (self.path / name).read_bytes()


@asynccontextmanager
async def folder(path: Path, journal: MemoryJournal | None = None) -> AsyncGenerator[Folder]:
    """A folder in use; leaving it is as abrupt as a crash."""
    clock = FakeClock()
    journal = journal or MemoryJournal()
    wait = Waits(clock)
    async with await Workspace.open(path) as workspace, anyio.create_task_group() as tasks:
        documents = new_documents(workspace, journal, clock, tasks, wait)
        yield Folder(path, workspace, journal, clock, wait, documents)
        tasks.cancel_scope.cancel()


def new_documents(
    workspace: Workspace, journal: MemoryJournal, clock: FakeClock, tasks: TaskGroup, wait: Waits
) -> Documents:
    return Documents(
        workspace, journal, clock=clock, supervisor=Supervisor(tasks, clock.monotonic), wait=wait
    )


@asynccontextmanager
async def document(home: Folder, name: str) -> AsyncGenerator[LiveDocument]:
    """A file that must be one to edit."""
    async with home.documents.using(name) as opened:
        assert isinstance(opened, LiveDocument)
        yield opened


def crash(home: Folder) -> MemoryJournal:
    """What of the journal a crash right now leaves."""
    return MemoryJournal({name: list(entries) for name, entries in home.journal.entries.items()})
