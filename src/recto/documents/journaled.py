"""A document as its journal has it: takes edits, stores them, tells its followers."""

from collections.abc import Callable, Collection, Generator, Iterable, Sequence
from contextlib import contextmanager
from dataclasses import replace

import anyio

from recto.clock import Clock
from recto.documents.anchors import (
    Anchor,
    RelativePosition,
    Side,
    anchors_at,
    places_of,
    positions_of,
)
from recto.documents.failures import NotStored
from recto.documents.file_format import FileFormat
from recto.documents.followers import DocumentFollower, EditedEvent, ReviewedEvent
from recto.documents.journal import (
    DocumentJournal,
    JournaledEdit,
    JournaledReview,
    JournalEntry,
    SaveMark,
    edit_entry,
    read_entry,
    review_entry,
)
from recto.documents.journal_replay import BaseContent, JournalReplay, ReplayedDocument
from recto.documents.journal_writer import BuildLast, JournalWriter
from recto.documents.origins import EditOrigin
from recto.documents.own_words import OtherHands
from recto.documents.shared_text import SharedText
from recto.documents.splices import Splice
from recto.documents.state import DocumentState
from recto.documents.tracking.hunks import Hunk
from recto.documents.tracking.pieces import WrittenSpan
from recto.documents.tracking.tracker import Tracker
from recto.documents.update_check import check_update
from recto.documents.words import unit_of
from recto.workspace import NotRepresentable, WorkspaceFailure

TAKE_OVER_S = 2.0
"""How much longer an edit that another process took may stay unsaved before it is saved here."""
MADE_ANEW = "another Recto has made this file anew; copy what you need and open it again"
DISK = EditOrigin("disk")
NOTHING = b"\0\0"  # an update without content


class JournaledDocument:
    """A shared text and its journal. An edit is acknowledged when it is stored there.

    Every process that has the file open has a copy, and all of them follow the journal.
    """

    def __init__(
        self,
        path: str,
        found: ReplayedDocument,
        *,
        journal: DocumentJournal,
        clock: Clock,
        first: JournalEntry | None = None,
    ) -> None:
        self.path = path
        self.epoch = found.epoch
        self._clock = clock
        self._play = JournalReplay(unit_of(path), found.shared, found.tracker)
        self._told = found.tracker.hunks
        self._base = found.base
        self._is_base_known = True
        """Whether the text of the base is known; another process may have saved it."""
        self._edit_seq = found.last_seq
        """The last entry of the journal that can have changed the text."""
        self._notes = JournalWriter(
            journal,
            path,
            last_seq=found.last_seq,
            rows=found.rows,
            first=first,
            copy=self,
        )
        self._followers: dict[DocumentFollower, None] = {}
        self._state = DocumentState(is_saved=found.shared.text == found.base.text)
        self._others = OtherHands(is_saved=self._state.is_saved)
        self.last_edit_s = clock.monotonic()
        self.edited = anyio.Event()

    @property
    def _shared(self) -> SharedText:
        return self._play.shared

    @property
    def _tracker(self) -> Tracker:
        return self._play.tracker

    @property
    def text(self) -> str:
        """The text as it is."""
        return self._shared.text

    @property
    def last_seq(self) -> int:
        """The last entry of the journal that it has taken in."""
        return self._notes.last_seq

    @property
    def shape(self) -> FileFormat:
        """Encoding, byte order mark and line endings of the file."""
        return self._base.shape

    @property
    def state(self) -> DocumentState:
        """How the document stands to its file."""
        return self._state

    def version(self) -> bytes:
        """Which edits are in it, as peers compare it."""
        return self._shared.state()

    def updates_since(self, version: bytes) -> bytes:
        """All that a peer with that version lacks. Raises BadUpdate."""
        return self._shared.updates_since(version)

    def whole(self) -> bytes:
        """All that a peer lacks that has nothing of it."""
        return self._shared.updates_since()

    def anchor(self, *places: tuple[int, Side]) -> tuple[Anchor, ...]:
        """Anchors beside the characters at these places. Raises InvalidPosition."""
        return anchors_at(self._shared, places)

    def find(self, *anchors: Anchor) -> tuple[int, ...]:
        """Where anchors stand now. Raises InvalidPosition."""
        return places_of(self._shared, anchors)

    @contextmanager
    def follow(self) -> Generator[DocumentFollower]:
        """Hear of every stored edit but one's own, and of every state, for the block's length."""
        follower = DocumentFollower(self._state)
        if self._told:
            follower.tell(ReviewedEvent(self._told))
        self._followers[follower] = None
        try:
            yield follower
        finally:
            del self._followers[follower]

    def take_update(
        self, update: bytes, origin: EditOrigin, *, by: DocumentFollower | None = None
    ) -> None:
        """Take in a peer's edit; only `store` makes it safe. Raises BadUpdate."""
        # What a page answers when it has nothing new; an entry for each would be noise.
        if update == NOTHING:
            return
        check_update(update)
        before = self.text
        try:
            self._shared.apply(update)
        finally:
            self._track(before, origin)
        self._note(lambda seq: edit_entry(seq, update, origin), by=by)

    async def apply_update(self, update: bytes, origin: EditOrigin) -> None:
        """Take in a peer's edit and store it. Raises BadUpdate, NotStored."""
        self.take_update(update, origin)
        await self.store()

    async def edit(
        self, splices: Iterable[Splice], origin: EditOrigin, *, undoable: bool = False
    ) -> None:
        """Change the text here, and store that. Raises InvalidPosition, NotStored."""
        self._splice(splices, origin, undoable=undoable)
        await self.store()

    def written(self) -> tuple[WrittenSpan, ...]:
        """Who wrote what: all of the text, in order, neighbours differ."""
        return self._tracker.written()

    def hunks(self) -> tuple[Hunk, ...]:
        """What waits for review, from front to back."""
        return self._tracker.hunks

    def pending(self) -> frozenset[str]:
        """The edits of which something is left to review."""
        return self._tracker.pending

    def reviewed_text(self) -> str:
        """The text without its pending edits."""
        return self._tracker.reviewed(self.text)

    def hunk_places(
        self, hunks: Sequence[Hunk]
    ) -> tuple[tuple[RelativePosition, RelativePosition], ...]:
        """Where hunks of the text as it is now begin and end, as Yjs keeps positions."""
        return positions_of(self._shared, [(hunk.start, hunk.end) for hunk in hunks])

    async def accept(
        self,
        *,
        hunks: Collection[str] | None = None,
        edits: Collection[str] | None = None,
        text: str | None = None,
    ) -> None:
        """End the review of hunks, of edits, or of all: the text stays. Raises NoSuchHunk.

        With a `text`, only if that is what the document says.
        """

        def accepted(seq: int) -> JournalEntry | None:
            # Checked where the entry is made: no keystroke comes between.
            if text not in (None, self.text):
                return None
            pieces = self._tracker.accepted(self._tracker.choose(hunks, edits))
            if pieces == self._tracker.tracked:
                return None
            # The pieces outright: a replay must not have to guess what was chosen.
            return review_entry(seq, self._tracker.would_keep(pieces, self.text))

        await self._store(accepted)

    async def accept_but(
        self, spans: Sequence[tuple[int, int]], *, edits: Collection[str], text: str
    ) -> bool:
        """End the review of edits, but not in some places of this very text; whether it was that.

        Raises NotStored.
        """
        is_same = True

        def accepted(seq: int) -> JournalEntry | None:
            nonlocal is_same
            is_same = text == self.text
            if not is_same:
                return None
            pieces = self._tracker.accepted_but(edits, spans)
            return review_entry(seq, self._tracker.would_keep(pieces, self.text))

        await self._store(accepted)
        return is_same

    async def store(self) -> None:
        """Return when every edit so far is in the journal. Raises NotStored."""
        await self._store()

    async def catch_up(self, seq: int | None = None) -> None:
        """Take in what other processes wrote, up to a number at least; None: all.

        Raises NotStored.
        """
        await self._notes.catch_up(seq)

    def _splice(
        self, splices: Iterable[Splice], origin: EditOrigin, *, undoable: bool = False
    ) -> None:
        plain = [replace(splice, new=self.shape.plain(splice.new)) for splice in splices]
        before = self.text
        update = self._shared.splice(plain)
        if update:
            self._track(before, origin)
            self._note(lambda seq: edit_entry(seq, update, origin, undoable=undoable))

    def _track(self, before: str, origin: EditOrigin) -> None:
        changes = self._shared.changes
        self._tracker.take(changes, origin, before=before, after=self.text)
        self._others.note(origin, changes, self._tracker.written)

    def _note(
        self, build: Callable[[int], JournalEntry], *, by: DocumentFollower | None = None
    ) -> None:
        """Write an edit down, and tell that it is not saved."""
        self._notes.add(build, by)
        self._on_edit()

    def _on_edit(self, *, later_s: float = 0) -> None:
        self.last_edit_s = self._clock.monotonic() + later_s
        self._tell(replace(self._state, is_saved=False))
        self.edited.set()

    async def _store(self, last: BuildLast | None = None) -> None:
        try:
            await self._notes.store(last)
        except NotStored as failure:
            self._tell(replace(self._state, problem=str(failure)))
            raise

    def on_stored(self, entries: Sequence[tuple[JournalEntry, DocumentFollower | None]]) -> None:
        """What waited is in the journal: whoever shows the document is told."""
        for entry, author in entries:
            said = read_entry(entry)
            if isinstance(said, JournaledEdit):
                self._tell_edit(entry, said, but=author)
        if not self._notes.is_waiting:  # whoever hears of a hunk has all of its text
            self._tell_hunks()

    def take(self, entries: Sequence[JournalEntry], *, is_own: bool) -> None:
        """Take in what follows in the journal. Raises BadJournal, NotStored."""
        for entry in entries:
            said = self._read(entry)
            self._play.take(entry, said)
            self._on_taken(entry, said, is_own=is_own)
        if not self._notes.is_waiting:
            self._tell_hunks()

    def take_again(
        self,
        entries: Sequence[JournalEntry],
        new: Sequence[JournalEntry],
        waiting: Sequence[JournalEntry],
    ) -> None:
        """Begin anew with the journal, then what waits. Raises BadJournal, NotStored.

        Texts merge in any order; who wrote what, and what waits for review, follows the journal's.
        """
        play = JournalReplay(unit_of(self.path))
        for entry in (*entries, *waiting):
            play.take(entry, self._read(entry))
        # Swapped only when all of it was read: a bad entry leaves the document as it was.
        self._play = play
        for entry in new:
            self._on_taken(entry, read_entry(entry), is_own=False)

    def _read(self, entry: JournalEntry) -> JournaledEdit | JournaledReview | SaveMark:
        """What an entry says, if it is of this document. Raises BadJournal, NotStored."""
        said = read_entry(entry)
        # The same path, but another document: its identities and ours have nothing in common.
        if isinstance(said, SaveMark) and said.epoch != self.epoch:
            raise NotStored(MADE_ANEW)
        return said

    def _on_taken(
        self, entry: JournalEntry, said: JournaledEdit | JournaledReview | SaveMark, *, is_own: bool
    ) -> None:
        self._tell_edit(entry, said)
        if isinstance(said, JournaledEdit):
            if is_own:
                self._others.note(said.origin, self._shared.changes, self._tracker.written)
            else:
                # Its authors are not followed here, so it may be anybody's.
                self._others.count()
            # Whoever took the edit saves it; only if that process dies, we do.
            self._on_edit(later_s=0 if is_own else TAKE_OVER_S)
        elif isinstance(said, SaveMark) and not is_own:
            self._on_saved_elsewhere(said)

    def _on_saved_elsewhere(self, said: SaveMark) -> None:
        """Another process saves. What its file has is known if nobody has written since."""
        # An edit of ours may stand behind the text that the other process saved.
        is_saved = said.kind == "saved" and said.through >= self._edit_seq
        self._is_base_known = is_saved and not self._notes.is_waiting
        if said.kind == "saved":
            self._base = BaseContent(self.text, said.hash, said.shape)
            if self._is_base_known:
                self._others.save(self._others.edits)
            self._tell(DocumentState(is_saved=self._is_base_known))

    def _tell_edit(
        self,
        entry: JournalEntry,
        said: JournaledEdit | JournaledReview | SaveMark,
        *,
        but: DocumentFollower | None = None,
    ) -> None:
        if not entry.data:
            return
        self._edit_seq = entry.seq
        is_edit = isinstance(said, JournaledEdit)
        # A snapshot brings the whole document; nobody's undo may take that back.
        origin, undoable = (said.origin, said.undoable) if is_edit else (DISK, False)
        for follower in self._followers:
            if follower is not but:
                follower.tell(EditedEvent(entry.data, origin, undoable))

    def _tell_hunks(self) -> None:
        told, self._told = self._told, self._tracker.hunks
        # Ids are made of a hunk's content: typing elsewhere leaves them as they are.
        if [item.id for item in told] != [item.id for item in self._told]:
            for follower in self._followers:
                follower.tell(ReviewedEvent(self._told))

    def _tell_problem(self, failure: WorkspaceFailure) -> None:
        utf8 = isinstance(failure, NotRepresentable)
        problem = str(failure)
        self._tell(replace(self._state, is_saving=False, problem=problem, needs_utf8=utf8))

    def _tell(self, state: DocumentState) -> None:
        if state == self._state:
            return
        self._state = state
        for follower in self._followers:
            follower.tell(state)
