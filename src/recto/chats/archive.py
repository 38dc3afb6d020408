"""A chat's history as it is kept: entries written with their blobs, and read from the end."""

from collections.abc import AsyncGenerator, Iterable, Sequence

from recto.chats.codec import blob_hashes, decode, encode
from recto.chats.entries import Accounting, Content, Entry, Summary, User
from recto.chats.search_text import search_text
from recto.clock import Ids
from recto.storage import Entry as Record
from recto.storage import NewEvent, Storage, Write

PAGE = 60
FAR = 1 << 62


class Archive:
    """Reads and writes the entries of chats."""

    def __init__(self, storage: Storage, ids: Ids) -> None:
        self._storage = storage
        self._ids = ids

    async def append(
        self,
        write: Write,
        chat_id: str,
        content: Content,
        *,
        id: str | None = None,
        at_ms: int | None = None,
    ) -> Entry:
        """Add an entry at the end of a chat's history, of now or of another time."""
        encoded = encode(content)
        for data in encoded.blobs.values():
            await self._storage.blobs.put(write, data)
        record = await self._storage.chats.append(
            write,
            chat_id,
            id=id or self._ids.new(),
            kind=encoded.kind,
            body=encoded.body,
            at_ms=at_ms,
        )
        if text := search_text(content):
            await self._storage.search.add(
                write, chat_id=chat_id, seq=record.seq, entry_id=record.id, text=text
            )
        return Entry(record.id, record.seq, record.created_ms, content)

    async def get(self, chat_id: str, entry_id: str, *, within: Write | None = None) -> Entry:
        """One entry. Raises NotFound."""
        record = await self._storage.chats.entry(chat_id, entry_id, within=within)
        return await self._entry(record, within)

    async def at(self, chat_id: str, seq: int) -> Entry:
        """The entry with a number."""
        (record,) = await self._storage.chats.entries(chat_id, seq, 1)
        return await self._entry(record, None)

    async def end(
        self, chat_id: str, *, before: int = FAR, limit: int = PAGE, within: Write | None = None
    ) -> tuple[list[Entry], bool]:
        """The last entries that count, in order, and whether there are earlier ones."""
        found: list[Entry] = []
        async for entry in self.backwards(chat_id, before=before, page=limit + 1, within=within):
            found.append(entry)
            if len(found) > limit:
                return found[limit - 1 :: -1], True
        return found[::-1], False

    async def since_checkpoint(
        self, chat_id: str, *, before: int = FAR, within: Write | None = None
    ) -> list[Entry]:
        """The entries that count, from the last summary on; those it keeps stand before it.

        With `before`, the entries that counted when the one with this number was added.
        """
        found: list[Entry] = []
        kept: set[str] | None = None
        async for entry in self.backwards(chat_id, before=before, within=within):
            if kept is None or entry.id in kept:
                found.append(entry)
            if kept is None and isinstance(entry.content, Summary):
                kept = set(entry.content.kept)
            if kept is not None:
                kept.discard(entry.id)
                if not kept:
                    break
        return found[::-1]

    async def all(self, chat_id: str, *, within: Write | None = None) -> list[Entry]:
        """Every entry that counts, in order."""
        return [entry async for entry in self.backwards(chat_id, within=within)][::-1]

    async def every(self, chat_id: str) -> list[Entry]:
        """Every entry, also those that no longer count."""
        found: list[Record] = []
        while batch := await self._storage.chats.entries(chat_id, len(found) + 1):
            found += batch
        return await self._entries(found, None)

    async def discarded(self, chat_id: str, accounting: Entry) -> list[Entry]:
        """What an accounting entry has put aside."""
        assert isinstance(accounting.content, Accounting)
        found: list[Entry] = []
        async for entry in self.backwards(chat_id, before=accounting.seq):
            if entry.seq < accounting.content.from_seq:
                break
            found.append(entry)
        return found[::-1]

    async def backwards(
        self,
        chat_id: str,
        *,
        before: int = FAR,
        page: int = PAGE,
        within: Write | None = None,
    ) -> AsyncGenerator[Entry]:
        """The entries that count, the last one first. What was discarded is jumped over."""
        taken_off: set[str] = set()
        while records := await self._storage.chats.entries_before(
            chat_id, before, page, within=within
        ):
            before = records[-1].seq
            for entry in await self._entries(records, within):
                if entry.id not in taken_off:
                    yield entry
                if not isinstance(content := entry.content, Accounting):
                    continue
                if content.reason == "checkpoint_removed":
                    taken_off.add(content.about)
                else:
                    before = content.from_seq
                    break

    async def last_user(
        self, chat_id: str, *, before: int = FAR, within: Write | None = None
    ) -> Entry | None:
        """The last thing a person said before a place."""
        async for entry in self.backwards(chat_id, before=before, within=within):
            if isinstance(entry.content, User):
                return entry
        return None

    async def _entry(self, record: Record, within: Write | None) -> Entry:
        (entry,) = await self._entries((record,), within)
        return entry

    async def _entries(self, records: Iterable[Record], within: Write | None) -> list[Entry]:
        found = list(records)
        wanted = {digest for record in found for digest in blob_hashes(record.body)}
        blobs = {digest: await self._storage.blobs.get(digest, within=within) for digest in wanted}
        return [
            Entry(record.id, record.seq, record.created_ms, decode(record.kind, record.body, blobs))
            for record in found
        ]


def told(entries: Sequence[Entry], run_id: str | None) -> list[NewEvent]:
    """The events that tell of new entries."""
    return [NewEvent("entry", {"id": one.id, "seq": one.seq}, run_id) for one in entries]
