"""One live document: a shared text that is saved to its file and merged with the disk."""

from collections.abc import AsyncGenerator, Collection
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, replace
from typing import Literal

import anyio

from recto.clock import Clock
from recto.documents.failures import NotStored, UnresolvedConflict
from recto.documents.file_form import FileForm, FormedContent, read_file, text_of_file
from recto.documents.file_format import FileFormat
from recto.documents.journal import (
    DocumentJournal,
    JournalEntry,
    edit_entry,
    mark,
    mark_entry,
    review_entry,
)
from recto.documents.journal_replay import BaseContent, ReplayedDocument, replay
from recto.documents.journaled import DISK, MADE_ANEW, JournaledDocument
from recto.documents.merging import MergeConflict, merge_texts
from recto.documents.origins import EditOrigin
from recto.documents.own_words import OwnWords
from recto.documents.splices import difference, spliced
from recto.documents.state import DocumentConflict, DocumentState
from recto.documents.words import unit_of
from recto.workspace import (
    PathChanged,
    PathExists,
    PathNotFound,
    TextFile,
    Workspace,
    WorkspaceFailure,
    content_hash,
)

# A program that rewrites the file without end must not keep us in a loop.
TRIES = 5


@dataclass(frozen=True, slots=True)
class PendingSave:
    """A content on its way to the disk: the text up to an entry."""

    base: BaseContent
    data: bytes
    through: int
    snapshot: JournalEntry | None
    others: int
    """How many edits of others are in it."""
    is_own: bool
    """Whether people alone made it out of what the file has."""


class LiveDocument(JournaledDocument):
    """The shared text of one file.

    Whoever reads or writes the file has it to itself for that time, among all processes, and knows
    before what the others did.
    """

    def __init__(
        self,
        path: str,
        found: ReplayedDocument,
        *,
        workspace: Workspace,
        journal: DocumentJournal,
        clock: Clock,
        first: JournalEntry | None = None,
        on_own_words: OwnWords | None = None,
        form: FileForm | None = None,
    ) -> None:
        super().__init__(path, found, journal=journal, clock=clock, first=first)
        self._workspace = workspace
        self._journal = journal
        self._disk = anyio.Lock()
        self._on_own_words = on_own_words
        self.form = form
        self._content = FormedContent(form)

    async def reject(
        self,
        *,
        hunks: Collection[str] | None = None,
        edits: Collection[str] | None = None,
        origin: EditOrigin,
    ) -> None:
        """Take hunks, edits, or all that waits for review out of the text, and save it.

        What others wrote since stays. Raises NoSuchHunk, PathNotFound when the file is gone,
        UnresolvedConflict while two versions stand, and whatever writing raises.
        """

        def rejected(seq: int) -> JournalEntry | None:
            choice = self._tracker.choose(hunks, edits)
            pieces, splices = self._tracker.rejected(choice, self.text)
            after = spliced(self.text, splices)
            self._check(after)
            if pieces == self._tracker.tracked:
                return None
            kept = self._tracker.would_keep(pieces, after)
            if not splices:
                return review_entry(seq, kept)
            update = self._shared.would_splice(splices)
            return edit_entry(seq, update, origin, undoable=True, pieces=kept)

        async with self._alone_with_file():
            await self._read_disk()
            if self._state.conflict is not None:
                raise UnresolvedConflict(self.path)
            if self._state.is_gone:
                raise PathNotFound(self.path)
            await self._store(rejected)
            await self._bring_to_disk(asked=False)

    async def save(self, *, asked: bool = False, as_utf8: bool = False) -> DocumentState:
        """Bring the text to the disk, as far as that goes; how it stands then.

        A file that is gone is made again only when that was asked for.
        """
        with suppress(WorkspaceFailure):  # the state says it
            async with self._alone_with_file():
                if as_utf8:
                    self._base = replace(self._base, shape=replace(self.shape, encoding="utf-8"))
                    self._tell(replace(self._state, is_saved=False))
                await self._bring_to_disk(asked=asked)
        return self._state

    async def check_disk(self) -> DocumentState:
        """Take in what others wrote to the file."""
        with suppress(WorkspaceFailure):  # the state says it
            async with self._alone_with_file():
                try:
                    await self._read_disk()
                except WorkspaceFailure as failure:
                    self._tell_problem(failure)
                    return self._state
                if not self._state.is_saved:
                    await self._bring_to_disk(asked=False)
        return self._state

    async def resolve(self, choice: Literal["mine", "theirs"], origin: EditOrigin) -> DocumentState:
        """End a conflict: the text as it is here, or as it is on disk."""
        with suppress(WorkspaceFailure):  # the state says it
            async with self._alone_with_file():
                conflict = self._state.conflict
                if conflict is None:
                    return self._state
                self._content.adopt(conflict.content, conflict.theirs.text)
                if choice == "theirs":
                    self._base = conflict.theirs
                    # As small changes: cursors and notes elsewhere stay where they are.
                    self._splice(difference(self.text, self._base.text), origin)
                    await self._store(self._say_saved)
                else:
                    # Now the base: writing mine over it is no conflict again.
                    self._base = replace(conflict.theirs, shape=self.shape)
                self._tell(DocumentState(is_saved=False))
                await self._bring_to_disk(asked=True)
        return self._state

    def text_of(self, data: bytes) -> str | None:
        """The text that a content of this file has; None when it can't be one."""
        return self._content.text_of(data, self.shape, self._base.text)

    def _check(self, text: str) -> None:
        """Raises NotRepresentable, NotInForm, before anything is changed."""
        self._content.bytes_of(text, self.shape)

    def _is_at_base(self) -> bool:
        return self.text == self._base.text and not self._content.is_changed

    def touch(self) -> None:
        """What the file has besides its text was changed: it is to be saved."""
        self._on_edit()

    async def rewrite(
        self, text: str, *, expected_hash: str, origin: EditOrigin, data: bytes | None = None
    ) -> str:
        """Make this the file's text, for a program that has seen the content with that hash.

        What people wrote since is kept. Answers the file's new hash. Raises PathChanged when the
        program saw something else or people changed the same lines, UnresolvedConflict while two
        versions stand, and whatever writing raises.
        """
        async with self._alone_with_file():
            if expected_hash != self._base.hash or self._state != DocumentState(is_saved=True):
                await self._read_disk()  # else writing notices what changed there meanwhile
            if self._state.conflict is not None:
                raise UnresolvedConflict(self.path)
            wanted = merge_texts(self._base.text, self.text, self.shape.plain(text))
            # Judged after the disk was read: the base is the file as it is now.
            is_other = expected_hash != self._base.hash or self._state.is_gone
            if is_other or isinstance(wanted, MergeConflict):
                raise PathChanged(self.path)
            self._check(spliced(self.text, wanted))
            self._splice(wanted, origin)
            self._content.propose(data, text)
            self._tell(replace(self._state, is_saved=self._is_at_base()))
            await self._bring_to_disk(asked=False)
            return self._base.hash

    async def become(
        self, text: str, *, origin: EditOrigin, new: bool = False, data: bytes | None = None
    ) -> str:
        """Make this the text, whatever it was, and save it; the file's new hash. Undoable.

        A `new` file must not be there. Raises PathExists, UnresolvedConflict, what writing raises.
        """
        async with self._alone_with_file():
            await self._read_disk()
            if self._state.conflict is not None:
                raise UnresolvedConflict(self.path)
            if new and not self._state.is_gone:
                raise PathExists(self.path)
            wanted = difference(self.text, self.shape.plain(text))
            self._check(spliced(self.text, wanted))
            self._splice(wanted, origin, undoable=True)
            self._content.propose(data, text)
            self._tell(replace(self._state, is_saved=self._is_at_base()))
            await self._bring_to_disk(asked=True)
            return self._base.hash

    @asynccontextmanager
    async def held(self) -> AsyncGenerator[None]:
        """Neither its file nor its journal is touched for the block's length; typing goes on."""
        # Always in this order, as `_alone_with_file` and then `store` take them: no deadlock.
        async with self._disk, self._notes.held():
            yield

    def move_to(self, path: str) -> None:
        """Its file and its journal have another path now; whoever moved them holds it."""
        self.path = path
        self._notes.move_to(path)

    async def compact(self) -> None:
        """Put one snapshot in the place of the journal's entries, if all is saved.

        Other processes that have it open need the entries: to whom an edit belongs, and that it
        can be undone, is not in a snapshot.
        """
        if not self._state.is_saved or not self._notes.wants_snapshot(at_most=1):
            return
        async with self._alone_with_file():
            # Whoever opens it announces itself first, then waits for the lock that we have.
            if await self._journal.is_open_elsewhere(self.path):
                return
            await self._notes.store()
            if self._state.is_saved and not self._notes.is_waiting:
                await self._notes.compact(self._snapshot(self.last_seq, self._base.hash))

    @asynccontextmanager
    async def _alone_with_file(self) -> AsyncGenerator[None]:
        """Have the file to oneself, among all processes, and know what the others did.

        Raises what reading raises, and NotStored.
        """
        async with self._disk, AsyncExitStack() as stack:
            try:
                await stack.enter_async_context(self._journal.lock(self.path))
                # With the lock: whoever had it before has noted what it saved.
                await self._notes.catch_up()
                if not self._is_base_known:
                    await self._find_base()
            except WorkspaceFailure as failure:
                self._tell_problem(failure)
                raise
            yield

    async def _find_base(self) -> None:
        """Find the content that the file had last, after another process saved it."""
        try:
            # Whoever died right after writing left only a "saving" mark: the hash tells.
            content = (await read_file(self._workspace, self.path, self.form)).hash
        except PathNotFound:
            content = ""
        entries = await self._journal.read(self.path)
        known = replay(entries, content, unit_of(self.path))
        if known is None:
            raise NotStored(MADE_ANEW)
        self._base, self._is_base_known = known.base, True
        self._tell(replace(self._state, is_saved=self._is_at_base()))

    async def _bring_to_disk(self, *, asked: bool) -> None:
        """Save; when somebody else wrote in between, take that in and try again."""
        try:
            for _ in range(TRIES):
                state = self._state
                if state.is_saved or state.conflict is not None or (state.is_gone and not asked):
                    return
                await self._notes.store()
                await anyio.lowlevel.checkpoint()  # whoever shows the text gets it before the disk
                try:
                    await self._write()
                except PathChanged:
                    await self._read_disk()
                else:
                    return
            raise PathChanged(self.path)
        except WorkspaceFailure as failure:
            self._tell_problem(failure)
            raise

    async def _write(self) -> None:
        """Write the text as it is now; the journal knows before and after."""
        is_elsewhere = await self._journal.is_open_elsewhere(self.path)
        saving: PendingSave | None = None

        def begin(seq: int) -> JournalEntry | None:
            nonlocal saving
            # No await between: `through` names exactly the entries that are in this text.
            text, through = self.text, seq - 1
            data = self._content.bytes_of(text, self.shape)
            new_hash = content_hash(data)
            saving = None
            # Typed and taken back: the file need not be touched.
            if new_hash == self._base.hash and not self._state.is_gone:
                return None
            wants = self._notes.wants_snapshot() and not is_elsewhere
            snapshot = self._snapshot(through, new_hash) if wants else None
            said = mark("saving", through, new_hash, self.shape, self.epoch)
            base, others = BaseContent(text, new_hash, self.shape), self._others
            saving = PendingSave(base, data, through, snapshot, others.edits, others.are_none)
            self._tell(replace(self._state, is_saving=True))
            return mark_entry(seq, said)

        # Before the file: a crash right after writing it must not look like somebody else's change.
        await self._notes.store(begin)
        if saving is None:
            self._content.saved()
            self._tell(DocumentState(is_saved=self._is_at_base()))
        else:
            await self._finish_writing(saving)

    async def _finish_writing(self, saving: PendingSave) -> None:
        if saving.is_own and self._on_own_words is not None and self.form is None:
            old, new = self.shape.written(self._base.text), self.shape.written(saving.base.text)
            # Before the write: a turn that reads the new text must find it trusted already.
            await self._on_own_words(self.path, old, new)
        # The workspace refuses if the file is anything else by now: nobody's work is overwritten.
        expected = None if self._state.is_gone else self._base.hash
        await self._workspace.write(self.path, saving.data, expected_hash=expected)
        base = self._base = saving.base
        self._content.saved()
        # As counted when the text was taken: edits that came while the disk was busy are not in it.
        self._others.save(saving.others)
        if saving.snapshot is None:
            said = mark("saved", saving.through, base.hash, base.shape, self.epoch)
            await self._notes.store(lambda seq: mark_entry(seq, said))
        else:
            # Only now: the entries it replaces are needed until the file has the text.
            await self._notes.compact(saving.snapshot)
        # People may have typed on while the file was written.
        self._tell(DocumentState(is_saved=self._is_at_base()))

    async def _read_disk(self) -> None:
        """Take in what the file has now."""
        try:
            file = await read_file(self._workspace, self.path, self.form)
        except PathNotFound:
            self._tell(DocumentState(is_saved=False, is_gone=True))
            return
        if file.hash != self._base.hash:
            await self._take_file(file)
        elif self._state.is_gone or self._state.conflict is not None:
            self._tell(DocumentState(is_saved=self._is_at_base()))

    async def _take_file(self, file: TextFile) -> None:
        shape = FileFormat.of(file, self.shape)
        found = text_of_file(file, shape, self.form, self._base.text)
        theirs = BaseContent(found, file.hash, shape)
        wanted = merge_texts(self._base.text, self.text, theirs.text)
        if isinstance(wanted, MergeConflict):
            conflict = DocumentConflict(self.text, theirs, file.text if self.form else "")
            self._tell(DocumentState(is_saved=False, conflict=conflict))
            return
        was_own = self._others.are_none
        self._base = theirs
        self._content.adopt(file.text, found)
        self._splice(wanted, DISK)
        if was_own:  # what the disk brought is what the file has
            self._others.save(self._others.edits)
        self._tell(DocumentState(is_saved=self._is_at_base()))
        await self._store(self._say_saved)

    def _say_saved(self, seq: int) -> JournalEntry | None:
        """The mark that the text up to here is the file's, if it is."""
        if self.text != self._base.text:
            return None
        said = mark("saved", seq - 1, self._base.hash, self.shape, self.epoch)
        return mark_entry(seq, said)

    def _snapshot(self, through: int, new_hash: str) -> JournalEntry:
        """The mark that this content is the file's, with the whole document as it is now."""
        said = mark("saved", through, new_hash, self.shape, self.epoch)
        return mark_entry(through, said, self._shared.updates_since(), self._tracker.tracked)
