"""Chats from elsewhere: exports of ChatGPT, Claude, Open WebUI, LibreChat, and our own.

Reading never fails: what can't be read is named in `skipped`, and the rest comes in. The same
export gives the same ids, so that reading it again adds nothing.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from recto.chats.transfer.imports import chatgpt, claude, librechat, open_webui, ours
from recto.chats.transfer.imports.builder import ImportedChat, NotAChat
from recto.chats.transfer.imports.fields import Record, a_record, records, text_in
from recto.chats.transfer.imports.unpacking import NotAnExport, files, parsed

FORMATS = (ours, chatgpt, claude, open_webui, librechat)


@dataclass(frozen=True, slots=True)
class Imported:
    """What an export held: the chats, and in words what could not be read."""

    chats: tuple[ImportedChat, ...]
    skipped: tuple[str, ...]


def read_export(data: bytes) -> Imported:
    """The chats in an exported file, which may be JSON or a zip archive with JSON in it."""
    chats: dict[str, ImportedChat] = {}
    skipped: list[str] = []
    for number, record in enumerate(_found(data, skipped), 1):
        try:
            chat = _read(record)
        except NotAChat as reason:
            skipped.append(f"{_named(number, record)}: {reason}")
            continue
        if chat.id in chats:
            skipped.append(f"{_named(number, record)}: it is in the file twice.")
        chats.setdefault(chat.id, chat)
    if not chats and not skipped:
        skipped.append("The file holds no chats.")
    return Imported(tuple(chats.values()), tuple(skipped))


def _found(data: bytes, skipped: list[str]) -> Iterator[object]:
    """Everything in the file that may be a chat."""
    try:
        for name, inside in files(data):
            yield from _documents(name, inside, skipped)
    except NotAnExport as reason:
        skipped.append(str(reason))


def _documents(name: str, inside: bytes, skipped: list[str]) -> list[object]:
    try:
        document = parsed(name, inside)
    except NotAnExport as reason:
        skipped.append(str(reason))
        return []
    return [document] if a_record(document) is not None else records(document)


def _read(found: object) -> ImportedChat:
    record = a_record(found)
    if record is None:
        raise NotAChat("it is no chat.")
    for format in FORMATS:
        if format.is_chat(record):
            return format.read_chat(record)
    raise NotAChat("it is not a chat in a format that Recto knows.")


def _named(number: int, found: object) -> str:
    record: Record = a_record(found) or {}
    title = text_in(record, "title") or text_in(record, "name")
    return f"Chat {number} (“{title[:60]}”)" if title else f"Chat {number}"


__all__ = ["Imported", "ImportedChat", "read_export"]
