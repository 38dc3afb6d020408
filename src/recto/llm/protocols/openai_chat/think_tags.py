"""Thoughts that a server leaves between <think> tags at the very beginning of the words."""

import re

OPEN = "<think>"
CLOSE = "</think>"
NO_SPACE = re.compile(r"\S")


class ThinkTags:
    """Parts words from thoughts while they stream. Tags after the first words are just words."""

    def __init__(self) -> None:
        self._held = ""
        """What may be the beginning of a tag."""
        self._blank: list[str] = []
        """The spaces before the first words."""
        self._is_thinking = False
        self._has_thought = False
        self.is_over = False
        """Everything from now on is words."""

    def feed(self, text: str) -> list[tuple[bool, str]]:
        """What is certain by now: whether it is a thought, and the text."""
        text, self._held = self._held + text, ""
        found: list[tuple[bool, str]] = []
        at = 0
        while at < len(text):
            at = (
                self._thoughts(text, at, found)
                if self._is_thinking
                else self._words(text, at, found)
            )
        return found

    def end(self) -> list[tuple[bool, str]]:
        """What was still held when the answer ended."""
        held = self._held if self._is_thinking else self._with_blank(self._held)
        self._held = ""
        return [(self._is_thinking, held)] if held else []

    def _words(self, text: str, at: int, found: list[tuple[bool, str]]) -> int:
        """How far the text is read, of which no tag was open at `at`."""
        first = NO_SPACE.search(text, at)
        start = first.start() if first else len(text)
        self._blank.append(text[at:start])
        if text.startswith(OPEN, start):
            self._is_thinking = self._has_thought = True
            return start + len(OPEN)
        if OPEN.startswith(text[start : start + len(OPEN)]):
            self._held = text[start:]
            return len(text)
        self.is_over = True
        found.append((False, self._with_blank(text[start:])))
        return len(text)

    def _with_blank(self, words: str) -> str:
        """The empty lines between the thoughts and the words belong to neither."""
        return words if self._has_thought else "".join(self._blank) + words

    def _thoughts(self, text: str, at: int, found: list[tuple[bool, str]]) -> int:
        """How far the text is read, of which a tag was open at `at`."""
        end = text.find(CLOSE, at)
        if end >= 0:
            self._is_thinking = False
            next_at = end + len(CLOSE)
        else:
            next_at = len(text)
            end = next_at - overlap(text[max(at, next_at - len(CLOSE)) :])
            self._held = text[end:]
        if end > at:
            found.append((True, text[at:end]))
        return next_at


def overlap(text: str) -> int:
    """How much of the end of the text may be the beginning of the closing tag."""
    return next((size for size in range(len(CLOSE) - 1, 0, -1) if text.endswith(CLOSE[:size])), 0)
