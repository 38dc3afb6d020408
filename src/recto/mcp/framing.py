"""Lines of a server's output, bounded before anything is parsed."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

MAX_MESSAGE = 8_000_000
EDGE = 512
"""How much of each end of a line that is too long is kept."""
ID = re.compile(rb'"id"\s*:\s*(\d{1,18}|"[^"\\]{1,100}")')


@dataclass(frozen=True, slots=True)
class LongLine:
    """A line that is longer than any message may be; only its ends are kept."""

    head: bytes
    tail: bytes
    size: int


class LineSplitter:
    """Cuts what comes into lines. It never holds more than one message may have."""

    def __init__(self, max_line: int = MAX_MESSAGE) -> None:
        self._max = max_line
        self._kept = bytearray()
        self._skipped = 0
        self._tail = b""

    def feed(self, chunk: bytes) -> Iterator[bytes | LongLine]:
        """The lines that are whole now."""
        *ended, rest = chunk.split(b"\n")
        for piece in ended:
            self._add(piece)
            yield self._take()
        self._add(rest)

    def _add(self, piece: bytes) -> None:
        room = self._max - len(self._kept)
        self._kept += piece[: max(0, room)]
        if len(piece) > room or self._skipped:
            over = piece[max(0, room) :]
            self._skipped += len(over)
            self._tail = (self._tail + over)[-EDGE:]

    def _take(self) -> bytes | LongLine:
        line = bytes(self._kept)
        skipped, tail = self._skipped, self._tail
        self._kept, self._skipped, self._tail = bytearray(), 0, b""
        return LongLine(line[:EDGE], tail, len(line) + skipped) if skipped else line


def find_id(ends: bytes, waiting: set[int | str]) -> int | str | None:
    """The request that a broken answer is for, if it can be told; only one that waits counts."""
    for found in ID.finditer(ends):
        written = found[1]
        name = written.strip(b'"').decode("utf-8", "replace")
        request_id: int | str = name if written.startswith(b'"') else int(written)
        if request_id in waiting:
            return request_id
    return None
