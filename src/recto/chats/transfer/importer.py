"""Takes chats of another program into the history, each once."""

from dataclasses import dataclass

from recto.chats.services import ChatServices
from recto.chats.transfer.imports import ImportedChat
from recto.chats.transfer.imports.confined import read_export_apart
from recto.storage import RecordNotFound


@dataclass(frozen=True, slots=True)
class ImportOutcome:
    """What came of an import."""

    imported: int
    known: int
    skipped: tuple[str, ...]


async def import_chats(services: ChatServices, project_id: str, data: bytes) -> ImportOutcome:
    """Add the chats of an exported file to a project; those that are known already stay."""
    found = await read_export_apart(data)
    new = [chat for chat in found.chats if not await is_known(services, chat.id)]
    for chat in new:
        await store_imported(services, project_id, chat)
    return ImportOutcome(len(new), len(found.chats) - len(new), found.skipped)


async def is_known(services: ChatServices, chat_id: str) -> bool:
    """Whether there is such a chat, or was one before it was deleted."""
    try:
        await services.storage.chats.get(chat_id)
    except RecordNotFound:
        return False
    return True


async def store_imported(services: ChatServices, project_id: str, chat: ImportedChat) -> None:
    """One chat with all its entries, or nothing of it."""
    async with services.storage.write() as write:
        await services.storage.chats.add(
            write,
            id=chat.id,
            project_id=project_id,
            title=chat.title,
            meta={"source": chat.source},
            created_ms=chat.created_ms,
        )
        await services.storage.search.name(write, chat.id, chat.title)
        for entry in chat.entries:
            await services.archive.append(
                write, chat.id, entry.content, id=entry.id, at_ms=entry.created_ms
            )
        await services.storage.chats.touch(write, chat.id, chat.last_active_ms)
