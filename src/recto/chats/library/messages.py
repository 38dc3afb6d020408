"""A chat's history as messages: who said what. And messages that others said, added to it."""

from collections.abc import Iterable, Sequence

from recto.chats.history.archive import Archive
from recto.chats.history.entries import (
    AnswerSource,
    Assistant,
    ChatEntry,
    EntryConfidence,
    EntryContent,
    User,
)
from recto.chats.history.search_text import search_text
from recto.chats.library.requests import PlainMessage
from recto.clock import Ids
from recto.messages import Text, encodable
from recto.storage import WriteTransaction

TEMPLATE = "added"


def messages_of(entries: Iterable[ChatEntry]) -> tuple[PlainMessage, ...]:
    """What was said, in order. An answer that only calls tools says nothing."""
    found: list[PlainMessage] = []
    for entry in entries:
        match entry.content:
            case User(text=text):
                found.append(PlainMessage(entry.id, "user", encodable(text), entry.created_ms))
            case Assistant() as answer if text := search_text(answer):
                found.append(PlainMessage(entry.id, "assistant", encodable(text), entry.created_ms))
            case _:
                pass
    return tuple(found)


def is_same(one: PlainMessage, other: PlainMessage) -> bool:
    """Whether the same was said by the same."""
    return (one.id, one.role, one.text) == (other.id, other.role, other.text)


async def append_messages(
    archive: Archive,
    write: WriteTransaction,
    chat_id: str,
    messages: Sequence[PlainMessage],
    ids: Ids,
) -> list[ChatEntry]:
    """Add messages at the end of a history: an answer belongs to what was said before it."""
    last = await archive.last_user(chat_id, within=write)
    turn = ids.new() if last is None else turn_of(last)
    added: list[ChatEntry] = []
    for message in messages:
        if message.role == "user":
            turn = ids.new()
        added.append(
            await archive.append(
                write,
                chat_id,
                content_of(message, turn),
                id=message.id,
                at_ms=message.created_ms,
            )
        )
    return added


def content_of(message: PlainMessage, turn: str) -> EntryContent:
    """What was said, as an entry that no model of ours was asked for."""
    if message.role == "user":
        return User(message.text, turn)
    return Assistant(
        parts=(Text(message.text),),
        turn=turn,
        step=1,
        model="",
        model_name="",
        reason="end_turn",
        usage=None,
        cost_micros=0,
        sureness=EntryConfidence(None, "unknown", "A client added this answer."),
        source=AnswerSource("", "", TEMPLATE),
    )


def turn_of(entry: ChatEntry) -> str:
    """The turn of something that a person said."""
    assert isinstance(entry.content, User)
    return entry.content.turn
