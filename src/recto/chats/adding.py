"""Adds to a chat's history what others said elsewhere; no model is asked."""

from dataclasses import dataclass

from recto.chats.archive import told
from recto.chats.elsewhere import check_no_turn
from recto.chats.entries import Entry
from recto.chats.failures import Known
from recto.chats.history import append_messages, is_same, messages_of
from recto.chats.keeping import find
from recto.chats.means import Means
from recto.chats.wanted import Message
from recto.storage import AlreadyExists, NotFound, Write


@dataclass(frozen=True, slots=True)
class Added:
    """A message as the history has it, and whether it is new there."""

    message: Message
    is_new: bool


async def add_message(means: Means, project_id: str, chat_id: str, message: Message) -> Added:
    """Add something that was said; the same again changes nothing. Raises NotFound, Busy, Known."""
    storage = means.storage
    chat = await find(storage, project_id, chat_id)
    kept = await kept_as(means, chat_id, message)
    if kept is not None:
        return Added(kept, is_new=False)

    async def work(write: Write) -> list[Entry]:
        await find(storage, project_id, chat_id, within=write)
        await check_no_turn(means, write, chat_id)
        made = await append_messages(means.archive, write, chat_id, (message,), means.ids)
        # What was said long ago does not make a chat older than it is.
        await storage.chats.touch(write, chat_id, max(chat.last_active_ms, message.created_ms))
        return made

    try:
        made = await means.journals.of(chat_id).commit_with(work, lambda made: told(made, None))
    except AlreadyExists as error:
        # Somebody else was faster with it, or another chat has it.
        kept = await kept_as(means, chat_id, message)
        if kept is None:
            raise Known("message", message.id) from error
        return Added(kept, is_new=False)
    return Added(messages_of(made)[0], is_new=True)


async def kept_as(means: Means, chat_id: str, message: Message) -> Message | None:
    """A message as this history has it; None when it is not there. Raises Known for other words."""
    try:
        entry = await means.archive.get(chat_id, message.id)
    except NotFound:
        return None
    kept = messages_of((entry,))
    if not kept or not is_same(kept[0], message):
        raise Known("message", message.id)
    return kept[0]
