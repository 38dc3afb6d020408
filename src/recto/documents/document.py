"""One live document: takes edits, stores them, tells its followers, saves, merges with the disk."""

from collections.abc import Callable, Collection, Generator, Iterable, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import Literal

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
from recto.documents.failures import Conflicting, NotStored
from recto.documents.following import Edited, Follower, Reviewed
from recto.documents.journal import (
    Edit,
    Entry,
    Journal,
    edit_entry,
    mark,
    mark_entry,
    read_entry,
    review_entry,
)
from recto.documents.merging import Clash, merge
from recto.documents.notes import Notes
from recto.documents.origins import Origin
from recto.documents.replaying import Base, Replayed
from recto.documents.shape import Shape
from recto.documents.splices import Splice, difference, spliced
from recto.documents.state import Conflict, State
from recto.documents.tracking.hunks import Hunk
from recto.documents.tracking.pieces import Tracked, Written
from recto.workspace import (
    AlreadyExists,
    Changed,
    NotFound,
    NotRepresentable,
    TextFile,
    Workspace,
    WorkspaceFailure,
    content_hash,
)

TRIES = 5
DISK = Origin("disk")
NOTHING = b"\0\0"  # an update without content


class LiveDocument:
    """The shared text of one file. An edit is acknowledged when it is in the journal."""

    def __init__(
        self,
        path: str,
        found: Replayed,
        *,
        workspace: Workspace,
        journal: Journal,
        clock: Clock,
        first: Entry | None = None,
    ) -> None:
        self.path = path
        self.epoch = found.epoch
        self._workspace = workspace
        self._clock = clock
        self._shared = found.shared
        self._tracker = found.tracker
        self._told = found.tracker.hunks
        self._base = found.base
        self._notes = Notes(
            journal,
            path,
            last_seq=found.last_seq,
            rows=found.rows,
            first=first,
            on_stored=self._on_stored,
        )
        self._followers: dict[Follower, None] = {}
        self._authors: dict[int, Follower] = {}
        self._disk = anyio.Lock()
        self._state = State(is_saved=found.shared.text == found.base.text)
        self.edits = 0
        self.last_edit_s = clock.monotonic()
        self.edited = anyio.Event()

    @property
    def text(self) -> str:
        """The text as it is."""
        return self._shared.text

    @property
    def shape(self) -> Shape:
        """Encoding, byte order mark and line endings of the file."""
        return self._base.shape

    @property
    def state(self) -> State:
        """How the document stands to its file."""
        return self._state

    def version(self) -> bytes:
        """Which edits are in it, as peers compare it."""
        return self._shared.state()

    def updates_since(self, version: bytes) -> bytes:
        """All that a peer with that version lacks. Raises BadUpdate."""
        return self._shared.updates_since(version)

    def anchor(self, *places: tuple[int, Side]) -> tuple[Anchor, ...]:
        """Anchors beside the characters at these places. Raises Misplaced."""
        return anchors_at(self._shared, places)

    def find(self, *anchors: Anchor) -> tuple[int, ...]:
        """Where anchors stand now. Raises Misplaced."""
        return places_of(self._shared, anchors)

    @contextmanager
    def follow(self) -> Generator[Follower]:
        """Hear of every stored edit but one's own, and of every state, for the block's length."""
        follower = Follower(self._state)
        if self._told:
            follower.tell(Reviewed(self._told))
        self._followers[follower] = None
        try:
            yield follower
        finally:
            del self._followers[follower]

    def take_update(self, update: bytes, origin: Origin, *, by: Follower | None = None) -> None:
        """Take in a peer's edit; only `store` makes it safe. Raises BadUpdate."""
        if update == NOTHING:
            return
        before = self.text
        try:
            self._shared.apply(update)
        finally:
            self._track(before, origin)
        self._note(lambda seq: edit_entry(seq, update, origin), by=by)

    async def apply_update(self, update: bytes, origin: Origin) -> None:
        """Take in a peer's edit and store it. Raises BadUpdate, NotStored."""
        self.take_update(update, origin)
        await self.store()

    async def edit(
        self, splices: Iterable[Splice], origin: Origin, *, undoable: bool = False
    ) -> None:
        """Change the text here, and store that. Raises Misplaced, NotStored."""
        self._splice(splices, origin, undoable=undoable)
        await self.store()

    def written(self) -> tuple[Written, ...]:
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
        return positions_of(self._shared, [(one.start, one.end) for one in hunks])

    async def accept(
        self, *, hunks: Collection[str] | None = None, edits: Collection[str] | None = None
    ) -> None:
        """End the review of hunks, of edits, or of all: the text stays. Raises NoSuchHunk."""
        choice = self._tracker.choose(hunks, edits)
        pieces = self._tracker.accepted(choice)
        if pieces != self._tracker.tracked:
            self._tracker.put(pieces, self.text)
            kept = self._tracker.tracked
            self._notes.add(lambda seq: review_entry(seq, kept))
        await self.store()

    async def reject(
        self,
        *,
        hunks: Collection[str] | None = None,
        edits: Collection[str] | None = None,
        origin: Origin,
    ) -> None:
        """Take hunks, edits, or all that waits for review out of the text, and save it.

        What others wrote since stays. Raises NoSuchHunk, NotFound when the file is gone,
        Conflicting while two versions stand, and whatever writing raises.
        """
        async with self._disk:
            await self._read_disk()
            if self._state.conflict is not None:
                raise Conflicting(self.path)
            if self._state.is_gone:
                raise NotFound(self.path)
            choice = self._tracker.choose(hunks, edits)
            pieces, splices = self._tracker.rejected(choice, self.text)
            self.shape.write(spliced(self.text, splices))  # raises before anything is changed
            self._reject(pieces, splices, origin)
            await self.store()
            await self._bring_to_disk(asked=False)

    async def store(self) -> None:
        """Return when every edit so far is in the journal. Raises NotStored."""
        try:
            await self._notes.store()
        except NotStored as failure:
            self._tell(replace(self._state, problem=str(failure)))
            raise

    async def save(self, *, asked: bool = False, as_utf8: bool = False) -> State:
        """Bring the text to the disk, as far as that goes; how it stands then.

        A file that is gone is made again only when that was asked for.
        """
        async with self._disk:
            if as_utf8:
                self._base = replace(self._base, shape=replace(self.shape, encoding="utf-8"))
                self._tell(replace(self._state, is_saved=False))
            return await self._save(asked=asked)

    async def check_disk(self) -> State:
        """Take in what others wrote to the file."""
        async with self._disk:
            try:
                await self._read_disk()
            except WorkspaceFailure as failure:
                self._tell(replace(self._state, is_saving=False, problem=str(failure)))
                return self._state
            return self._state if self._state.is_saved else await self._save(asked=False)

    async def resolve(self, choice: Literal["mine", "theirs"], origin: Origin) -> State:
        """End a conflict: the text as it is here, or as it is on disk."""
        async with self._disk:
            conflict = self._state.conflict
            if conflict is None:
                return self._state
            if choice == "theirs":
                self._base = conflict.theirs
                self._splice(difference(self.text, self._base.text), origin)
            else:
                self._base = replace(conflict.theirs, shape=self.shape)
            self._tell(State(is_saved=False))
            return await self._save(asked=True)

    async def rewrite(self, text: str, *, expected_hash: str, origin: Origin) -> str:
        """Make this the file's text, for a program that has seen the content with that hash.

        What people wrote since is kept. Answers the file's new hash. Raises Changed when the
        program saw something else or people changed the same lines, Conflicting while two versions
        stand, and whatever writing raises.
        """
        async with self._disk:
            if expected_hash != self._base.hash or self._state != State(is_saved=True):
                await self._read_disk()  # else writing notices what changed there meanwhile
            if self._state.conflict is not None:
                raise Conflicting(self.path)
            wanted = merge(self._base.text, self.text, self.shape.plain(text))
            is_other = expected_hash != self._base.hash or self._state.is_gone
            if is_other or isinstance(wanted, Clash):
                raise Changed(self.path)
            self.shape.write(spliced(self.text, wanted))  # raises before anything is changed
            self._splice(wanted, origin)
            await self._bring_to_disk(asked=False)
            return self._base.hash

    async def become(self, text: str, *, origin: Origin, new: bool = False) -> str:
        """Make this the text, whatever it was, and save it; the file's new hash. Undoable.

        A `new` file must not be there. Raises AlreadyExists, Conflicting, what writing raises.
        """
        async with self._disk:
            await self._read_disk()
            if self._state.conflict is not None:
                raise Conflicting(self.path)
            if new and not self._state.is_gone:
                raise AlreadyExists(self.path)
            wanted = difference(self.text, self.shape.plain(text))
            self.shape.write(spliced(self.text, wanted))  # raises before anything is changed
            self._splice(wanted, origin, undoable=True)
            await self._bring_to_disk(asked=True)
            return self._base.hash

    async def compact(self) -> None:
        """Put one snapshot in the place of the journal's entries, if all is saved."""
        async with self._disk:
            if self._state.is_saved and self._notes.wants_snapshot(at_most=1):
                through = self._notes.last_seq
                await self._notes.compact(self._snapshot(through, self._base.hash))

    async def _save(self, *, asked: bool) -> State:
        with suppress(WorkspaceFailure):  # the state says it
            await self._bring_to_disk(asked=asked)
        return self._state

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
                except Changed:
                    await self._read_disk()
                else:
                    return
            raise Changed(self.path)
        except WorkspaceFailure as failure:
            utf8 = isinstance(failure, NotRepresentable)
            state = replace(self._state, is_saving=False, problem=str(failure), needs_utf8=utf8)
            self._tell(state)
            raise

    async def _write(self) -> None:
        """Write the text as it is now; the journal knows before and after."""
        edits, text, through = self.edits, self.text, self._notes.last_seq
        data = self.shape.write(text)
        new_hash = content_hash(data)
        if new_hash != self._base.hash or self._state.is_gone:
            wants = self._notes.wants_snapshot()
            snapshot = self._snapshot(through, new_hash) if wants else None
            self._tell(replace(self._state, is_saving=True))
            self._add_mark("saving", through, new_hash)
            await self._notes.store()
            expected = None if self._state.is_gone else self._base.hash
            await self._workspace.write(self.path, data, expected_hash=expected)
            self._base = Base(text, new_hash, self.shape)
            if snapshot is None:
                self._add_mark("saved", through, new_hash)
                await self._notes.store()
            else:
                await self._notes.compact(snapshot)
        self._tell(State(is_saved=edits == self.edits))

    async def _read_disk(self) -> None:
        """Take in what the file has now."""
        try:
            file = await self._workspace.read_text(self.path)
        except NotFound:
            self._tell(State(is_saved=False, is_gone=True))
            return
        if file.hash != self._base.hash:
            await self._take_file(file)
        elif self._state.is_gone or self._state.conflict is not None:
            self._tell(State(is_saved=self.text == self._base.text))

    async def _take_file(self, file: TextFile) -> None:
        shape = Shape.of(file, self.shape)
        theirs = Base(shape.read(file.text), file.hash, shape)
        wanted = merge(self._base.text, self.text, theirs.text)
        if isinstance(wanted, Clash):
            self._tell(State(is_saved=False, conflict=Conflict(self.text, theirs)))
            return
        self._base = theirs
        self._splice(wanted, DISK)
        is_saved = self.text == theirs.text
        if is_saved:
            self._add_mark("saved", self._notes.last_seq, file.hash)
        self._tell(State(is_saved=is_saved))
        await self.store()

    def _splice(self, splices: Iterable[Splice], origin: Origin, *, undoable: bool = False) -> None:
        plain = [replace(one, new=self.shape.plain(one.new)) for one in splices]
        before = self.text
        update = self._shared.splice(plain)
        if update:
            self._track(before, origin)
            self._note(lambda seq: edit_entry(seq, update, origin, undoable=undoable))

    def _reject(self, pieces: Tracked, splices: Sequence[Splice], origin: Origin) -> None:
        """Take edits out of the text. The journal says the pieces in the same entry."""
        if pieces == self._tracker.tracked:
            return
        update = self._shared.splice(splices)
        self._tracker.put(pieces, self.text)
        kept = self._tracker.tracked
        if update:
            self._note(lambda seq: edit_entry(seq, update, origin, undoable=True, pieces=kept))
        else:
            self._notes.add(lambda seq: review_entry(seq, kept))

    def _track(self, before: str, origin: Origin) -> None:
        self._tracker.take(self._shared.changes, origin, before=before, after=self.text)

    def _note(self, build: Callable[[int], Entry], *, by: Follower | None = None) -> None:
        """Write an edit down, and tell that it is not saved."""
        seq = self._notes.add(build)
        if by is not None:
            self._authors[seq] = by
        self.edits += 1
        self.last_edit_s = self._clock.monotonic()
        self._tell(replace(self._state, is_saved=False))
        self.edited.set()

    def _on_stored(self, entry: Entry) -> None:
        author = self._authors.pop(entry.seq, None)
        said = read_entry(entry)
        if isinstance(said, Edit):
            edited = Edited(entry.data, said.origin, said.undoable)
            for follower in self._followers:
                if follower is not author:
                    follower.tell(edited)
        if entry.seq == self._notes.last_seq:  # whoever hears of a hunk has all of its text
            self._tell_hunks()

    def _tell_hunks(self) -> None:
        told, self._told = self._told, self._tracker.hunks
        if [one.id for one in told] != [one.id for one in self._told]:
            for follower in self._followers:
                follower.tell(Reviewed(self._told))

    def _add_mark(self, kind: Literal["saving", "saved"], through: int, new_hash: str) -> None:
        said = mark(kind, through, new_hash, self.shape, self.epoch)
        self._notes.add(lambda seq: mark_entry(seq, said))

    def _snapshot(self, through: int, new_hash: str) -> Entry:
        """The mark that this content is the file's, with the whole document as it is now."""
        said = mark("saved", through, new_hash, self.shape, self.epoch)
        return mark_entry(through, said, self._shared.updates_since(), self._tracker.tracked)

    def _tell(self, state: State) -> None:
        if state == self._state:
            return
        self._state = state
        for follower in self._followers:
            follower.tell(state)
