"""A chat's history as messages: who said what. And messages that others said, added to it."""

from collections.abc import Iterable, Sequence

from recto.chats.archive import Archive
from recto.chats.entries import Assistant, Content, Entry, Source, Sureness, User
from recto.chats.search_text import search_text
from recto.chats.wanted import Message
from recto.clock import Ids
from recto.messages import Text, encodable
from recto.storage import Write

TEMPLATE = "added"


def messages_of(entries: Iterable[Entry]) -> tuple[Message, ...]:
    """What was said, in order. An answer that only calls tools says nothing."""
    found: list[Message] = []
    for entry in entries:
        match entry.content:
            case User(text=text):
                found.append(Message(entry.id, "user", encodable(text), entry.created_ms))
            case Assistant() as answer if text := search_text(answer):
                found.append(Message(entry.id, "assistant", encodable(text), entry.created_ms))
            case _:
                pass
    return tuple(found)


def is_same(one: Message, other: Message) -> bool:
    """Whether the same was said by the same."""
    return (one.id, one.role, one.text) == (other.id, other.role, other.text)


async def append_messages(
    archive: Archive, write: Write, chat_id: str, messages: Sequence[Message], ids: Ids
) -> list[Entry]:
    """Add messages at the end of a history: an answer belongs to what was said before it."""
    last = await archive.last_user(chat_id, within=write)
    turn = ids.new() if last is None else turn_of(last)
    added: list[Entry] = []
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


def content_of(message: Message, turn: str) -> Content:
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
        sureness=Sureness(None, "unknown"),
        source=Source("", "", TEMPLATE),
    )


def turn_of(entry: Entry) -> str:
    """The turn of something that a person said."""
    assert isinstance(entry.content, User)
    return entry.content.turn
