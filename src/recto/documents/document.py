"""One live document: takes edits, stores them, tells its followers, saves, merges with the disk."""

from collections.abc import Generator, Iterable
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import Literal

import anyio

from recto.clock import Clock
from recto.documents.anchors import Anchor, Side, anchors_at, places_of
from recto.documents.failures import Conflicting, NotStored
from recto.documents.following import Edited, Follower
from recto.documents.journal import (
    Base,
    Entry,
    Journal,
    Mark,
    Origin,
    Replayed,
    edit_entry,
    origin_of,
)
from recto.documents.merging import Clash, merge
from recto.documents.notes import Notes
from recto.documents.shape import Shape
from recto.documents.splices import Splice, difference, spliced
from recto.documents.state import Conflict, State
from recto.workspace import (
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
        self._followers[follower] = None
        try:
            yield follower
        finally:
            del self._followers[follower]

    def take_update(self, update: bytes, origin: Origin, *, by: Follower | None = None) -> None:
        """Take in a peer's edit; only `store` makes it safe. Raises BadUpdate."""
        if update == NOTHING:
            return
        self._shared.apply(update)
        self._note(update, origin, by=by)

    async def apply_update(self, update: bytes, origin: Origin) -> None:
        """Take in a peer's edit and store it. Raises BadUpdate, NotStored."""
        self.take_update(update, origin)
        await self.store()

    async def edit(self, splices: Iterable[Splice], origin: Origin) -> None:
        """Change the text here, and store that. Raises Misplaced, NotStored."""
        self._splice(splices, origin)
        await self.store()

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
            await self._read_disk()
            if self._state.conflict is not None:
                raise Conflicting(self.path)
            wanted = merge(self._base.text, self.text, self.shape.plain(text))
            if expected_hash != self._base.hash or isinstance(wanted, Clash):
                raise Changed(self.path)
            self.shape.write(spliced(self.text, wanted))  # raises before anything is changed
            self._splice(wanted, origin)
            await self._bring_to_disk(asked=False)
            return self._base.hash

    async def compact(self) -> None:
        """Put one snapshot in the place of the journal's entries, if all is saved."""
        async with self._disk:
            if self._state.is_saved and self._notes.wants_snapshot(at_most=1):
                mark = self._mark("saved", self._notes.last_seq, self._base.hash)
                entry = mark.entry(mark.through, self._shared.updates_since())
                await self._notes.compact(entry)

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
            snapshot = self._shared.updates_since() if self._notes.wants_snapshot() else None
            self._tell(replace(self._state, is_saving=True))
            self._notes.add(self._mark("saving", through, new_hash).entry)
            await self._notes.store()
            expected = None if self._state.is_gone else self._base.hash
            await self._workspace.write(self.path, data, expected_hash=expected)
            self._base = Base(text, new_hash, self.shape)
            mark = self._mark("saved", through, new_hash)
            if snapshot is None:
                self._notes.add(mark.entry)
                await self._notes.store()
            else:
                await self._notes.compact(mark.entry(through, snapshot))
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
            self._notes.add(self._mark("saved", self._notes.last_seq, file.hash).entry)
        self._tell(State(is_saved=is_saved))
        await self.store()

    def _splice(self, splices: Iterable[Splice], origin: Origin) -> None:
        plain = [replace(one, new=self.shape.plain(one.new)) for one in splices]
        update = self._shared.splice(plain)
        if update:
            self._note(update, origin)

    def _note(self, update: bytes, origin: Origin, *, by: Follower | None = None) -> None:
        seq = self._notes.add(lambda number: edit_entry(number, update, origin))
        if by is not None:
            self._authors[seq] = by
        self.edits += 1
        self.last_edit_s = self._clock.monotonic()
        self._tell(replace(self._state, is_saved=False))
        self.edited.set()

    def _on_stored(self, entry: Entry) -> None:
        author = self._authors.pop(entry.seq, None)
        origin = origin_of(entry)
        for follower in self._followers:
            if origin is not None and follower is not author:
                follower.tell(Edited(entry.data, origin))

    def _mark(self, kind: Literal["saving", "saved"], through: int, new_hash: str) -> Mark:
        return Mark(kind, through, new_hash, self.shape, self.epoch)

    def _tell(self, state: State) -> None:
        if state == self._state:
            return
        self._state = state
        for follower in self._followers:
            follower.tell(state)
