"""One document's own journal: numbers its entries, writes them in order, several at once.

Other processes write into the same journal. What they wrote first comes first: it is taken in, and
what waits here is numbered behind it.
"""

from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Protocol

import anyio

from recto.documents.followers import DocumentFollower
from recto.documents.journal import DocumentJournal, JournalEntry, changes_document

MAX_ENTRIES = 200  # beyond these, one snapshot takes their place
Build = Callable[[int], JournalEntry]
"""Makes an entry with a number."""
BuildLast = Callable[[int], JournalEntry | None]
"""Makes an entry from the document as it is with all that waits; None when there is none to add."""


@dataclass(frozen=True, slots=True)
class PendingEdit:
    """An edit that is not in the journal yet, and the follower that made it."""

    build: Build
    by: DocumentFollower | None = None


class DocumentCopy(Protocol):
    """The document in memory: all of the journal that it has taken in, then what waits."""

    def on_stored(self, entries: Sequence[tuple[JournalEntry, DocumentFollower | None]]) -> None:
        """What waited is in the journal now, each with the follower that made it."""
        ...

    def take(self, entries: Sequence[JournalEntry], *, is_own: bool) -> None:
        """Take in what follows in the journal, with nothing waiting that it could disturb."""
        ...

    def take_again(
        self,
        entries: Sequence[JournalEntry],
        new: Sequence[JournalEntry],
        waiting: Sequence[JournalEntry],
    ) -> None:
        """Begin anew: the whole journal, of which these are new, then what waits."""
        ...


class JournalWriter:
    """Entries on their way to the disk. Whoever waits for one knows that it is there."""

    def __init__(
        self,
        journal: DocumentJournal,
        document_id: str,
        *,
        last_seq: int,
        rows: int,
        first: JournalEntry | None,
        copy: DocumentCopy,
    ) -> None:
        self._journal = journal
        self._document_id = document_id
        self._copy = copy
        self._waiting = [] if first is None else [PendingEdit(lambda _: first)]
        self._added = len(self._waiting)
        self._writing = anyio.Lock()
        self._rows = rows
        self.last_seq = last_seq
        """The number of the last entry of the journal that the document has taken in."""

    @property
    def is_waiting(self) -> bool:
        """Whether the document is ahead of its journal."""
        return bool(self._waiting)

    def add(self, build: Build, by: DocumentFollower | None = None) -> None:
        """Take an edit that is made; `store` brings it to the disk."""
        self._waiting.append(PendingEdit(build, by))
        self._added += 1

    async def store(self, last: BuildLast | None = None) -> None:
        """Return when every entry so far is on the disk, and `last` right behind them.

        That one is made anew when somebody else was first, and taken in only when it is stored.
        Raises NotStored; then what waits is kept. It is seen through even when the caller leaves:
        half known is not known.
        """
        # What comes after this call is for its own caller to wait for.
        added = self._added
        with anyio.CancelScope(shield=True):
            async with self._writing:
                # Whoever had the lock before us has written ours along with its own.
                if last is None and self._added - len(self._waiting) >= added:
                    return
                while not await self._append(last):
                    pass

    async def catch_up(self, seq: int | None = None) -> None:
        """Take in what others wrote, up to a number at least; None: all. Raises NotStored."""
        if not self._journal.is_shared or self._has(seq):
            return
        with anyio.CancelScope(shield=True):
            async with self._writing:
                # Often the news and the writer's own answer both tell of the same entry.
                if self._has(seq):
                    return
                entries = await self._journal.read(self._document_id, after=self.last_seq)
                if entries:
                    await self._take(entries, is_own=False)

    @asynccontextmanager
    async def held(self) -> AsyncGenerator[None]:
        """Nothing is written for the block's length; entries wait."""
        async with self._writing:
            yield

    def move_to(self, document_id: str) -> None:
        """The journal is kept under another name from now on."""
        self._document_id = document_id

    def wants_snapshot(self, *, at_most: int = MAX_ENTRIES) -> bool:
        """Whether there are more entries than that, so that one should take their place."""
        return self._rows > at_most

    async def compact(self, entry: JournalEntry) -> None:
        """Put a mark with the whole document in the place of the entries up to its number."""
        with anyio.CancelScope(shield=True):
            async with self._writing:
                await self._journal.compact(self._document_id, entry)
                self._rows = 1 + self.last_seq - entry.seq

    def _has(self, seq: int | None) -> bool:
        return seq is not None and seq <= self.last_seq

    async def _append(self, last: BuildLast | None) -> bool:
        """Write all that waits, and `last`; False when others were first, which is taken in."""
        # A copy: people type on while the journal is written.
        waiting = tuple(self._waiting)
        entries = [item.build(seq) for seq, item in enumerate(waiting, self.last_seq + 1)]
        # No await before the append: it describes the text with just these entries.
        closing = None if last is None else last(self.last_seq + len(entries) + 1)
        batch = entries if closing is None else [*entries, closing]
        if not batch:
            return True
        others = await self._journal.append(self._document_id, batch)
        if others:
            await self._take(others, is_own=False)
            return False
        # Only once they are safe: when `append` raises, all of them are tried again.
        del self._waiting[: len(waiting)]
        self.last_seq += len(entries)
        self._rows += len(entries)
        authors = (item.by for item in waiting)
        self._copy.on_stored(list(zip(entries, authors, strict=True)))
        if closing is not None:
            await self._take([closing], is_own=True)
        return True

    async def _take(self, entries: Sequence[JournalEntry], *, is_own: bool) -> None:
        """Bring what follows in the journal into the document, before what waits."""
        # Texts merge in any order, but authorship follows the journal's: replay all of it.
        if self._waiting and any(changes_document(entry) for entry in entries):
            whole = await self._journal.read(self._document_id)
            entries = [entry for entry in whole if entry.seq > self.last_seq]
            # From here to the end nobody else runs: what waits now is all that waits.
            self._copy.take_again(whole, entries, [item.build(0) for item in self._waiting])
        else:
            self._copy.take(entries, is_own=is_own)
        self.last_seq = entries[-1].seq
        self._rows += len(entries)
