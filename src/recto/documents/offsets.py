"""Positions in a text, counted three ways: characters here, UTF-8 bytes in pycrdt, UTF-16 in pages.

The only place that converts. A position inside a character is refused: pycrdt would take it for
the end of the text.
"""

from collections.abc import Sequence

from recto.documents.failures import InvalidPosition


def to_utf8(text: str, index: int) -> int:
    """How many UTF-8 bytes stand before a character."""
    check(text, index)
    return index if text.isascii() else len(text[:index].encode())


def many_to_utf8(text: str, indexes: Sequence[int]) -> list[int]:
    """How many UTF-8 bytes stand before each of several characters, which are in order."""
    found: list[int] = []
    at = offset = 0
    for index in indexes:
        check(text, index)
        offset += index - at if text.isascii() else len(text[at:index].encode())
        at = index
        found.append(offset)
    return found


def to_utf16(text: str, index: int) -> int:
    """How many UTF-16 units stand before a character."""
    check(text, index)
    return index if text.isascii() else len(text[:index].encode("utf-16-le")) // 2


def many_from_utf8(text: str, offsets: Sequence[int]) -> list[int]:
    """How many characters stand before each UTF-8 offset.

    Raises InvalidPosition inside a character.
    """
    if text.isascii():
        for offset in offsets:
            check(text, offset)
        return list(offsets)
    data = text.encode()
    known = {0: 0}
    at = 0
    for offset in sorted(set(offsets)):
        if offset < 0:
            raise InvalidPosition(offset)
        known[offset] = known[at] + counted(data[at:offset], offset - at, "utf-8")
        at = offset
    return [known[offset] for offset in offsets]


def from_utf16(text: str, offset: int) -> int:
    """How many characters stand before a UTF-16 offset.

    Raises InvalidPosition inside a character.
    """
    if text.isascii():
        check(text, offset)
        return offset
    return counted(text.encode("utf-16-le"), offset * 2, "utf-16-le")


def counted(data: bytes, end: int, encoding: str) -> int:
    """How many characters the first bytes are."""
    if not 0 <= end <= len(data):
        raise InvalidPosition(end)
    try:
        return len(data[:end].decode(encoding))
    except UnicodeDecodeError as error:
        raise InvalidPosition(end) from error


def check(text: str, index: int) -> None:
    """Refuse a position outside the text."""
    if not 0 <= index <= len(text):
        raise InvalidPosition(index)
