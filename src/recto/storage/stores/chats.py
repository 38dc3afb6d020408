"""Chats and their entries. Entries are only ever added; a deleted chat leaves a tombstone."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import func, not_, select, update

from recto.storage.failures import NotFound, StaleVersion
from recto.storage.foreign import Named
from recto.storage.records import Action, Chat, Entry, JsonObject, Page
from recto.storage.stores.changes import ChangeLog
from recto.storage.stores.cursors import merged, newest_first
from recto.storage.tables import chats, entries
from recto.storage.transactions import Transactions, Write


class ChatStore:
    """Chats by id and by project, and the history of each."""

    def __init__(self, transactions: Transactions, changes: ChangeLog) -> None:
        self._transactions = transactions
        self._changes = changes

    async def add(
        self,
        write: Write,
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
            AlreadyExists: the id has a chat, or had one that was deleted.
            NotFound: there is no such project.
        """
        now = write.now_ms if created_ms is None else created_ms
        settings = dict(meta)
        chat = Chat(
            id, project_id, title, group_id, settings, is_global, now, now, 1, None, is_thread
        )
        values = {field: getattr(chat, field) for field in Chat.__slots__}
        named, parent = Named("chat", id), Named("project", project_id)
        await write.insert(chats, values, named=named, parent=parent)
        await self._tell(write, chat, "created")
        return chat

    async def get(self, chat_id: str, *, within: Write | None = None) -> Chat:
        """The chat with this id, its tombstone included, or NotFound."""
        query = select(chats).where(chats.c.id == chat_id)
        async with self._transactions.read(within) as view:
            row = (await view.execute(query)).one_or_none()
        if row is None:
            raise NotFound("chat", chat_id)
        return _chat(row)

    async def page(
        self,
        project_id: str,
        cursor: str | None = None,
        limit: int = 50,
        *,
        within: Write | None = None,
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
        write: Write,
        chat_id: str,
        *,
        title: str,
        meta: JsonObject,
        expected_version: int | None = None,
    ) -> Chat:
        """Give a chat another title and other settings.

        Raises:
            NotFound: there is no such chat, or it was deleted.
            StaleVersion: somebody changed it after the caller read it.
        """
        chat = await self.get(chat_id, within=write)
        if chat.deleted_ms is not None:
            raise NotFound("chat", chat_id)
        if expected_version is not None and expected_version != chat.version:
            raise StaleVersion("chat", chat_id, expected=expected_version, actual=chat.version)
        statement = update(chats).where(chats.c.id == chat_id)
        statement = statement.values(title=title, meta=dict(meta), version=chats.c.version + 1)
        chat = _chat((await write.execute(statement.returning(chats))).one())
        await self._tell(write, chat, "updated")
        return chat

    async def append(
        self,
        write: Write,
        chat_id: str,
        *,
        id: str,
        kind: str,
        body: JsonObject,
        at_ms: int | None = None,
    ) -> Entry:
        """Add an entry after the last one and mark the chat as active now, or at another time.

        Raises:
            NotFound: there is no such chat, or it was deleted.
            AlreadyExists: the id has an entry.
        """
        alive = update(chats).where(chats.c.id == chat_id, chats.c.deleted_ms.is_(None))
        now = write.now_ms if at_ms is None else at_ms
        alive = alive.values(last_active_ms=now).returning(chats.c.project_id)
        project_id = (await write.execute(alive)).scalar_one_or_none()
        if project_id is None:
            raise NotFound("chat", chat_id)
        last = select(func.max(entries.c.seq)).where(entries.c.chat_id == chat_id)
        seq = ((await write.execute(last)).scalar_one() or 0) + 1
        entry = Entry(chat_id, seq, id, kind, dict(body), now)
        values = {field: getattr(entry, field) for field in Entry.__slots__}
        await write.insert(entries, values, named=Named("entry", id))
        await self._changes.append(
            write,
            kind="entry",
            resource_id=chat_id,
            project_id=project_id,
            action="created",
            version=seq,
        )
        return entry

    async def touch(self, write: Write, chat_id: str, at_ms: int) -> None:
        """Say when a chat was last active."""
        statement = update(chats).where(chats.c.id == chat_id)
        await write.execute(statement.values(last_active_ms=at_ms))

    async def entries(
        self, chat_id: str, from_seq: int = 1, limit: int = 1000, *, within: Write | None = None
    ) -> tuple[Entry, ...]:
        """At most `limit` entries from `from_seq` on, in order."""
        query = (
            select(entries)
            .where(entries.c.chat_id == chat_id, entries.c.seq >= from_seq)
            .order_by(entries.c.seq)
            .limit(limit)
        )
        async with self._transactions.read(within) as view:
            return tuple(Entry(*row) for row in await view.execute(query))

    async def entries_before(
        self, chat_id: str, seq: int, limit: int = 100, *, within: Write | None = None
    ) -> tuple[Entry, ...]:
        """At most `limit` entries before `seq`, the latest first."""
        query = (
            select(entries)
            .where(entries.c.chat_id == chat_id, entries.c.seq < seq)
            .order_by(entries.c.seq.desc())
            .limit(limit)
        )
        async with self._transactions.read(within) as view:
            return tuple(Entry(*row) for row in await view.execute(query))

    async def entry(self, chat_id: str, entry_id: str, *, within: Write | None = None) -> Entry:
        """The entry with this id, or NotFound."""
        query = select(entries).where(entries.c.chat_id == chat_id, entries.c.id == entry_id)
        async with self._transactions.read(within) as view:
            row = (await view.execute(query)).one_or_none()
        if row is None:
            raise NotFound("entry", entry_id)
        return Entry(*row)

    async def tombstone(self, write: Write, chat_id: str) -> Chat:
        """Mark a chat as deleted, so that a late client can't bring it back. Twice is the same."""
        chat = await self.get(chat_id, within=write)
        if chat.deleted_ms is not None:
            return chat
        statement = update(chats).where(chats.c.id == chat_id)
        statement = statement.values(deleted_ms=write.now_ms, version=chats.c.version + 1)
        chat = _chat((await write.execute(statement.returning(chats))).one())
        await self._tell(write, chat, "deleted")
        return chat

    async def _tell(self, write: Write, chat: Chat, action: Action) -> None:
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
