"""Chats as things that are kept: listed, begun, changed, synced, put away, found, exported."""

from collections.abc import Collection, Sequence

import anyio.to_thread

from recto.chats.history.entries import ChatEntry
from recto.chats.history.statistics import totals_of
from recto.chats.library import repository
from recto.chats.library.added_messages import AddedMessage, add_message
from recto.chats.library.messages import messages_of
from recto.chats.library.pinned import pinned_of, without_missing
from recto.chats.library.requests import (
    ChatChange,
    ClientChat,
    NewChatOptions,
    PlainMessage,
    SyncOutcome,
)
from recto.chats.library.sync import sync_chat
from recto.chats.services import ChatServices
from recto.chats.transfer.exports import Exported, ExportFormat, export
from recto.chats.transfer.importer import ImportOutcome, import_chats
from recto.chats.turns.queue import TurnQueue
from recto.storage import Chat, Page, RecordNotFound, SearchHit


class ChatLibrary:
    """Every chat, without what goes on in it."""

    def __init__(self, services: ChatServices, turns: TurnQueue) -> None:
        self._services = services
        self._storage = services.storage
        self._turns = turns

    async def page(self, project_id: str, cursor: str | None, limit: int) -> Page[Chat]:
        """Some chats of a project, the most recently active first."""
        return await self._storage.chats.page(project_id, cursor, limit)

    async def some(self, project_id: str, chat_ids: Collection[str]) -> tuple[Chat, ...]:
        """Those of some chats that a project shows, the most recently active first."""
        return await repository.list_chats(self._storage, project_id, chat_ids)

    def is_running(self, chat_id: str) -> bool:
        """Whether a turn runs in a chat."""
        return self._turns.is_running(chat_id)

    async def running(self) -> frozenset[str]:
        """The chats in which a turn runs, in whichever process."""
        return frozenset(run.chat_id for run in await self._storage.runs.alive())

    async def create(
        self,
        project_id: str,
        title: str = "",
        model: str | None = None,
        options: NewChatOptions | None = None,
    ) -> Chat:
        """Begin a chat. Raises RecordNotFound, IdTaken, InvalidPlacement."""
        return await repository.begin_chat(
            self._services, project_id, title, model, options or NewChatOptions()
        )

    async def get(self, chat_id: str) -> Chat:
        """A chat that was not deleted. Raises RecordNotFound."""
        chat = await self._storage.chats.get(chat_id)
        if chat.deleted_ms is not None:
            raise RecordNotFound("chat", chat_id)
        return chat

    async def find(self, project_id: str, chat_id: str) -> Chat:
        """A chat that a project shows: its own, or a global one. Raises RecordNotFound."""
        return await repository.find_chat(self._storage, project_id, chat_id)

    async def messages(self, chat_id: str) -> tuple[PlainMessage, ...]:
        """Everything that was said in a chat and still counts."""
        return messages_of(await self.all_entries(chat_id))

    async def all_entries(self, chat_id: str) -> list[ChatEntry]:
        """Every entry of a chat that counts, in order."""
        await self.get(chat_id)
        return await self._services.archive.all(chat_id)

    async def change(
        self, project_id: str, chat_id: str, wanted: ChatChange, *, version: int
    ) -> Chat:
        """Have a chat be as it is wanted, if the caller saw it as it is; another project moves it.

        Raises RecordNotFound, StaleVersion, InvalidPlacement, Busy.
        """
        chat = await self.find(project_id, chat_id)
        new = without_missing(wanted.pinned.additional_files, pinned_of(chat).additional_files)
        await repository.check_files(self._services, wanted.project_id, new)
        if wanted.project_id == chat.project_id:
            return await repository.change_chat(
                self._services, project_id, chat_id, wanted, version
            )
        async with self._turns.no_turn_in(chat_id):
            return await repository.change_chat(
                self._services, project_id, chat_id, wanted, version
            )

    async def add_message(
        self, project_id: str, chat_id: str, message: PlainMessage
    ) -> AddedMessage:
        """Add something that was said to a history; the same again changes nothing.

        Raises RecordNotFound, Busy, IdTaken.
        """
        await self.find(project_id, chat_id)
        async with self._turns.no_turn_in(chat_id):
            return await add_message(self._services, project_id, chat_id, message)

    async def sync(
        self, project_id: str, rows: Sequence[ClientChat]
    ) -> tuple[SyncOutcome[Chat], ...]:
        """Bring a client's chats and ours together, one by one. Raises RecordNotFound."""
        await self._storage.projects.get(project_id)
        resting = self._turns.no_turn_in
        return tuple([await sync_chat(self._services, project_id, row, resting) for row in rows])

    async def delete(self, chat_id: str) -> None:
        """Put a chat away; a turn that runs in it is stopped. What it cost stays."""
        await self._turns.end_all(chat_id)
        async with self._storage.write() as write:
            await self._storage.chats.tombstone(write, chat_id)
            await self._storage.search.remove_chat(write, chat_id)

    async def export(self, chat_id: str, format: ExportFormat) -> Exported:
        """A chat as a file."""
        chat = await self.get(chat_id)
        entries = await self._services.archive.every(chat_id)
        used = await totals_of(self._storage, chat_id)
        return await anyio.to_thread.run_sync(export, chat.title, entries, used, format)

    async def take_in(self, project_id: str, data: bytes) -> ImportOutcome:
        """Add the chats of an exported file to a project."""
        return await import_chats(self._services, project_id, data)

    async def search(self, project_id: str, query: str, limit: int) -> tuple[SearchHit, ...]:
        """Places in the chats of a project that have these words, the latest first."""
        return await self._storage.search.find(project_id, query, limit)
