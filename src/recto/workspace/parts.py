"""A text that is too large to be edited, read in parts of about a megabyte: whole lines, in order.

Where parts begin follows from the file alone, so that any of them can be read without those before
it. It blocks: `Workspace` runs it in threads.
"""

import os
from collections.abc import Iterator
from dataclasses import dataclass

from recto.workspace.failures import BinaryFile, TooLarge, reading_failure
from recto.workspace.files import CHUNK, MAX_TEXT_BYTES, content_hash
from recto.workspace.jail import Jail
from recto.workspace.text import MARKS, decode

PART_BYTES = 1_000_000
MAX_PARTED_BYTES = 1_000_000_000
LONGEST_LINE = 65_536
"""A line that goes on for longer after the end of a part is cut there."""


@dataclass(frozen=True, slots=True)
class TextPart:
    """Some lines of a file. Lines end in a single newline here, whatever they end in there."""

    path: str
    text: str
    part: int
    parts: int
    first_line: int
    size: int
    hash: str


def read_part(jail: Jail, path: str, *, part: int = 1, line: int | None = None) -> TextPart:
    """One part of a text, counted from 1, or the one with a line; the last if there are fewer.

    Raises BinaryFile, TooLarge over `MAX_PARTED_BYTES`, and what reading raises.
    """
    with jail.file(path) as fd:
        try:
            return FileParts(fd, path).read(part, line)
        except OSError as error:
            raise reading_failure(error, path) from error


class FileParts:
    """An open file as its parts."""

    def __init__(self, fd: int, path: str) -> None:
        self._fd = fd
        self._path = path
        self._size = os.fstat(fd).st_size
        if self._size > MAX_PARTED_BYTES:
            raise TooLarge(path, f"{MAX_PARTED_BYTES // 1_000_000_000} GB")

    def read(self, part: int, line: int | None) -> TextPart:
        """The part of this number, or with this line."""
        self._check_text()
        count = self._count()
        index = min(count, part) - 1 if line is None else self._with_line(line, count)
        start, end = self._start(index), self._start(index + 1)
        data = self._bytes(start, end)
        decoded = decode(data)
        # Stray bytes in the midst of a large text are no reason to keep the rest from people.
        text = data.decode("utf-8", "replace") if decoded is None else decoded[0]
        return TextPart(
            path=self._path,
            text=text.replace("\r\n", "\n"),
            part=index + 1,
            parts=count,
            first_line=1 + sum(chunk.count(b"\n") for chunk in self._chunks(start)),
            size=self._size,
            hash=content_hash(data),
        )

    def _check_text(self) -> None:
        """Whether the file is a text is seen at its beginning."""
        head = self._bytes(0, self._start(1))
        if head.startswith((MARKS["utf-16-le"], MARKS["utf-16-be"])):
            raise TooLarge(self._path, f"{MAX_TEXT_BYTES // 1_000_000} MB for UTF-16")
        if decode(head) is None:
            raise BinaryFile(self._path)

    def _count(self) -> int:
        count = max(1, -(-self._size // PART_BYTES))
        # The last line may reach over the last boundary: then nothing is left behind it.
        return count - 1 if count > 1 and self._start(count - 1) == self._size else count

    def _start(self, index: int) -> int:
        """Where a part begins, counted from 0: with the first line that begins in its megabyte."""
        at = index * PART_BYTES
        if at == 0 or at >= self._size:
            return min(at, self._size)
        data = os.pread(self._fd, LONGEST_LINE, at - 1)
        newline = data.find(b"\n")
        if newline >= 0:
            return at + newline
        # A letter of UTF-8 has up to three bytes that none begins with.
        rest = data[1:4]
        return at + next((step for step, byte in enumerate(rest) if byte & 0xC0 != 0x80), len(rest))

    def _with_line(self, line: int, count: int) -> int:
        """The index of the part with a line, counted from 1."""
        left, offset = line - 1, 0
        for chunk in self._chunks(self._size):
            newlines = chunk.count(b"\n")
            if newlines >= left:
                offset += place_after(chunk, left)
                break
            left -= newlines
            offset += len(chunk)
        index = min(offset // PART_BYTES, count - 1)
        return index - 1 if self._start(index) > offset else index

    def _bytes(self, start: int, end: int) -> bytes:
        return b"".join(self._chunks(end, start))

    def _chunks(self, end: int, start: int = 0) -> Iterator[bytes]:
        """What is between two places, or up to the end of a file that has become shorter."""
        while chunk := os.pread(self._fd, min(CHUNK, end - start), start):
            yield chunk
            start += len(chunk)


def place_after(data: bytes, newlines: int) -> int:
    """The place right after some newlines, of which there are enough."""
    at = 0
    for _ in range(newlines):
        at = data.index(b"\n", at) + 1
    return at
