"""The live documents of one folder: one for each file in use, saved by themselves."""

from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass
from functools import partial

import anyio

from recto.clock import Clock
from recto.documents.document import LiveDocument
from recto.documents.failures import NotInForm, StillOpen
from recto.documents.file_form import FileForm, FindForm, no_form, read_file
from recto.documents.initial_content import InitialContent, content_of_file, content_of_new_file
from recto.documents.journal import DocumentJournal, JournalEntry
from recto.documents.journal_replay import ReplayedDocument, replay
from recto.documents.moved_files import MovedFiles
from recto.documents.origins import EditOrigin
from recto.documents.own_words import OwnWords
from recto.documents.words import unit_of
from recto.supervisor import Supervisor
from recto.workspace import BinaryFile, PathNotFound, TooLarge, Workspace, WorkspaceFailure

# After the last edit, not every second: a sentence in the making is written once.
AUTOSAVE_S = 1.0
RETRY_S = 5.0
Wait = Callable[[float], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class ReadOnly:
    """A file that can't be a live document, and why."""

    path: str
    reason: str


@dataclass(slots=True)
class OpenedDocument:
    """A live document, how many use it, and the life of its autosave."""

    document: LiveDocument
    saving: anyio.CancelScope
    users: int = 0


class Documents:
    """Opens each file once, however many look at it. Followed by `on_changes` to the disk."""

    def __init__(
        self,
        workspace: Workspace,
        journal: DocumentJournal,
        *,
        clock: Clock,
        supervisor: Supervisor,
        wait: Wait = anyio.sleep,
        on_own_words: OwnWords | None = None,
        find_form: FindForm = no_form,
    ) -> None:
        self._find_form = find_form
        self._workspace = workspace
        self._journal = journal
        self._clock = clock
        self._supervisor = supervisor
        self._wait = wait
        self._on_own_words = on_own_words
        self._open: dict[str, OpenedDocument] = {}
        # Opening, closing and moving take turns: a path never has two documents, nor a dying one.
        self._opening = anyio.Lock()
        self._moves = MovedFiles(workspace, journal)

    @asynccontextmanager
    async def using(self, path: str) -> AsyncGenerator[LiveDocument | ReadOnly]:
        """A file as a live document for the block's length; saved when its last user leaves.

        Raises what reading raises, except that what is not text, or too large, is ReadOnly.
        """
        # By the real path: two names of one file, through a link, share one document.
        real = path if path in self._open else await self._workspace.real_path(path)
        try:
            opened = await self._get(real)
        except (BinaryFile, TooLarge, NotInForm) as failure:
            yield ReadOnly(path, str(failure))
            return
        try:
            yield opened.document
        finally:
            # A tab that closes cancels its task, and this is where its last edits are saved.
            with anyio.CancelScope(shield=True):
                await self._leave(opened)

    def find(self, path: str) -> LiveDocument | None:
        """The live document of a real path, if it is in use."""
        opened = self._open.get(path)
        return None if opened is None else opened.document

    async def write(
        self, path: str, data: bytes, *, expected_hash: str | None, origin: EditOrigin
    ) -> str:
        """Replace a file's content for a program, or create it when no hash is expected.

        Answers the new hash. Raises what `LiveDocument.rewrite` and `Workspace.write` raise.
        """
        if expected_hash is None:
            return await self.create(path, data, origin=origin)
        written = await self.rewrite(path, data, expected_hash=expected_hash, origin=origin)
        if written is None:
            written = await self._workspace.write(path, data, expected_hash=expected_hash)
            await self._look(path)
        return written

    async def rewrite(
        self, path: str, data: bytes, *, expected_hash: str | None, origin: EditOrigin
    ) -> str | None:
        """Replace the content of a text file, whoever has it open, and save it; its new hash.

        None when it is no text, or the bytes may be in another encoding: then the disk is the
        place. Raises what reading and `LiveDocument.rewrite` raise.
        """
        if expected_hash is None:
            return None
        async with self.using(path) as document:
            text = None if isinstance(document, ReadOnly) else document.text_of(data)
            if text is None or isinstance(document, ReadOnly):
                return None
            return await document.rewrite(
                text, expected_hash=expected_hash, origin=origin, data=data
            )

    async def create(self, path: str, data: bytes, *, origin: EditOrigin) -> str:
        """Make a file whose whole text is the origin's; its hash. What is no text is only written.

        Raises PathExists, and what `Workspace.write` raises.
        """
        real = await self._workspace.real_path(path)
        async with self._opening:
            opened = self._open.get(real)
            if opened is not None:
                return await self._make_again(real, opened.document, data, origin)
            beginning = content_of_new_file(data, origin, self._find_form(real))
            if beginning is None:
                return await self._workspace.write(real, data, expected_hash=None)
            # Its file is gone but its text is open there: a fresh journal would cut it off.
            if await self._journal.is_open_elsewhere(real):
                known = replay(await self._journal.read(real), "", unit_of(real))
                if known is not None:  # whoever has it open goes on with it
                    return await self._make_again(real, self._document(real, known), data, origin)
            async with self._journal.lock(real):
                return await self._make(real, data, beginning)

    async def _make(self, path: str, data: bytes, beginning: InitialContent) -> str:
        """Make a file that nobody has open; its journal begins with it."""
        if await self._workspace.state(path) is not None:
            return await self._workspace.write(path, data, expected_hash=None)
        entries = await self._journal.read(path)
        seq = entries[-1].seq if entries else 1
        entry = beginning.entry(seq, "saving")
        if entries:  # those of a file that is gone
            # In their place, under the last number: whoever counts entries never sees one twice.
            await self._journal.compact(path, entry)
        else:
            # Before the file: after a crash between, the text still belongs to whoever made it.
            await self._journal.append(path, (entry,))
        written = await self._workspace.write(path, data, expected_hash=None)
        await self._journal.append(path, (beginning.written_entry(seq + 1),))
        return written

    async def _make_again(
        self, path: str, document: LiveDocument, data: bytes, origin: EditOrigin
    ) -> str:
        """Make a file anew whose document is still open."""
        text = document.text_of(data)
        if text is not None:
            return await document.become(text, origin=origin, new=True, data=data)
        written = await self._workspace.write(path, data, expected_hash=None)
        await document.check_disk()
        return written

    @asynccontextmanager
    async def moving(self, path: str, new_path: str) -> AsyncGenerator[None]:
        """Has the documents of a file, or of a folder, go along with what the block moves.

        Both are real paths. While it lasts none of them is saved; typing goes on. Raises StillOpen
        when a text is open under the new name whose file is gone.
        """
        async with self._opening, AsyncExitStack() as held:
            if self._below(new_path):
                raise StillOpen(new_path)
            going = self._below(path)
            for opened in going:
                await held.enter_async_context(opened.document.held())
            yield
            for opened in going:
                old = opened.document.path
                new = new_path + old[len(path) :]
                # Announced under the new name before the old one is given up: never under none.
                await self._journal.open(new)
                del self._open[old]
                opened.document.move_to(new)
                self._open[new] = opened
                await self._journal.close(old)

    @asynccontextmanager
    async def removing(self, path: str) -> AsyncGenerator[None]:
        """Saves the documents of a file, or of a folder, which the block takes away then."""
        async with self._opening:
            going = self._below(path)
            for opened in going:
                await opened.document.save()
            async with AsyncExitStack() as held:
                for opened in going:
                    await held.enter_async_context(opened.document.held())
                yield
            for opened in going:
                await opened.document.check_disk()

    def _below(self, path: str) -> list[OpenedDocument]:
        """The documents of a path, and of all below it."""
        return [
            opened
            for key, opened in self._open.items()
            if key == path or key.startswith(f"{path}/")
        ]

    async def moved_to(self, path: str) -> str | None:
        """Where a file is now that is gone from its path, if one new file has its content.

        Raises what reading raises.
        """
        return await self._moves.find(path)

    async def settle(self) -> None:
        """Bring what people wrote to the disk, so that programs read what people see.

        What they wrote through other processes, too.
        """
        for opened in list(self._open.values()):
            if not opened.document.state.is_saved:
                await opened.document.save()
        # A process that died, or is slow, may have left edits that no file has yet.
        for path in await self._journal.unsaved():
            with suppress(PathNotFound):
                async with self.using(path) as document:
                    if isinstance(document, LiveDocument):
                        await document.save()

    async def is_open(self, path: str) -> bool:
        """Whether a real path is in use as a live document, in whichever process."""
        return path in self._open or await self._journal.is_open_elsewhere(path)

    async def catch_up(self, path: str, seq: int | None) -> None:
        """Other processes wrote into a document's journal, up to a number at least; None: any."""
        document = self.find(path)
        if document is not None:
            await document.catch_up(seq)

    async def catch_up_all(self) -> None:
        """Other processes may have written into any journal. Raises NotStored."""
        for path in list(self._open):
            await self.catch_up(path, None)

    async def on_changes(self, folders: frozenset[str], *, overflow: bool) -> None:
        """Look at the open files of folders that changed; `overflow` means any may have."""
        for path in list(self._open):
            if overflow or path.rpartition("/")[0] in folders:
                await self._look(path)

    async def _look(self, path: str) -> None:
        document = self.find(path)
        if document is not None:
            await document.check_disk()

    async def _get(self, path: str) -> OpenedDocument:
        async with self._opening:
            opened = self._open.get(path)
            if opened is None:
                opened = await self._open_now(path)
            opened.users += 1
        return opened

    async def _open_now(self, path: str) -> OpenedDocument:
        # Before it is read: from here on others keep the entries that we are about to read.
        await self._journal.open(path)
        opened: OpenedDocument | None = None
        try:
            document = await self._load(path)
            saving = self._supervisor.keep("saving", partial(self._autosave, document))
            opened = self._open[path] = OpenedDocument(document, saving)
            # What others wrote between, they told nobody here.
            await document.catch_up()
        except BaseException:
            if opened is not None:
                opened.saving.cancel()
                del self._open[path]
            with anyio.CancelScope(shield=True):
                await self._journal.close(path)
            raise
        return opened

    async def _load(self, path: str) -> LiveDocument:
        async with self._journal.lock(path):
            # File and journal under one lock: between the two reads nobody saves.
            form = self._find_form(path)
            file = await read_file(self._workspace, path, form)
            entries = await self._journal.read(path)
            known = replay(entries, file.hash, unit_of(path)) if entries else None
            if known is None or (form is not None and not form.is_text(known.shared.text)):
                return await self._begin(path, content_of_file(file, form), entries, form)
            if form is not None:
                form.adopt(file.text, form.read(file.text, known.base.text))
        document = self._document(path, known, form=form)
        await document.check_disk()
        return document

    async def _begin(
        self,
        path: str,
        beginning: InitialContent,
        entries: Sequence[JournalEntry],
        form: FileForm | None,
    ) -> LiveDocument:
        """The document of a file that has none yet."""
        unit = unit_of(path)
        if entries:
            # Somebody was about to make this file, and somebody else did.
            last = entries[-1].seq
            await self._journal.compact(path, beginning.entry(last, "saved"))
            found = beginning.document(unit, last_seq=last, rows=1)
            return self._document(path, found, form=form)
        fresh = beginning.document(unit, last_seq=0, rows=0)
        document = self._document(path, fresh, first=beginning.entry(1, "saved"), form=form)
        if self._journal.is_shared:  # others must begin with the same
            await document.store()
        return document

    def _document(
        self,
        path: str,
        known: ReplayedDocument,
        *,
        first: JournalEntry | None = None,
        form: FileForm | None = None,
    ) -> LiveDocument:
        return LiveDocument(
            path,
            known,
            workspace=self._workspace,
            journal=self._journal,
            clock=self._clock,
            first=first,
            on_own_words=self._on_own_words,
            form=form,
        )

    async def _leave(self, opened: OpenedDocument) -> None:
        async with self._opening:
            opened.users -= 1
            if opened.users:
                return
            path = opened.document.path
            try:
                await opened.document.save()
                opened.saving.cancel()
                del self._open[path]
                with suppress(WorkspaceFailure):  # nothing is lost: the entries stay as they are
                    await opened.document.compact()
            finally:
                await self._journal.close(path)

    async def _autosave(self, document: LiveDocument) -> None:
        """Save a second after the last edit, again and again."""
        while True:
            await document.edited.wait()
            # Renewed before saving: an edit that comes meanwhile starts the next round.
            document.edited = anyio.Event()
            try:
                await self._save_soon(document)
            except BaseException:
                document.edited.set()  # begun again, it saves what this one did not
                raise

    async def _save_soon(self, document: LiveDocument) -> None:
        while (left := document.last_edit_s + AUTOSAVE_S - self._clock.monotonic()) > 0:
            await self._wait(left)
        if not document.state.is_saved and (await document.save()).problem is not None:
            await self._wait(RETRY_S)
            document.edited.set()
