"""Tells every page that threads are not what they were, when a turn in them begins or ends."""

from collections.abc import Sequence
from functools import partial

from recto.storage import Chat, RecordNotFound, Storage, WriteTransaction


async def announce_threads(
    storage: Storage, write: WriteTransaction, chat: Chat, comments: Sequence[str]
) -> None:
    """Tell of the thread whose conversation a chat is, and of the comments that a turn answers."""
    finds = [partial(storage.notes.get, comment) for comment in comments]
    if chat.is_thread:
        finds.append(partial(storage.notes.by_chat, chat.id))
    for find in finds:
        try:
            note = await find(within=write)
        except RecordNotFound:
            continue  # it was deleted while its model spoke
        await storage.notes.tell(write, note, "updated")
