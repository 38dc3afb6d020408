"""Takes chats of another program into the history, each once."""

from dataclasses import dataclass

import anyio.to_thread

from recto.chats.imports import ImportedChat, read_export
from recto.chats.means import Means
from recto.storage import NotFound


@dataclass(frozen=True, slots=True)
class TakenIn:
    """What came of an import."""

    imported: int
    known: int
    skipped: tuple[str, ...]


async def take_in(means: Means, project_id: str, data: bytes) -> TakenIn:
    """Add the chats of an exported file to a project; those that are known already stay."""
    found = await anyio.to_thread.run_sync(read_export, data)
    new = [chat for chat in found.chats if not await is_known(means, chat.id)]
    for chat in new:
        await keep(means, project_id, chat)
    return TakenIn(len(new), len(found.chats) - len(new), found.skipped)


async def is_known(means: Means, chat_id: str) -> bool:
    """Whether there is such a chat, or was one before it was deleted."""
    try:
        await means.storage.chats.get(chat_id)
    except NotFound:
        return False
    return True


async def keep(means: Means, project_id: str, chat: ImportedChat) -> None:
    """One chat with all its entries, or nothing of it."""
    async with means.storage.write() as write:
        await means.storage.chats.add(
            write,
            id=chat.id,
            project_id=project_id,
            title=chat.title,
            meta={"source": chat.source},
            created_ms=chat.created_ms,
        )
        await means.storage.search.name(write, chat.id, chat.title)
        for entry in chat.entries:
            await means.archive.append(
                write, chat.id, entry.content, id=entry.id, at_ms=entry.created_ms
            )
        await means.storage.chats.touch(write, chat.id, chat.last_active_ms)
