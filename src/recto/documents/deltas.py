"""What changed in a text, as pycrdt tells it, in characters.

pycrdt counts what it keeps and deletes in UTF-8 bytes of the text before; here it becomes splices.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from recto.documents.splices import Splice

Delta = Sequence[Mapping[str, object]]


@dataclass(frozen=True, slots=True)
class TextChange:
    """The changes from front to back, those that touch as one, and how many bytes they add."""

    splices: tuple[Splice, ...]
    growth: int


def change_of(delta: Delta, before: str) -> TextChange | None:
    """What a delta says of the text before; None for what is not of text."""
    # In ASCII, bytes and characters are the same: most texts need no second copy.
    data = None if before.isascii() else before.encode()
    found: list[Splice] = []
    at = bytes_at = growth = 0
    for step in delta:
        match step:
            case {"insert": str(new)}:
                add(found, Splice(at, at, new))
                growth += len(new.encode())
            case {"retain": int(count)} | {"delete": int(count)}:
                # None: the bytes end inside a character, and only comparing whole texts helps then.
                length = count if data is None else characters(data[bytes_at : bytes_at + count])
                if length is None:
                    return None
                if "delete" in step:
                    add(found, Splice(at, at + length, ""))
                    growth -= count
                at, bytes_at = at + length, bytes_at + count
            case _:
                return None
    return TextChange(tuple(found), growth)


def add(found: list[Splice], one: Splice) -> None:
    """Add a change behind the others; part of the last one if they touch."""
    if found and found[-1].end == one.start:
        last = found.pop()
        one = Splice(last.start, one.end, last.new + one.new)
    found.append(one)


def characters(data: bytes) -> int | None:
    """How many characters some bytes of a text are; None when one is cut."""
    try:
        return len(data.decode())
    except UnicodeDecodeError:
        return None
