"""Adds to a chat's history what others said elsewhere; no model is asked."""

from dataclasses import dataclass

from recto.chats.failures import IdTaken
from recto.chats.history.archive import entry_events
from recto.chats.history.entries import ChatEntry
from recto.chats.library.messages import append_messages, is_same, messages_of
from recto.chats.library.repository import find_chat
from recto.chats.library.requests import PlainMessage
from recto.chats.services import ChatServices
from recto.chats.turns.remote_runs import check_no_remote_run
from recto.storage import RecordExists, RecordNotFound, WriteTransaction


@dataclass(frozen=True, slots=True)
class AddedMessage:
    """A message as the history has it, and whether it is new there."""

    message: PlainMessage
    is_new: bool


async def add_message(
    services: ChatServices, project_id: str, chat_id: str, message: PlainMessage
) -> AddedMessage:
    """Add something that was said; the same again changes nothing.

    Raises RecordNotFound, Busy, IdTaken.
    """
    storage = services.storage
    chat = await find_chat(storage, project_id, chat_id)
    kept = await kept_as(services, chat_id, message)
    if kept is not None:
        return AddedMessage(kept, is_new=False)

    async def work(write: WriteTransaction) -> list[ChatEntry]:
        await find_chat(storage, project_id, chat_id, within=write)
        await check_no_remote_run(services, write, chat_id)
        made = await append_messages(services.archive, write, chat_id, (message,), services.ids)
        # What was said long ago does not make a chat older than it is.
        await storage.chats.touch(write, chat_id, max(chat.last_active_ms, message.created_ms))
        return made

    try:
        made = await services.journals.of(chat_id).commit_with(
            work, lambda made: entry_events(made, None)
        )
    except RecordExists as error:
        # Somebody else was faster with it, or another chat has it.
        kept = await kept_as(services, chat_id, message)
        if kept is None:
            raise IdTaken("message", message.id) from error
        return AddedMessage(kept, is_new=False)
    return AddedMessage(messages_of(made)[0], is_new=True)


async def kept_as(
    services: ChatServices, chat_id: str, message: PlainMessage
) -> PlainMessage | None:
    """A message as this history has it; None when it is not there.

    Raises IdTaken for other words.
    """
    try:
        entry = await services.archive.get(chat_id, message.id)
    except RecordNotFound:
        return None
    kept = messages_of((entry,))
    if not kept or not is_same(kept[0], message):
        raise IdTaken("message", message.id)
    return kept[0]
