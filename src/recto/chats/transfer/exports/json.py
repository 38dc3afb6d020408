"""A chat as JSON with everything in it: reading it again gives the same entries."""

import base64
import binascii
import hashlib
import json
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, cast

from recto.chats.history.codec import UnreadableEntry, decode, encode
from recto.chats.history.entries import ChatEntry

FORMAT = "recto-chat"
VERSION = 1
LATEST_MS = 253_402_300_800_000
"""The year 10000, which no calendar here knows."""


def json_document(title: str, entries: Sequence[ChatEntry]) -> str:
    """The whole chat, its blobs included."""
    blobs: dict[str, str] = {}
    rows: list[dict[str, Any]] = []
    for entry in entries:
        encoded = encode(entry.content)
        blobs |= {digest: base64.b64encode(it).decode() for digest, it in encoded.blobs.items()}
        rows.append(
            {
                "id": entry.id,
                "seq": entry.seq,
                "createdMs": entry.created_ms,
                "kind": encoded.kind,
                "body": encoded.body,
            }
        )
    document = {
        "format": FORMAT,
        "version": VERSION,
        "title": title,
        "entries": rows,
        "blobs": blobs,
    }
    return json.dumps(document, indent=1, allow_nan=False)


def is_ours(document: object) -> bool:
    """Whether this is one of our own documents, of whatever version."""
    return isinstance(document, dict) and cast(dict[str, object], document).get("format") == FORMAT


def read_document(document: Mapping[str, Any]) -> tuple[str, tuple[ChatEntry, ...]]:
    """The title and the entries that a document was made of.

    Raises:
        UnreadableEntry: it is damaged, or a later Recto made it.
    """
    version = document.get("version")
    if isinstance(version, int) and version > VERSION:
        raise UnreadableEntry("A later Recto made it. Update Recto and try again.")
    title, rows, packed = (document.get(name) for name in ("title", "entries", "blobs"))
    if not (isinstance(title, str) and isinstance(rows, list) and isinstance(packed, dict)):
        raise UnreadableEntry("It is not whole.")
    blobs = _unpacked(cast(dict[str, object], packed))
    entries = tuple(_entry(row, blobs) for row in cast(list[object], rows))
    numbers = [0, *(entry.seq for entry in entries)]
    if any(later <= earlier for earlier, later in pairwise(numbers)):
        raise UnreadableEntry("Its entries are not in order.")
    return title, entries


def _entry(row: object, blobs: Mapping[str, bytes]) -> ChatEntry:
    match row:
        case {"id": str(id), "seq": int(seq), "createdMs": int(made), "kind": str(kind)} if (
            0 <= made < LATEST_MS
        ):
            body = cast(dict[str, object], row).get("body")
            if isinstance(body, dict):
                return ChatEntry(id, seq, made, decode(kind, cast(dict[str, Any], body), blobs))
        case _:
            pass
    raise UnreadableEntry("An entry is not whole.")


def _unpacked(packed: Mapping[str, object]) -> dict[str, bytes]:
    return {digest: _bytes(digest, data) for digest, data in packed.items()}


def _bytes(digest: str, data: object) -> bytes:
    try:
        unpacked = base64.b64decode(data, validate=True) if isinstance(data, str) else b""
    except (binascii.Error, ValueError) as error:
        raise UnreadableEntry(f"The blob {digest} is not base64.") from error
    if hashlib.sha256(unpacked).hexdigest() != digest:
        raise UnreadableEntry(f"The blob {digest} is not what was exported.")
    return unpacked
