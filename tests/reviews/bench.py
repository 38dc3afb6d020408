"""The edits of one call over a folder, without a chat: a real store, documents, and files."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from recto.chats.undo.plan import plan_undo
from recto.clock import SystemIds
from recto.documents import Documents
from recto.reviews import (
    CallEdits,
    CitationChecks,
    EditAuthor,
    Edits,
    UnchangedPath,
    begin_call,
    begin_taking_back,
    kept_change,
)
from recto.storage import EditStatus, Storage
from recto.tools import Change, RecordedFiles, ResearchServices
from recto.workspace import Workspace
from tests.documents.folder import Folder, folder
from tests.fakes import FakeClock
from tests.storage.conftest import add_project
from tests.stores import open_empty

BY = EditAuthor("p1", "c1", "r1", "t1", "edit_file", "m/1", "One", "hash")


@dataclass(frozen=True, slots=True)
class Bench:
    """A folder, and the edits in it."""

    home: Folder
    storage: Storage
    edits: Edits
    written: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    """What pages were told of at once: projects and paths."""

    async def begin(self, run_id: str = "r1") -> tuple[CallEdits, RecordedFiles]:
        """A call that begins, and what it changes files with."""
        call = await begin_call(self.edits, replace(BY, run_id=run_id))

        async def note(changes: tuple[Change, ...]) -> None:
            await self.note(call, *changes)

        return call, RecordedFiles(self.home.workspace, note, texts=call)

    async def note(self, call: CallEdits, *changes: Change) -> None:
        """Write down what is about to be made."""
        async with self.storage.write() as write:
            kept = [await kept_change(change, write, self.storage, ("p1",)) for change in changes]
            await call.note(write, changes, kept)

    async def take_back(
        self, _project: str, _chat: str, changes: tuple[Change, ...]
    ) -> Sequence[UnchangedPath]:
        """Take changes back, as a chat does."""

        async def note(_: tuple[Change, ...]) -> None:
            pass

        plan = await plan_undo(self.home.workspace, changes)
        texts = await begin_taking_back(self.edits, "p1", ())
        assert not await RecordedFiles(self.home.workspace, note, texts=texts).apply(
            tuple(plan.changes)
        )
        told = plan.told.values()
        return [UnchangedPath(item.path, item.words) for item in told if item.action == "conflict"]

    async def statuses(self) -> dict[str, EditStatus]:
        """What became of each edit, by path."""
        return {row.path: row.status for row in await self.storage.edits.of_run("r1")}


@asynccontextmanager
async def bench_at(
    path: Path,
    *,
    asks: bool = True,
    research: ResearchServices | None = None,
    reaches_out: bool = True,
) -> AsyncGenerator[Bench]:
    """A bench over an empty folder; with services that know of works, citations are checked."""
    (path / "folder").mkdir()
    clock = FakeClock()
    storage = await open_empty(path / "recto.db", clock=clock)
    async with AsyncExitStack() as stack:
        stack.push_async_callback(storage.close)
        home = await stack.enter_async_context(folder(path / "folder"))
        async with storage.write() as write:
            await add_project(storage, write)

        async def open_documents(_: str) -> Documents:
            return home.documents

        async def open_workspace(_: str) -> Workspace:
            return home.workspace

        ids = SystemIds(clock)
        written: list[tuple[str, str]] = []
        citations = research and CitationChecks(
            storage,
            ids,
            research.libraries,
            research.records,
            open_workspace=open_workspace,
            reaches_out=lambda: reaches_out,
        )
        edits = Edits(
            storage,
            ids,
            open_documents=open_documents,
            open_workspace=open_workspace,
            asks=lambda: asks,
            citations=citations,
            written=lambda project_id, name: written.append((project_id, name)),
        )
        yield Bench(home, storage, edits, written)
