"""Chats and their entries. Entries are only ever added; a deleted chat leaves a tombstone."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from enum import Enum
from typing import Any, Final, Literal

from sqlalchemy import bindparam, func, not_, select, update

from recto.storage.driver_errors import RecordName
from recto.storage.failures import RecordNotFound, StaleVersion
from recto.storage.records import Action, Chat, EntryRecord, JsonObject, Page
from recto.storage.stores.changes import ChangeLog
from recto.storage.stores.cursors import merged, newest_first
from recto.storage.stores.keeping import note_erasure
from recto.storage.tables import chats, entries, projects
from recto.storage.transactions import Transactions, WriteTransaction


class Unchanged(Enum):
    """Says that a value stays as it is, where None would mean something."""

    KEPT = "kept"


UNCHANGED: Final = Unchanged.KEPT

# Built once: building a statement takes longer than running it.
CHAT = select(chats).where(chats.c.id == bindparam("chat_id"))
NOTE_ACTIVE = (
    update(chats)
    .where(chats.c.id == bindparam("chat_id"), chats.c.deleted_ms.is_(None))
    .returning(chats.c.project_id)
)
LAST_SEQ = select(func.max(entries.c.seq)).where(entries.c.chat_id == bindparam("chat_id"))
ENTRIES_FROM = (
    select(entries)
    .where(entries.c.chat_id == bindparam("chat_id"), entries.c.seq >= bindparam("from_seq"))
    .order_by(entries.c.seq)
    .limit(bindparam("limit"))
)


class ChatStore:
    """Chats by id and by project, and the history of each."""

    def __init__(self, transactions: Transactions, changes: ChangeLog) -> None:
        self._transactions = transactions
        self._changes = changes

    async def add(
        self,
        write: WriteTransaction,
        *,
        id: str,
        project_id: str,
        title: str,
        meta: JsonObject,
        group_id: str | None = None,
        is_global: bool = False,
        is_thread: bool = False,
        created_ms: int | None = None,
    ) -> Chat:
        """Add an empty chat, begun now or at another time.

        Raises:
            RecordExists: the id has a chat, or had one that was deleted.
            RecordNotFound: there is no such project.
        """
        now = write.now_ms if created_ms is None else created_ms
        settings = dict(meta)
        chat = Chat(
            id, project_id, title, group_id, settings, is_global, now, now, 1, None, is_thread
        )
        named, parent = RecordName("chat", id), RecordName("project", project_id)
        await write.insert(chats, _values(chat), named=named, parent=parent)
        await self._tell(write, chat, "created")
        return chat

    async def get(self, chat_id: str, *, within: WriteTransaction | None = None) -> Chat:
        """The chat with this id, its tombstone included, or RecordNotFound."""
        async with self._transactions.read(within) as view:
            row = (await view.execute(CHAT, {"chat_id": chat_id})).one_or_none()
        if row is None:
            raise RecordNotFound("chat", chat_id)
        return _chat(row)

    async def some(
        self, chat_ids: Collection[str], *, within: WriteTransaction | None = None
    ) -> tuple[Chat, ...]:
        """The chats with these ids, tombstones included; those that are not there are left out."""
        query = select(chats).where(chats.c.id.in_(sorted(chat_ids)))
        async with self._transactions.read(within) as view:
            return tuple(_chat(row) for row in await view.execute(query))

    async def page(
        self,
        project_id: str,
        cursor: str | None = None,
        limit: int = 50,
        *,
        within: WriteTransaction | None = None,
    ) -> Page[Chat]:
        """The chats of a project and the global ones, the most recently active first.

        Those that belong to a note are not among them.
        """
        own = chats.c.project_id == project_id
        alive = select(chats).where(chats.c.deleted_ms.is_(None), not_(chats.c.is_thread))
        queries = [alive.where(own, not_(chats.c.is_global)), alive.where(chats.c.is_global)]
        order = (chats.c.last_active_ms, chats.c.id)
        async with self._transactions.read(within) as view:
            # Each by its index: one query for both would sort every chat for each page.
            pages = [
                await newest_first(view, query, order, _chat, cursor=cursor, limit=limit)
                for query in queries
            ]
        return merged(pages, lambda chat: (chat.last_active_ms, chat.id), limit)

    async def update(
        self,
        write: WriteTransaction,
        chat_id: str,
        *,
        title: str,
        meta: JsonObject,
        group_id: str | Literal[Unchanged.KEPT] | None = UNCHANGED,
        is_global: bool | None = None,
        project_id: str | None = None,
        expected_version: int | None = None,
    ) -> Chat:
        """Give a chat another title and other settings; with another project, move it there.

        What is not given stays, except that a chat that moves leaves its group.

        Raises:
            RecordNotFound: there is no such chat or project, or the chat was deleted.
            StaleVersion: somebody changed it after the caller read it.
        """
        chat = await self.get(chat_id, within=write)
        if chat.deleted_ms is not None:
            raise RecordNotFound("chat", chat_id)
        if expected_version is not None and expected_version != chat.version:
            raise StaleVersion("chat", chat_id, expected=expected_version, actual=chat.version)
        project = chat.project_id if project_id is None else project_id
        if group_id is UNCHANGED:
            group_id = chat.group_id if project == chat.project_id else None
        changed = replace(
            chat,
            project_id=project,
            title=title,
            group_id=group_id,
            meta=dict(meta),
            is_global=chat.is_global if is_global is None else is_global,
        )
        if changed == chat:
            return chat  # what is put back as it was read is no change
        return await self._overwrite(write, chat, replace(changed, version=chat.version + 1))

    async def put(self, write: WriteTransaction, chat: Chat) -> Chat:
        """Have a chat be exactly this, new or not, with the version that it says.

        Raises:
            RecordNotFound: there is no such project.
        """
        row = (await write.execute(CHAT, {"chat_id": chat.id})).one_or_none()
        if row is not None:
            return await self._overwrite(write, _chat(row), chat)
        named, parent = RecordName("chat", chat.id), RecordName("project", chat.project_id)
        await write.insert(chats, _values(chat), named=named, parent=parent)
        await self._tell(write, chat, "created")
        return chat

    async def append(
        self,
        write: WriteTransaction,
        chat_id: str,
        *,
        id: str,
        kind: str,
        body: JsonObject,
        at_ms: int | None = None,
    ) -> EntryRecord:
        """Add an entry after the last one and mark the chat as active now, or at another time.

        Raises:
            RecordNotFound: there is no such chat, or it was deleted.
            RecordExists: the id has an entry.
        """
        now = write.now_ms if at_ms is None else at_ms
        active = await write.execute(NOTE_ACTIVE, {"chat_id": chat_id, "last_active_ms": now})
        project_id = active.scalar_one_or_none()
        if project_id is None:
            raise RecordNotFound("chat", chat_id)
        seq = ((await write.execute(LAST_SEQ, {"chat_id": chat_id})).scalar_one() or 0) + 1
        entry = EntryRecord(chat_id, seq, id, kind, dict(body), now)
        values = {field: getattr(entry, field) for field in EntryRecord.__slots__}
        await write.insert(entries, values, named=RecordName("entry", id))
        await self._changes.append(
            write,
            kind="entry",
            resource_id=chat_id,
            project_id=project_id,
            action="created",
            version=seq,
        )
        return entry

    async def touch(self, write: WriteTransaction, chat_id: str, at_ms: int) -> None:
        """Say when a chat was last active."""
        statement = update(chats).where(chats.c.id == chat_id)
        await write.execute(statement.values(last_active_ms=at_ms))

    async def entries(
        self,
        chat_id: str,
        from_seq: int = 1,
        limit: int = 1000,
        *,
        within: WriteTransaction | None = None,
    ) -> tuple[EntryRecord, ...]:
        """At most `limit` entries from `from_seq` on, in order."""
        values = {"chat_id": chat_id, "from_seq": from_seq, "limit": limit}
        async with self._transactions.read(within) as view:
            return tuple(EntryRecord(*row) for row in await view.execute(ENTRIES_FROM, values))

    async def entries_before(
        self, chat_id: str, seq: int, limit: int = 100, *, within: WriteTransaction | None = None
    ) -> tuple[EntryRecord, ...]:
        """At most `limit` entries before `seq`, the latest first."""
        query = (
            select(entries)
            .where(entries.c.chat_id == chat_id, entries.c.seq < seq)
            .order_by(entries.c.seq.desc())
            .limit(limit)
        )
        async with self._transactions.read(within) as view:
            return tuple(EntryRecord(*row) for row in await view.execute(query))

    async def entry(
        self, chat_id: str, entry_id: str, *, within: WriteTransaction | None = None
    ) -> EntryRecord:
        """The entry with this id, or RecordNotFound."""
        query = select(entries).where(entries.c.chat_id == chat_id, entries.c.id == entry_id)
        async with self._transactions.read(within) as view:
            row = (await view.execute(query)).one_or_none()
        if row is None:
            raise RecordNotFound("entry", entry_id)
        return EntryRecord(*row)

    async def tombstone(self, write: WriteTransaction, chat_id: str) -> Chat:
        """Mark a chat as deleted, so that a late client can't bring it back. Twice is the same.

        What it held is erased soon after.
        """
        chat = await self.get(chat_id, within=write)
        if chat.deleted_ms is not None:
            return chat
        statement = update(chats).where(chats.c.id == chat_id)
        statement = statement.values(deleted_ms=write.now_ms, version=chats.c.version + 1)
        await note_erasure(write, chat_id)
        chat = _chat((await write.execute(statement.returning(chats))).one())
        await self._tell(write, chat, "deleted")
        return chat

    async def _overwrite(self, write: WriteTransaction, was: Chat, chat: Chat) -> Chat:
        """Put a row in the place of the one that was there. A move is told to both projects."""
        if chat.project_id != was.project_id:
            query = select(projects.c.id).where(projects.c.id == chat.project_id)
            if (await write.execute(query)).one_or_none() is None:
                raise RecordNotFound("project", chat.project_id)
            # The project it left must take it off its list.
            await self._tell(write, replace(chat, project_id=was.project_id), "updated")
        await write.execute(update(chats).where(chats.c.id == chat.id).values(_values(chat)))
        await self._tell(write, chat, "updated" if chat.deleted_ms is None else "deleted")
        return chat

    async def _tell(self, write: WriteTransaction, chat: Chat, action: Action) -> None:
        await self._changes.append(
            write,
            kind="chat",
            resource_id=chat.id,
            project_id=chat.project_id,
            action=action,
            version=chat.version,
        )


def _chat(row: Sequence[Any]) -> Chat:
    return Chat(*row)


def _values(chat: Chat) -> dict[str, Any]:
    return {field: getattr(chat, field) for field in Chat.__slots__}
