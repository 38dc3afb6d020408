"""A chat's history as it is kept: entries written with their blobs, and read from the end."""

from collections import OrderedDict
from collections.abc import AsyncGenerator, Iterable, Sequence
from dataclasses import dataclass

from recto.chats.history.codec import blob_hashes, decode, encode
from recto.chats.history.entries import (
    Accounting,
    ChatEntry,
    EntryContent,
    Summary,
    ToolResults,
    User,
)
from recto.chats.history.search_text import search_text
from recto.clock import Ids
from recto.messages import Text
from recto.storage import EntryRecord as Record
from recto.storage import NewEvent, Storage, WriteTransaction

PAGE = 60
MOST_AT_ONCE = 1000
FAR = 1 << 62
MOST_CHATS = 16
"""How many chats' histories stay in memory, those that were talked in last."""
MOST_BLOB_BYTES = 16_000_000
"""A history with more pictures and documents than this is read anew for each turn."""


@dataclass(frozen=True, slots=True)
class KnownHistory:
    """The entries that count from the last summary on, as they were when `seq` was the last."""

    seq: int = 0
    entries: tuple[ChatEntry, ...] = ()
    blob_bytes: int = 0

    def grown(self, added: Sequence[ChatEntry]) -> "KnownHistory":
        """With entries that were added; the last of them is the last that the chat has."""
        seq = added[-1].seq if added else self.seq
        more = sum(map(blob_bytes, added))
        return KnownHistory(seq, (*self.entries, *added), self.blob_bytes + more)


def blob_bytes(entry: ChatEntry) -> int:
    """What the pictures and documents of an entry take in memory."""
    match entry.content:
        case User(images=images):
            return sum(len(image.data) for image in images)
        case ToolResults(results=results):
            parts = (part for result in results for part in result.result.content)
            return sum(len(part.data) for part in parts if not isinstance(part, Text))
        case _:
            return 0


class Archive:
    """Reads and writes the entries of chats."""

    def __init__(self, storage: Storage, ids: Ids) -> None:
        self._storage = storage
        self._ids = ids
        # Entries are only ever added: what was read once needs not be read again.
        self._known: OrderedDict[str, KnownHistory] = OrderedDict()

    async def append(
        self,
        write: WriteTransaction,
        chat_id: str,
        content: EntryContent,
        *,
        id: str | None = None,
        at_ms: int | None = None,
    ) -> ChatEntry:
        """Add an entry at the end of a chat's history, of now or of another time."""
        encoded = encode(content)
        for data in encoded.blobs.values():
            await self._storage.blobs.put(write, data, chat_id)
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
        return ChatEntry(record.id, record.seq, record.created_ms, content)

    async def get(
        self, chat_id: str, entry_id: str, *, within: WriteTransaction | None = None
    ) -> ChatEntry:
        """One entry. Raises RecordNotFound."""
        record = await self._storage.chats.entry(chat_id, entry_id, within=within)
        return await self._entry(record, within)

    async def at(self, chat_id: str, seq: int) -> ChatEntry:
        """The entry with a number."""
        (record,) = await self._storage.chats.entries(chat_id, seq, 1)
        return await self._entry(record, None)

    async def end(
        self,
        chat_id: str,
        *,
        before: int = FAR,
        limit: int = PAGE,
        within: WriteTransaction | None = None,
    ) -> tuple[list[ChatEntry], bool]:
        """The last entries that count, in order, and whether there are earlier ones."""
        found: list[ChatEntry] = []
        # One more than wanted tells whether there are earlier ones.
        async for entry in self.backwards(chat_id, before=before, page=limit + 1, within=within):
            found.append(entry)
            if len(found) > limit:
                return found[limit - 1 :: -1], True
        return found[::-1], False

    async def since_checkpoint(
        self, chat_id: str, *, before: int = FAR, within: WriteTransaction | None = None
    ) -> list[ChatEntry]:
        """The entries that count, from the last summary on; those it keeps stand before it.

        With `before`, the entries that counted when the one with this number was added.
        """
        if before != FAR or within is not None:
            return await self._read_since_checkpoint(chat_id, before, within)
        known = self._known.pop(chat_id, None)
        if known is not None:
            known = await self._grown(chat_id, known)
        if known is None:
            known = KnownHistory().grown(await self._read_since_checkpoint(chat_id, FAR, None))
        if known.blob_bytes <= MOST_BLOB_BYTES:
            self._known[chat_id] = known
            if len(self._known) > MOST_CHATS:
                self._known.popitem(last=False)
        return list(known.entries)

    async def _grown(self, chat_id: str, known: KnownHistory) -> KnownHistory | None:
        """A history with what was added since; None when that changes what counts."""
        added: list[ChatEntry] = []
        is_more = True
        while is_more:
            first = known.seq + len(added) + 1
            records = await self._storage.chats.entries(chat_id, first, MOST_AT_ONCE)
            added += await self._entries(records, None)
            is_more = len(records) == MOST_AT_ONCE
        if any(isinstance(entry.content, Accounting | Summary) for entry in added):
            return None
        return known.grown(added)

    async def _read_since_checkpoint(
        self, chat_id: str, before: int, within: WriteTransaction | None
    ) -> list[ChatEntry]:
        found: list[ChatEntry] = []
        kept: set[str] | None = None
        async for entry in self.backwards(chat_id, before=before, within=within):
            if kept is None or entry.id in kept:
                found.append(entry)
            if kept is None and isinstance(entry.content, Summary):
                kept = set(entry.content.kept)
            if kept is not None:
                # Read on only until the last kept one is found.
                kept.discard(entry.id)
                if not kept:
                    break
        return found[::-1]

    async def all(self, chat_id: str, *, within: WriteTransaction | None = None) -> list[ChatEntry]:
        """Every entry that counts, in order."""
        return [entry async for entry in self.backwards(chat_id, within=within)][::-1]

    async def every(self, chat_id: str) -> list[ChatEntry]:
        """Every entry, also those that no longer count."""
        found: list[Record] = []
        # Entries are numbered from 1 without a gap, so their count is also the last number.
        while batch := await self._storage.chats.entries(chat_id, len(found) + 1):
            found += batch
        return await self._entries(found, None)

    async def discarded(self, chat_id: str, accounting: ChatEntry) -> list[ChatEntry]:
        """What an accounting entry has put aside."""
        assert isinstance(accounting.content, Accounting)
        found: list[ChatEntry] = []
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
        within: WriteTransaction | None = None,
    ) -> AsyncGenerator[ChatEntry]:
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
                    # Reading backwards, the removal is met before the summary that it removes.
                    taken_off.add(content.about)
                else:
                    # Jump: what was discarded, and accountings within it, is never read at all.
                    before = content.from_seq
                    break

    async def last_user(
        self, chat_id: str, *, before: int = FAR, within: WriteTransaction | None = None
    ) -> ChatEntry | None:
        """The last thing a person said before a place."""
        async for entry in self.backwards(chat_id, before=before, within=within):
            if isinstance(entry.content, User):
                return entry
        return None

    async def _entry(self, record: Record, within: WriteTransaction | None) -> ChatEntry:
        (entry,) = await self._entries((record,), within)
        return entry

    async def _entries(
        self, records: Iterable[Record], within: WriteTransaction | None
    ) -> list[ChatEntry]:
        found = list(records)
        wanted = {digest for record in found for digest in blob_hashes(record.body)}
        blobs = {digest: await self._storage.blobs.get(digest, within=within) for digest in wanted}
        return [
            ChatEntry(
                record.id, record.seq, record.created_ms, decode(record.kind, record.body, blobs)
            )
            for record in found
        ]


def entry_events(entries: Sequence[ChatEntry], run_id: str | None) -> list[NewEvent]:
    """The events that tell of new entries."""
    return [NewEvent("entry", {"id": entry.id, "seq": entry.seq}, run_id) for entry in entries]
