"""Our own JSON export, read as a new chat that can stand beside the one it was made of."""

from dataclasses import fields, replace
from typing import Any

from recto.chats.history.codec import UnreadableEntry
from recto.chats.history.entries import Accounting, ChatEntry, EntryContent, Notice, Summary
from recto.chats.transfer.exports.json import is_ours, read_document
from recto.chats.transfer.imports.builder import ImportedChat, NotAChat, clean_title, derived
from recto.chats.transfer.imports.fields import Record, is_shallow

SOURCE = "Recto"


def is_chat(record: Record) -> bool:
    """Whether we made it."""
    return is_ours(record)


def read_chat(record: Record) -> ImportedChat:
    """The chat, with names of its own and everything else as it was.

    Raises:
        NotAChat: it is damaged.
    """
    if not is_shallow(record):
        raise NotAChat("it is nested too deeply.")
    try:
        title, entries = read_document(record)
    except UnreadableEntry as error:
        raise NotAChat(f"it can't be read. {error}") from error
    if not entries:
        raise NotAChat("it has no messages.")
    chat_id = derived(SOURCE, entries[0].id)
    numbers = [entry.seq for entry in entries]
    return ImportedChat(
        chat_id,
        clean_title(title, entries),
        SOURCE,
        entries[0].created_ms,
        max(entry.created_ms for entry in entries),
        tuple(
            ChatEntry(
                derived(chat_id, entry.id),
                seq,
                entry.created_ms,
                _renamed(entry.content, chat_id, numbers),
            )
            for seq, entry in enumerate(entries, 1)
        ),
    )


def _renamed(content: EntryContent, chat_id: str, numbers: list[int]) -> EntryContent:
    """The content with what it says of other entries put in the new chat's terms."""
    match content:
        case Summary(kept=kept):
            return replace(content, kept=tuple(derived(chat_id, item) for item in kept))
        case Accounting(from_seq=first, about=about):
            earlier = sum(number < first for number in numbers)
            about = derived(chat_id, about) if about else ""
            return replace(content, from_seq=earlier + 1, about=about)
        case Notice(entries=entries):
            told = tuple(derived(chat_id, entry) for entry in entries)
            content = replace(content, entries=told)
        case _:
            pass
    return _with_turn(content, chat_id)


def _with_turn(content: Any, chat_id: str) -> EntryContent:
    if any(field.name == "turn" for field in fields(content)):
        return replace(content, turn=derived(chat_id, content.turn))
    return content
