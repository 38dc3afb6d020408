"""What a server wrote to its error output, and what happened to it: the newest lines."""

from collections import deque

MOST_LINES = 500
MAX_LINE = 2000
MAX_PARTIAL = 16_000


class ServerLog:
    """The newest lines; older ones are forgotten."""

    def __init__(self) -> None:
        self._lines: deque[str] = deque(maxlen=MOST_LINES)
        self._partial = b""

    @property
    def lines(self) -> tuple[str, ...]:
        """The lines, the oldest first."""
        return tuple(self._lines)

    def hear(self, chunk: bytes) -> None:
        """Take some error output."""
        *ended, rest = (self._partial + chunk).split(b"\n")
        # Whatever does not fit would be thrown away a moment later.
        for line in ended[-MOST_LINES:]:
            self._lines.append(line[:MAX_LINE].decode("utf-8", "replace").rstrip("\r"))
        self._partial = rest[-MAX_PARTIAL:]

    def note(self, words: str) -> None:
        """Take a line of our own."""
        if self._partial:
            self._lines.append(self._partial[:MAX_LINE].decode("utf-8", "replace"))
            self._partial = b""
        self._lines.append(f"[Recto] {words}")
