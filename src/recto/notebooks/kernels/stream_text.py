"""What a program printed, as a terminal would show it: a line written over has one state."""

import re
from io import StringIO

PIECE = re.compile(r"[^\r\b]+|[\r\b]")


class StreamText:
    """Printed text, piece by piece. Beyond the limit it is only counted."""

    def __init__(self, limit: int) -> None:
        self._text = StringIO()
        self._limit = limit
        self._line = 0
        """Where the last line begins."""
        self.dropped = 0
        """How many characters found no room."""

    def __len__(self) -> int:
        at = self._text.tell()
        size = self._text.seek(0, 2)
        self._text.seek(at)
        return size

    @property
    def value(self) -> str:
        """The text."""
        return self._text.getvalue()

    @property
    def printed_again(self) -> str:
        """What a program would print to have this text, and to go on where this one does."""
        at = self._text.tell()
        text = self._text.getvalue()
        return text if at == len(text) else f"{text}\r{text[self._line : at]}"

    @property
    def settled(self) -> int:
        """Up to where nothing can change any more: what is printed is written behind it."""
        return self._line

    def since(self, start: int) -> str:
        """The text from a place on."""
        return self.between(start, -1)

    def between(self, start: int, length: int) -> str:
        """So many characters of the text from a place on; -1: all."""
        at = self._text.tell()
        self._text.seek(start)
        found = self._text.read(length)
        self._text.seek(at)
        return found

    def add(self, piece: str) -> None:
        """Print something."""
        for found in PIECE.finditer(piece):
            match found[0]:
                case "\r":
                    self._text.seek(self._line)
                case "\b":
                    self._text.seek(max(self._line, self._text.tell() - 1))
                case words:
                    self._print(words)

    def _print(self, words: str) -> None:
        """Print words, of many lines perhaps, that move the cursor by nothing but line ends."""
        at = words.find("\n")
        if at < 0:
            self._write(words)
            return
        self._write(words[:at])
        # A line end ends the line wherever the cursor is: what stands behind it stays.
        begun = self._text.seek(0, 2)
        self._write(words[at:])
        size = self._text.tell() - begun
        last = words.rfind("\n") + 1 - at
        self._line = begun + min(last, size)

    def _write(self, words: str) -> None:
        room = max(0, self._limit - self._text.tell())
        self._text.write(words[:room])
        self.dropped += max(0, len(words) - room)
