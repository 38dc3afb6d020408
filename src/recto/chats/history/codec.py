"""Entries as JSON and back, whole: how a history is stored, and what our own export holds.

Pictures, documents and long attached texts are kept apart, as blobs named by their hash. The
shape follows from the fields of the values themselves, so that a new field is never forgotten.
"""

import hashlib
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, dataclass, fields, is_dataclass
from functools import cache
from types import NoneType, UnionType
from typing import Any, Literal, Union, cast, get_args, get_origin, get_type_hints

from recto.chats.history.entries import AttachedText, EntryContent, Result
from recto.messages import Json

MAX_TEXT_BYTES = 2048
BLOBS = "blobs"
# JSON writes both a letter beyond the first plane and two loose halves as the same two escapes.
# A word joiner keeps loose halves apart; where one stood already, there is one more.
LOOSE_PAIR = re.compile("([\ud800-\udbff])(\u2060*)([\udc00-\udfff])")
JOINED_PAIR = re.compile("([\ud800-\udbff])\u2060(\u2060*)([\udc00-\udfff])")

Blobs = Mapping[str, bytes]
Read = Callable[[Any, Blobs], Any]


@dataclass(frozen=True, slots=True)
class EncodedEntry:
    """An entry's content as it is stored, with the bytes that are kept apart, by hash."""

    kind: str
    body: Json
    blobs: Blobs


class UnreadableEntry(Exception):
    """A stored or imported entry is not one of ours."""


def encode(content: EntryContent) -> EncodedEntry:
    """The content as JSON that any engine can keep."""
    blobs: dict[str, bytes] = {}
    body: dict[str, Any] = _plain(content, blobs)
    kind: str = body.pop("kind")
    if blobs:
        body[BLOBS] = sorted(blobs)
    return EncodedEntry(kind, body, blobs)


def blob_hashes(body: Json) -> tuple[str, ...]:
    """The hashes of the blobs that `decode` needs for this body.

    Raises:
        UnreadableEntry: the body does not name them as we do.
    """
    found: object = body.get(BLOBS, [])
    if not isinstance(found, list):
        raise UnreadableEntry("The list of blobs is not a list.")
    return tuple(str(digest) for digest in cast(list[object], found))


def decode(kind: str, body: Json, blobs: Blobs) -> EntryContent:
    """The content that was encoded.

    Raises:
        UnreadableEntry: it is not of this kind, or a blob is missing.
    """
    made = _kinds().get(kind)
    if made is None:
        raise UnreadableEntry(f"There is no entry of the kind {kind!r}.")
    found = {name: value for name, value in body.items() if name != BLOBS}
    content: EntryContent = _reader(made)({**found, "kind": kind}, blobs)
    return content


def encode_result(result: Result) -> EncodedEntry:
    """A tool's answer by itself, as it is kept before the step's others have come."""
    blobs: dict[str, bytes] = {}
    body: dict[str, Any] = _plain(result, blobs)
    if blobs:
        body[BLOBS] = sorted(blobs)
    return EncodedEntry("result", body, blobs)


def decode_result(body: Json, blobs: Blobs) -> Result:
    """The tool's answer that was encoded."""
    found = {name: value for name, value in body.items() if name != BLOBS}
    result: Result = _reader(Result)(found, blobs)
    return result


@cache
def _kinds() -> dict[str, type]:
    return {
        kind: made
        for made in get_args(EntryContent)
        for kind in get_args(get_type_hints(made)["kind"])
    }


def _plain(value: Any, blobs: dict[str, bytes]) -> Any:
    match value:
        case str():
            return _apart(value)
        case bytes():
            # No bytes, no blob: an empty one would have to be stored for nothing.
            return _put(value, blobs) if value else ""
        case Mapping():
            items = cast(Mapping[str, Any], value).items()
            return {_apart(name): _plain(inner, blobs) for name, inner in items}
        case list() | tuple():
            return [_plain(inner, blobs) for inner in cast(Sequence[Any], value)]
        case _ if is_dataclass(value):
            plain = {
                field.name: _plain(getattr(value, field.name), blobs) for field in fields(value)
            }
            return plain | _long_text(value, blobs)
        case _:
            return value


def _long_text(value: Any, blobs: dict[str, bytes]) -> dict[str, Any]:
    if isinstance(value, AttachedText):
        # File names and old texts may hold half a surrogate pair, which plain UTF-8 refuses.
        text = value.text.encode("utf-8", "surrogatepass")
        if len(text) > MAX_TEXT_BYTES:
            return {"text": _put(text, blobs)}
    return {}


def _put(data: bytes, blobs: dict[str, bytes]) -> dict[str, str]:
    digest = hashlib.sha256(data).hexdigest()
    blobs[digest] = data
    return {"blob": digest}


def _apart(text: str) -> str:
    return text if text.isascii() else LOOSE_PAIR.sub("\\1\u2060\\2\\3", text)


def _joined(text: str) -> str:
    return text if text.isascii() else JOINED_PAIR.sub("\\1\\2\\3", text)


@cache
def _reader(hint: Any) -> Read:
    """What reads a value of this type, and refuses every other."""
    origin = get_origin(hint)
    if is_dataclass(hint):
        return _object_reader(cast(type, hint))
    if origin is Literal:
        return _choice_reader(get_args(hint))
    if origin is tuple:
        return _tuple_reader(get_args(hint)[0])
    if origin in (Union, UnionType):
        return _union_reader(get_args(hint))
    if origin is Mapping:
        return _read_json
    return SIMPLE[hint]


def _object_reader(made: type) -> Read:
    hints = get_type_hints(made)
    readers = {field.name: _reader(hints[field.name]) for field in fields(made)}
    needed = {
        field.name
        for field in fields(made)
        if field.default is MISSING and field.default_factory is MISSING
    }

    def read(value: Any, blobs: Blobs) -> Any:
        found = cast(dict[str, Any], _expect(value, dict))
        # An unknown field is refused, not dropped: a newer program may have put something into it.
        if not needed <= found.keys() <= readers.keys():
            raise UnreadableEntry(f"{made.__name__} has other fields than it should have.")
        return made(**{name: readers[name](inner, blobs) for name, inner in found.items()})

    return read


def _choice_reader(choices: tuple[Any, ...]) -> Read:
    def read(value: Any, blobs: Blobs) -> Any:
        if not isinstance(value, str) or value not in choices:
            raise UnreadableEntry(f"{value!r} is none of {', '.join(map(repr, choices))}.")
        return value

    return read


def _tuple_reader(inner: Any) -> Read:
    read_item = _reader(inner)

    def read(value: Any, blobs: Blobs) -> Any:
        return tuple(read_item(item, blobs) for item in cast(list[Any], _expect(value, list)))

    return read


def _union_reader(members: tuple[Any, ...]) -> Read:
    optional = NoneType in members
    others = [member for member in members if member is not NoneType]
    read_member = _reader(others[0]) if len(others) == 1 else _tagged_reader(others)

    def read(value: Any, blobs: Blobs) -> Any:
        return None if value is None and optional else read_member(value, blobs)

    return read


def _tagged_reader(members: Sequence[type]) -> Read:
    readers = {get_args(get_type_hints(made)["type"])[0]: _reader(made) for made in members}

    def read(value: Any, blobs: Blobs) -> Any:
        tag = cast(dict[str, Any], _expect(value, dict)).get("type")
        if not isinstance(tag, str) or tag not in readers:
            raise UnreadableEntry(f"{tag!r} is none of {', '.join(readers)}.")
        return readers[tag](value, blobs)

    return read


def _read_text(value: Any, blobs: Blobs) -> str:
    # A long text that was put aside as a blob.
    if isinstance(value, dict):
        return _blob(value, blobs).decode("utf-8", "surrogatepass")
    return _joined(_expect(value, str))


def _read_bytes(value: Any, blobs: Blobs) -> bytes:
    return b"" if value == "" else _blob(value, blobs)


def _read_whole(value: Any, blobs: Blobs) -> int:
    # For Python, True is an int; in our JSON it never stands for one.
    if isinstance(value, bool):
        raise UnreadableEntry("A number was expected, not a bool.")
    return _expect(value, int)


def _read_number(value: Any, blobs: Blobs) -> float:
    return float(_read_whole(value, blobs)) if isinstance(value, int) else _expect(value, float)


def _read_truth(value: Any, blobs: Blobs) -> bool:
    return _expect(value, bool)


def _read_json(value: Any, blobs: Blobs) -> dict[str, Any]:
    return _rejoined(_expect(value, dict))


def _rejoined(value: Any) -> Any:
    if isinstance(value, str):
        return _joined(value)
    if isinstance(value, dict):
        items = cast(dict[str, Any], value).items()
        return {_joined(name): _rejoined(inner) for name, inner in items}
    if isinstance(value, list):
        return [_rejoined(inner) for inner in cast(list[Any], value)]
    return value


def _blob(value: Any, blobs: Blobs) -> bytes:
    digest: object = cast(dict[str, object], _expect(value, dict)).get("blob")
    if not isinstance(digest, str) or digest not in blobs:
        raise UnreadableEntry(f"The blob {digest!r} is missing.")
    return blobs[digest]


def _expect(value: Any, kind: type[Any]) -> Any:
    if not isinstance(value, kind):
        raise UnreadableEntry(f"A {kind.__name__} was expected, not a {type(value).__name__}.")
    return value


SIMPLE: dict[Any, Read] = {
    str: _read_text,
    bytes: _read_bytes,
    int: _read_whole,
    float: _read_number,
    bool: _read_truth,
}
