"""Thoughts that a server leaves between <think> tags at the very beginning of the words."""

OPEN = "<think>"
CLOSE = "</think>"


class ThinkTags:
    """Parts words from thoughts while they stream. Tags after the first words are just words."""

    def __init__(self) -> None:
        self._held = ""
        self._is_thinking = False
        self._has_thought = False
        self.is_over = False
        """Everything from now on is words."""

    def feed(self, text: str) -> list[tuple[bool, str]]:
        """What is certain by now: whether it is a thought, and the text."""
        self._held += text
        found: list[tuple[bool, str]] = []
        while self._held:
            found += self._thoughts() if self._is_thinking else self._words()
            if self._is_thinking or self.is_over or OPEN.startswith(self._held.lstrip()):
                break
        return found

    def end(self) -> list[tuple[bool, str]]:
        """What was still held when the answer ended."""
        held = self._held.lstrip() if self._has_thought and not self._is_thinking else self._held
        self._held = ""
        return [(self._is_thinking, held)] if held else []

    def _words(self) -> list[tuple[bool, str]]:
        start = self._held.lstrip()
        if start.startswith(OPEN):
            self._is_thinking = self._has_thought = True
            self._held = start.removeprefix(OPEN)
            return self._thoughts()
        if OPEN.startswith(start):
            return []
        # The empty lines between the thoughts and the words belong to neither.
        words = start if self._has_thought else self._held
        self.is_over = True
        self._held = ""
        return [(False, words)]

    def _thoughts(self) -> list[tuple[bool, str]]:
        thought, tag, rest = self._held.partition(CLOSE)
        if tag:
            self._is_thinking = False
            self._held = rest
        else:
            end = len(thought) - overlap(thought)
            thought, self._held = thought[:end], thought[end:]
        return [(True, thought)] if thought else []


def overlap(text: str) -> int:
    """How much of the end of the text may be the beginning of the closing tag."""
    return next((size for size in range(len(CLOSE) - 1, 0, -1) if text.endswith(CLOSE[:size])), 0)
