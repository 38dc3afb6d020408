"""Bringing a client's chats together with ours, one by one: the newer wins, histories only grow."""

from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager

from recto.chats.failures import Busy, InvalidPlacement
from recto.chats.history.archive import entry_events
from recto.chats.history.entries import ChatEntry
from recto.chats.library.messages import append_messages, is_same, messages_of
from recto.chats.library.pinned import pinned_of, without_missing
from recto.chats.library.repository import MODEL, check_files, is_shown_in, known_chats, renamed
from recto.chats.library.requests import ClientChat, PlainMessage, SyncOutcome
from recto.chats.services import ChatServices
from recto.chats.turns.remote_runs import check_no_remote_run
from recto.storage import (
    Chat,
    JsonObject,
    NewEvent,
    RecordExists,
    RecordNotFound,
    Storage,
    WriteTransaction,
)
from recto.workspace import WorkspaceFailure

GONE = "This chat was deleted."
ELSEWHERE = "There is or was something else with this id."
RUNNING = "A turn is running in this chat. Sync it again when that has ended."
SHORTER = "Its messages do not begin with those that this chat has here. Read it again first."
NO_FOLDER = "Its folder is not in this project. Sync the folders first."
SAID_ELSEWHERE = "The id of one of its messages is taken by another message."

Resting = Callable[[str], AbstractAsyncContextManager[None]]
"""Lets no turn begin in a chat; raises Busy when one runs."""


async def sync_chat(
    services: ChatServices, project_id: str, row: ClientChat, resting: Resting
) -> SyncOutcome[Chat]:
    """Take a row if it is newer, in one transaction; say what became of it."""
    before = await judge(services, project_id, row)
    if before is not None:
        return before
    try:
        await check_new_files(services, project_id, row)
        async with resting(row.id):
            return await take(services, project_id, row)
    except (InvalidPlacement, WorkspaceFailure) as failure:
        return await refused(services, project_id, row, failure.message)
    except Busy:
        return await refused(services, project_id, row, RUNNING)
    except RecordExists:
        return await refused(services, project_id, row, SAID_ELSEWHERE)


async def take(services: ChatServices, project_id: str, row: ClientChat) -> SyncOutcome[Chat]:
    """Take a row, unless somebody was faster. Raises Busy, RecordExists."""

    async def work(write: WriteTransaction) -> tuple[SyncOutcome[Chat], list[ChatEntry]]:
        result = await judge(services, project_id, row, within=write)
        if result is not None:
            return result, []
        await check_no_remote_run(services, write, row.id)
        chat, added = await put(services, write, project_id, row)
        return SyncOutcome(row.id, "taken", chat), added

    def tell(done: tuple[SyncOutcome[Chat], list[ChatEntry]]) -> Sequence[NewEvent]:
        result, added = done
        if result.outcome != "taken" or result.row is None:
            return ()
        return (*entry_events(added, None), renamed(result.row))

    result, _ = await services.journals.of(row.id).commit_with(work, tell)
    return result


async def judge(
    services: ChatServices,
    project_id: str,
    row: ClientChat,
    *,
    within: WriteTransaction | None = None,
) -> SyncOutcome[Chat] | None:
    """Why a row is not taken: kept or refused; None when it is to be taken."""
    chat = await known_chats(services.storage, row.id, within=within)
    if chat is not None:
        if chat.is_thread or not is_shown_in(chat, project_id):
            return SyncOutcome(row.id, "refused", reason=ELSEWHERE)
        if chat.deleted_ms is not None:
            return SyncOutcome(row.id, "refused", reason=GONE)
        if not is_newer(row, chat):
            return SyncOutcome(row.id, "kept", chat)
        if row.messages is not None and not await grows(services, chat, row.messages, within):
            return SyncOutcome(row.id, "refused", chat, SHORTER)
    home = project_id if chat is None else chat.project_id
    if not await has_folder(services.storage, home, row.group_id, within):
        return SyncOutcome(row.id, "refused", chat, NO_FOLDER)
    return None


async def check_new_files(services: ChatServices, project_id: str, row: ClientChat) -> None:
    """Refuse files outside the folder that were not pinned before. Raises InvalidPlacement."""
    chat = await known_chats(services.storage, row.id)
    files, home = row.pinned.additional_files, project_id
    if chat is not None:
        files, home = without_missing(files, pinned_of(chat).additional_files), chat.project_id
    await check_files(services, home, files)


def is_newer(row: ClientChat, chat: Chat) -> bool:
    """Whether a row goes before what there is: by its version, then by the later activity."""
    version = chat.version if row.version is None else row.version
    return (version, row.last_active_ms) > (chat.version, chat.last_active_ms)


async def grows(
    services: ChatServices,
    chat: Chat,
    messages: Sequence[PlainMessage],
    within: WriteTransaction | None,
) -> bool:
    """Whether messages begin with everything that was said in a chat."""
    said = messages_of(await services.archive.all(chat.id, within=within))
    return len(said) <= len(messages) and all(map(is_same, said, messages))


async def has_folder(
    storage: Storage, project_id: str, group_id: str | None, within: WriteTransaction | None
) -> bool:
    """Whether a project has this folder, or had it."""
    if group_id is None:
        return True
    try:
        return (await storage.groups.get(group_id, within=within)).project_id == project_id
    except RecordNotFound:
        return False


async def put(
    services: ChatServices, write: WriteTransaction, project_id: str, row: ClientChat
) -> tuple[Chat, list[ChatEntry]]:
    """Have a chat be as a row says, and add what it has more of history."""
    storage = services.storage
    chat = await known_chats(storage, row.id, within=write)
    group_id = row.group_id
    if group_id is not None:
        group = await storage.groups.get(group_id, within=write)
        # Chats of a deleted folder lie in none.
        group_id = None if group.deleted_ms is not None else group_id
    await storage.chats.put(
        write,
        Chat(
            id=row.id,
            project_id=project_id if chat is None else chat.project_id,
            title=row.title,
            group_id=group_id,
            meta={**meta_of(chat), **row.pinned.meta(), **model_in(row)},
            is_global=row.is_global,
            created_ms=row.created_ms,
            last_active_ms=row.last_active_ms,
            version=row.version or (1 if chat is None else chat.version + 1),
            deleted_ms=None,
        ),
    )
    await storage.search.name(write, row.id, row.title)
    added = await append_new(services, write, row)
    return await storage.chats.get(row.id, within=write), added


def meta_of(chat: Chat | None) -> JsonObject:
    """What a chat has besides its columns."""
    return {MODEL: None} if chat is None else chat.meta


def model_in(row: ClientChat) -> JsonObject:
    """The model that a row chooses, if it does."""
    return {} if row.model is None else {MODEL: row.model}


async def append_new(
    services: ChatServices, write: WriteTransaction, row: ClientChat
) -> list[ChatEntry]:
    """Add those messages of a row that the history does not have; the chat is as old as it says."""
    if row.messages is None:
        return []
    there = len(messages_of(await services.archive.all(row.id, within=write)))
    added = await append_messages(
        services.archive, write, row.id, row.messages[there:], services.ids
    )
    await services.storage.chats.touch(write, row.id, row.last_active_ms)
    return added


async def refused(
    services: ChatServices, project_id: str, row: ClientChat, reason: str
) -> SyncOutcome[Chat]:
    """A row that could not be taken, with what there is."""
    chat = await known_chats(services.storage, row.id)
    seen = chat is not None and chat.deleted_ms is None and is_shown_in(chat, project_id)
    return SyncOutcome(row.id, "refused", chat if seen else None, reason)
