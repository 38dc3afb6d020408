"""What a command prints: decoded as it comes, told to those who watch, head and tail kept."""

import codecs
from collections import deque
from collections.abc import AsyncIterator

from recto.tools.tool import Tell

SHOWN_CHARS = 30_000
TOLD_CHARS = 1_000_000
KEPT_CHARS = 64_000_000
TOLD_ENOUGH = "\n[More output follows; it is not shown while it comes.]\n"


class CommandOutput:
    """Collects output of any length in bounded memory."""

    def __init__(self, tell: Tell, *, max_chars: int = KEPT_CHARS) -> None:
        self._tell = tell
        self._told = 0
        self._half = max_chars // 2
        self._head: list[str] = []
        self._head_chars = 0
        self._tail: deque[str] = deque()
        self._tail_chars = 0
        self._dropped = 0

    async def take(self, chunks: AsyncIterator[bytes]) -> None:
        """Read to the end. A character that is cut in two by a piece's end is put together."""
        # Programs print any bytes: what is no text becomes a replacement sign, never a failure.
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        async for chunk in chunks:
            await self._add(decoder.decode(chunk))
        await self._add(decoder.decode(b"", final=True))

    async def _add(self, text: str) -> None:
        if not text:
            return
        self._keep(text)
        if self._told < TOLD_CHARS:
            self._told += len(text)
            await self._tell(text if self._told < TOLD_CHARS else text + TOLD_ENOUGH)

    def _keep(self, text: str) -> None:
        room = self._half - self._head_chars
        if room > 0:
            self._head.append(text[:room])
            self._head_chars += len(self._head[-1])
            text = text[room:]
        if text:
            self._tail.append(text)
            self._tail_chars += len(text)
        while self._tail and self._tail_chars - len(self._tail[0]) >= self._half:
            gone = len(self._tail.popleft())
            self._tail_chars -= gone
            self._dropped += gone

    def full(self) -> str:
        """Everything, or as much as is kept."""
        head, tail = "".join(self._head), "".join(self._tail)
        extra = max(0, len(tail) - self._half)
        return join(head, self._dropped + extra, tail[extra:])


def shorten(text: str, max_chars: int = SHOWN_CHARS) -> str:
    """The text, or its head and tail with what is left out said between them."""
    if len(text) <= max_chars:
        return text
    half = max_chars // 2
    return join(text[:half], len(text) - 2 * half, text[-half:])


def join(head: str, left_out: int, tail: str) -> str:
    """Head and tail, and between them how much is missing."""
    if not left_out:
        return head + tail
    return f"{head}\n[… {left_out:,} characters left out …]\n{tail}"
