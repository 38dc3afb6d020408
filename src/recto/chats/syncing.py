"""Bringing a client's chats together with ours, one by one: the newer wins, histories only grow."""

from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager

from recto.chats.archive import told
from recto.chats.elsewhere import check_no_turn
from recto.chats.entries import Entry
from recto.chats.failures import Busy, Misplaced
from recto.chats.history import append_messages, is_same, messages_of
from recto.chats.keeping import MODEL, check_files, is_shown_in, known, renamed
from recto.chats.means import Means
from recto.chats.pinned import pinned_of, without
from recto.chats.wanted import ChatRow, Message, Synced
from recto.storage import AlreadyExists, Chat, NewEvent, NotFound, Storage, Write
from recto.workspace import WorkspaceFailure

GONE = "This chat was deleted."
ELSEWHERE = "There is or was something else with this id."
RUNNING = "A turn is running in this chat. Sync it again when that has ended."
SHORTER = "Its messages do not begin with those that this chat has here. Read it again first."
NO_FOLDER = "Its folder is not in this project. Sync the folders first."
SAID_ELSEWHERE = "The id of one of its messages is taken by another message."

Resting = Callable[[str], AbstractAsyncContextManager[None]]
"""Lets no turn begin in a chat; raises Busy when one runs."""


async def sync_chat(means: Means, project_id: str, row: ChatRow, resting: Resting) -> Synced[Chat]:
    """Take a row if it is newer, in one transaction; say what became of it."""
    before = await judge(means, project_id, row)
    if before is not None:
        return before
    try:
        await check_new_files(means, project_id, row)
        async with resting(row.id):
            return await take(means, project_id, row)
    except (Misplaced, WorkspaceFailure) as failure:
        return await refused(means, project_id, row, failure.message)
    except Busy:
        return await refused(means, project_id, row, RUNNING)
    except AlreadyExists:
        return await refused(means, project_id, row, SAID_ELSEWHERE)


async def take(means: Means, project_id: str, row: ChatRow) -> Synced[Chat]:
    """Take a row, unless somebody was faster. Raises Busy, AlreadyExists."""

    async def work(write: Write) -> tuple[Synced[Chat], list[Entry]]:
        result = await judge(means, project_id, row, within=write)
        if result is not None:
            return result, []
        await check_no_turn(means, write, row.id)
        chat, added = await put(means, write, project_id, row)
        return Synced(row.id, "taken", chat), added

    def tell(done: tuple[Synced[Chat], list[Entry]]) -> Sequence[NewEvent]:
        result, added = done
        if result.outcome != "taken" or result.row is None:
            return ()
        return (*told(added, None), renamed(result.row))

    result, _ = await means.journals.of(row.id).commit_with(work, tell)
    return result


async def judge(
    means: Means, project_id: str, row: ChatRow, *, within: Write | None = None
) -> Synced[Chat] | None:
    """Why a row is not taken: kept or refused; None when it is to be taken."""
    chat = await known(means.storage, row.id, within=within)
    if chat is not None:
        if chat.is_thread or not is_shown_in(chat, project_id):
            return Synced(row.id, "refused", reason=ELSEWHERE)
        if chat.deleted_ms is not None:
            return Synced(row.id, "refused", reason=GONE)
        if not is_newer(row, chat):
            return Synced(row.id, "kept", chat)
        if row.messages is not None and not await grows(means, chat, row.messages, within):
            return Synced(row.id, "refused", chat, SHORTER)
    home = project_id if chat is None else chat.project_id
    if not await has_folder(means.storage, home, row.group_id, within):
        return Synced(row.id, "refused", chat, NO_FOLDER)
    return None


async def check_new_files(means: Means, project_id: str, row: ChatRow) -> None:
    """Refuse files outside the folder that were not pinned before. Raises Misplaced."""
    chat = await known(means.storage, row.id)
    files, home = row.pinned.additional_files, project_id
    if chat is not None:
        files, home = without(files, pinned_of(chat).additional_files), chat.project_id
    await check_files(means, home, files)


def is_newer(row: ChatRow, chat: Chat) -> bool:
    """Whether a row goes before what there is: by its version, then by the later activity."""
    version = chat.version if row.version is None else row.version
    return (version, row.last_active_ms) > (chat.version, chat.last_active_ms)


async def grows(
    means: Means, chat: Chat, messages: Sequence[Message], within: Write | None
) -> bool:
    """Whether messages begin with everything that was said in a chat."""
    said = messages_of(await means.archive.all(chat.id, within=within))
    return len(said) <= len(messages) and all(map(is_same, said, messages))


async def has_folder(
    storage: Storage, project_id: str, group_id: str | None, within: Write | None
) -> bool:
    """Whether a project has this folder, or had it."""
    if group_id is None:
        return True
    try:
        return (await storage.groups.get(group_id, within=within)).project_id == project_id
    except NotFound:
        return False


async def put(
    means: Means, write: Write, project_id: str, row: ChatRow
) -> tuple[Chat, list[Entry]]:
    """Have a chat be as a row says, and add what it has more of history."""
    storage = means.storage
    chat = await known(storage, row.id, within=write)
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
            meta={**({MODEL: None} if chat is None else chat.meta), **row.pinned.meta()},
            is_global=row.is_global,
            created_ms=row.created_ms,
            last_active_ms=row.last_active_ms,
            version=row.version or (1 if chat is None else chat.version + 1),
            deleted_ms=None,
        ),
    )
    await storage.search.name(write, row.id, row.title)
    added = await append_new(means, write, row)
    return await storage.chats.get(row.id, within=write), added


async def append_new(means: Means, write: Write, row: ChatRow) -> list[Entry]:
    """Add those messages of a row that the history does not have; the chat is as old as it says."""
    if row.messages is None:
        return []
    there = len(messages_of(await means.archive.all(row.id, within=write)))
    added = await append_messages(means.archive, write, row.id, row.messages[there:], means.ids)
    await means.storage.chats.touch(write, row.id, row.last_active_ms)
    return added


async def refused(means: Means, project_id: str, row: ChatRow, reason: str) -> Synced[Chat]:
    """A row that could not be taken, with what there is."""
    chat = await known(means.storage, row.id)
    seen = chat is not None and chat.deleted_ms is None and is_shown_in(chat, project_id)
    return Synced(row.id, "refused", chat if seen else None, reason)
