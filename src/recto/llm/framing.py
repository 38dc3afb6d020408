"""Server-sent events from bytes, whatever the pieces they arrive in.

Lines end with LF, CRLF or CR and nothing else: U+2028 and its like are text. Bytes are decoded by
whoever reads the data, so that a character cut in half never shows.
"""

import json
from typing import NamedTuple

MAX_EVENT_BYTES = 32 * 1024 * 1024
LINE_BYTES = 64
"""What a line costs besides its text: millions of empty ones are no small event."""
BOM = b"\xef\xbb\xbf"
CR = 13


class Frame(NamedTuple):
    """One event: its name, empty if it has none, and its data.

    A tuple, because one is made for every event and nothing frozen is made faster.
    """

    event: str
    data: bytes


class FrameTooLarge(Exception):
    """An event grew past what we keep in memory."""


class SseDecoder:
    """Cuts a byte stream into frames; `feed` as bytes come, `end` once at the end."""

    def __init__(self) -> None:
        self._rest = bytearray()
        self._event = ""
        self._data: list[bytes] = []
        self._data_size = 0
        self._bare = bytearray()
        self._after_cr = False
        self._at_start = True
        self._is_between = False
        """Nothing of an event has come since the last one."""

    def feed(self, chunk: bytes) -> list[Frame]:
        """The frames that these bytes complete."""
        if self._is_between and is_one_line(chunk):
            return [Frame("", chunk[6:-2])]
        if self._is_between and (found := plain_lines(chunk)):
            return found
        frames: list[Frame] = []
        if self._is_between:
            if CR in chunk and not chunk.endswith(b"\r"):
                chunk = chunk.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
            done = 0 if CR in chunk else take_common(chunk, frames)
            if done == len(chunk):
                return frames
            chunk = chunk[done:]
        frames += self._feed_slowly(chunk)
        self._is_between = not (
            self._rest or self._data or self._event or self._after_cr or self._at_start
        )
        return frames

    def _feed_slowly(self, chunk: bytes) -> list[Frame]:
        if self._data_size + len(self._rest) + len(self._bare) > MAX_EVENT_BYTES:
            # Looked at before more is taken, so that frames already complete are never lost.
            raise FrameTooLarge
        if self._at_start or self._after_cr:
            chunk = self._continued(chunk)
        if CR in chunk:
            self._after_cr = chunk.endswith(b"\r")
            chunk = chunk.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        lines = chunk.split(b"\n")
        rest = lines.pop()
        if lines and self._rest:
            self._rest += lines[0]
            lines[0] = bytes(self._rest)
            self._rest.clear()
        self._rest += rest
        return self._take(lines)

    def end(self) -> list[Frame]:
        """What was pending when the stream ended, if it is whole; a torn event is dropped."""
        frames = self._take([bytes(self._rest), b""])
        self._rest.clear()
        frames += [Frame("", bytes(self._bare))] if self._bare else []
        return [frame for frame in frames if is_whole(frame.data)]

    def _continued(self, chunk: bytes) -> bytes:
        """The chunk without what belongs to the stream's BOM or to the line end before it."""
        if self._after_cr and chunk:
            self._after_cr = False
            return chunk.removeprefix(b"\n")
        if not self._at_start:
            return chunk
        seen = bytes(self._rest) + chunk
        self._rest.clear()
        if seen != BOM and BOM.startswith(seen):
            self._rest += seen
            return b""
        self._at_start = False
        return seen.removeprefix(BOM)

    def _take(self, lines: list[bytes]) -> list[Frame]:
        frames: list[Frame] = []
        for line in lines:
            if line.startswith(b"data: "):
                self._keep(line[6:])
            elif line:
                self._take_field(line)
            elif self._data:
                frames.append(Frame(self._event, b"\n".join(self._data)))
                self._data.clear()
                self._data_size = 0
                self._event = ""
            else:
                self._event = ""
        return frames

    def _take_field(self, line: bytes) -> None:
        name, _, value = line.partition(b":")
        if name == b"event":
            self._event = value.removeprefix(b" ").decode("utf-8", "replace")
        elif name == b"data":
            self._keep(value.removeprefix(b" "))
        elif name and (self._bare or line.startswith(b"{")):
            # Gemini may break off a stream with an error written as bare JSON over several lines.
            self._bare += line + b"\n"

    def _keep(self, value: bytes) -> None:
        self._data.append(value)
        self._data_size += len(value) + LINE_BYTES


def is_one_line(chunk: bytes) -> bool:
    """Whether a piece is one whole event of one line, as nearly every word of an answer is."""
    if not chunk.startswith(b"data: ") or CR in chunk:
        return False
    return chunk.endswith(b"\n\n") and chunk.find(b"\n") == len(chunk) - 2


def plain_lines(chunk: bytes) -> list[Frame]:
    """The events of a piece that is whole events of one line and nothing else; else none."""
    if not chunk.startswith(b"data: ") or CR in chunk or not chunk.endswith(b"\n\n"):
        return []
    lines = chunk[6:-2].split(b"\n\ndata: ")
    # Two ends of lines for each event: there are no others.
    if chunk.count(b"\n") != 2 * len(lines):
        return []
    return [Frame("", line) for line in lines]


def take_common(chunk: bytes, frames: list[Frame]) -> int:
    """Take events as nearly all providers write them, one line or two; how far that went."""
    done, size = 0, len(chunk)
    while done < size:
        name, start = "", done
        if chunk.startswith(b"event: ", done):
            start = chunk.find(b"\n", done) + 1
            name = chunk[done + 7 : start - 1].decode("utf-8", "replace") if start else ""
        if not chunk.startswith(b"data: ", start) or start < done:
            break
        end = chunk.find(b"\n", start)
        if end < 0 or not chunk.startswith(b"\n", end + 1):
            break
        frames.append(Frame(name, chunk[start + 6 : end]))
        done = end + 2
    return done


def is_whole(data: bytes) -> bool:
    """Whether an event without its blank line was complete: whole JSON, or the mark of the end."""
    if data == b"[DONE]":
        return True
    try:
        json.loads(data)
    except (ValueError, RecursionError):
        return False
    return True
