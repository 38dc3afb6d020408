"""One document's own journal: numbers its entries, writes them in order, several at once."""

from collections.abc import Callable

import anyio

from recto.documents.journal import Entry, Journal

MAX_ENTRIES = 200  # beyond these, one snapshot takes their place


class Notes:
    """Entries on their way to the disk. Whoever waits for one knows that it is there."""

    def __init__(
        self,
        journal: Journal,
        document_id: str,
        *,
        last_seq: int,
        rows: int,
        first: Entry | None,
        on_stored: Callable[[Entry], None],
    ) -> None:
        self._journal = journal
        self._document_id = document_id
        self._on_stored = on_stored
        self._waiting = [] if first is None else [first]
        self._writing = anyio.Lock()
        self._rows = rows
        self.last_seq = last_seq

    def add(self, build: Callable[[int], Entry]) -> int:
        """Give an entry the next number; `store` brings it to the disk."""
        self.last_seq += 1
        self._waiting.append(build(self.last_seq))
        return self.last_seq

    async def store(self) -> None:
        """Return when every entry so far is on the disk. Raises NotStored; then they are kept.

        It is seen through even when the caller leaves: half known is not known.
        """
        last = self.last_seq
        with anyio.CancelScope(shield=True):
            async with self._writing:
                if not self._waiting or self._waiting[0].seq > last:
                    return
                entries = tuple(self._waiting)
                await self._journal.append(self._document_id, entries)
                del self._waiting[: len(entries)]
                self._rows += len(entries)
                for entry in entries:
                    self._on_stored(entry)

    def wants_snapshot(self, *, at_most: int = MAX_ENTRIES) -> bool:
        """Whether there are more entries than that, so that one should take their place."""
        return self._rows > at_most

    async def compact(self, entry: Entry) -> None:
        """Put a mark with the whole document in the place of the entries up to its number."""
        await self.store()
        with anyio.CancelScope(shield=True):
            async with self._writing:
                await self._journal.compact(self._document_id, entry)
                self._rows = 1 + self.last_seq - entry.seq - len(self._waiting)
