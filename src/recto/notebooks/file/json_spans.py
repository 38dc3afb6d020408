"""JSON read together with the place of each value in the text, for as deep as somebody looks.

What nobody looks into is read at once by the standard decoder, which is fast and keeps no places.
"""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

SPACE = re.compile(r"[ \t\n\r]*")
LONGEST_INTEGER = 300
"""Digits; a longer number stays text, because reading it takes time that grows with its square."""
LONGEST_ARRAY = 100_000
"""Items of an array whose places are kept: each takes a hundred times its letter in memory."""
Read = Callable[[str, int], tuple[Any, int]]
"""Reads the value at a place of a text; the value, and where it ends."""


class JsonInvalid(Exception):
    """A text is not JSON; the words say what is wrong, `at` says where."""

    def __init__(self, why: str, at: int) -> None:
        super().__init__(why)
        self.at = at


@dataclass(frozen=True, slots=True)
class JsonItem:
    """A value of an array, from its first character to behind its last."""

    value: Any
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class JsonMember:
    """A member of an object: its key's place, and its value's."""

    key: str
    value: Any
    key_start: int
    key_end: int
    start: int
    end: int


def integer(digits: str) -> int | str:
    """An integer, or its digits when there are too many."""
    return int(digits) if len(digits) <= LONGEST_INTEGER else digits


DECODER = json.JSONDecoder(parse_int=integer)


def read_value(text: str, at: int) -> tuple[Any, int]:
    """Any value, and where it ends. Raises JsonInvalid."""
    try:
        return DECODER.raw_decode(text, at)
    except json.JSONDecodeError as error:
        raise JsonInvalid(lower_first(error.msg), error.pos) from error
    except RecursionError as error:
        raise JsonInvalid("values are nested too deeply", at) from error


def read_array(text: str, at: int, read: Read) -> tuple[list[JsonItem], int]:
    """The items of the array that begins here, and where it ends. Raises JsonInvalid."""
    items: list[JsonItem] = []
    at = expect(text, at, "[")
    if text.startswith("]", at):
        return items, at + 1
    while True:
        value, end = read(text, at)
        items.append(JsonItem(value, at, end))
        if len(items) > LONGEST_ARRAY:
            raise JsonInvalid(f"a list has more than {LONGEST_ARRAY:,} items", at)
        at, more = go_on(text, end, "]")
        if not more:
            return items, at


def read_object(
    text: str, at: int, readers: dict[str, Read], *, otherwise: Read = read_value
) -> tuple[list[JsonMember], int]:
    """The members of the object that begins here, and where it ends. Raises JsonInvalid."""
    members: list[JsonMember] = []
    at = expect(text, at, "{")
    if text.startswith("}", at):
        return members, at + 1
    while True:
        if not text.startswith('"', at):
            raise JsonInvalid("a name in quotes is missing", at)
        key, key_end = read_value(text, at)
        start = expect(text, skip(text, key_end), ":")
        value, end = readers.get(key, otherwise)(text, start)
        members.append(JsonMember(key, value, at, key_end, start, end))
        at, more = go_on(text, end, "}")
        if not more:
            return members, at


def skip(text: str, at: int) -> int:
    """Where the white space at a place ends."""
    found = SPACE.match(text, at)
    assert found is not None
    return found.end()


def expect(text: str, at: int, sign: str) -> int:
    """Behind a sign and the white space after it. Raises JsonInvalid."""
    if not text.startswith(sign, at):
        raise JsonInvalid(f"{sign} is missing", at)
    return skip(text, at + 1)


def go_on(text: str, at: int, close: str) -> tuple[int, bool]:
    """Behind a comma, or behind the closing bracket; whether more follows. Raises JsonInvalid."""
    at = skip(text, at)
    if text.startswith(close, at):
        return at + 1, False
    return expect(text, at, ","), True


def lower_first(words: str) -> str:
    """Words that go on a sentence."""
    return words[:1].lower() + words[1:]
