"""Exports read in a process of their own: a small file may unpack to more than there is memory."""

import json

import msgspec

from recto.chats.history.codec import decode, encode
from recto.chats.history.entries import ChatEntry
from recto.chats.transfer.imports import Imported, ImportedChat, read_export
from recto.processes import TooMuchToRead, read_apart

READ = "recto.chats.transfer.imports.confined:written_export"
MAX_MEMORY = 3 << 29
DEADLINE_S = 120.0


class WrittenEntry(msgspec.Struct, array_like=True):
    """An entry on its way between the processes."""

    id: str
    created_ms: int
    kind: str
    body: bytes
    blobs: dict[str, bytes]


class WrittenChat(msgspec.Struct, array_like=True):
    """A chat on its way."""

    id: str
    title: str
    source: str
    created_ms: int
    last_active_ms: int
    entries: list[WrittenEntry]


class WrittenExport(msgspec.Struct, array_like=True):
    """All that an export holds, on its way."""

    chats: list[WrittenChat]
    skipped: list[str]


async def read_export_apart(data: bytes) -> Imported:
    """The chats in an exported file; one that takes too much is named as skipped."""
    try:
        made = await read_apart(READ, data, max_memory=MAX_MEMORY, deadline_s=DEADLINE_S)
    except TooMuchToRead as failure:
        return Imported((), (f"{failure.message} {failure.remedy}",))
    found = msgspec.msgpack.decode(made, type=WrittenExport)
    return Imported(tuple(map(read_written, found.chats)), tuple(found.skipped))


def written_export(data: bytes) -> bytes:
    """The chats in an exported file, as bytes."""
    found = read_export(data)
    chats = [write_chat(chat) for chat in found.chats]
    return msgspec.msgpack.encode(WrittenExport(chats, list(map(plainly, found.skipped))))


def write_chat(chat: ImportedChat) -> WrittenChat:
    """A chat for the way."""
    entries: list[WrittenEntry] = []
    for entry in chat.entries:
        encoded = encode(entry.content)
        body = json.dumps(encoded.body).encode()
        entries.append(
            WrittenEntry(entry.id, entry.created_ms, encoded.kind, body, dict(encoded.blobs))
        )
    times = chat.created_ms, chat.last_active_ms
    return WrittenChat(chat.id, plainly(chat.title), chat.source, *times, entries)


def read_written(chat: WrittenChat) -> ImportedChat:
    """A chat that has arrived."""
    entries = tuple(
        ChatEntry(
            entry.id,
            number,
            entry.created_ms,
            decode(entry.kind, json.loads(entry.body), entry.blobs),
        )
        for number, entry in enumerate(chat.entries, 1)
    )
    times = chat.created_ms, chat.last_active_ms
    return ImportedChat(chat.id, chat.title, chat.source, *times, entries)


def plainly(text: str) -> str:
    """A text without halves of letters, which can't be written down."""
    return text.encode("utf-8", "replace").decode()
