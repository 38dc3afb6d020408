"""What people see in a terminal, and what they answer. Texts of others play no tricks with it."""

import signal
import sys
import unicodedata
from collections.abc import Generator
from contextlib import contextmanager

# What moves the cursor, turns words around or hides others from people: what is read would not be
# what is there.
OBEYED = frozenset({"Cc", "Cs", "Zl", "Zp"})
TURNING = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
TAGS = range(0xE0000, 0xE0080)


def tame(text: str) -> str:
    """Words that a terminal shows and does not obey."""
    return "".join(
        character if character in "\n\t" or not is_obeyed(character) else escaped(character)
        for character in text
    )


def is_obeyed(letter: str) -> bool:
    """Whether a character does something else than being there."""
    return letter in TURNING or ord(letter) in TAGS or unicodedata.category(letter) in OBEYED


def exact(text: str, *, plain: str = "") -> str:
    """A text in one line, to decide by: what can't be told apart by eye is written as escapes."""
    return "".join(
        character if character in plain or character.isprintable() else escaped(character)
        for character in text
    )


def escaped(letter: str) -> str:
    """A character as Python writes it."""
    return letter.encode("unicode_escape", "surrogatepass").decode("ascii")


def note(line: str = "") -> None:
    """A line for people, on the error output."""
    print(exact(line, plain="\t"), file=sys.stderr, flush=True)


def is_somebody_there() -> bool:
    """Whether a person can be asked."""
    return sys.stdin.isatty()


def choose(question: str, choices: dict[str, str], otherwise: str) -> str:
    """One of the choices, by its first letters; `otherwise` when the terminal is closed."""
    while True:
        print(question, end=" ", file=sys.stderr, flush=True)
        line = sys.stdin.readline()
        if not line:
            note()
            return otherwise
        typed = line.strip().lower()
        for name, meaning in choices.items():
            if typed and name.startswith(typed):
                return meaning


class InterruptGuard:
    """Ctrl+C as KeyboardInterrupt, but not in the middle of things that belong together."""

    def __init__(self) -> None:
        self._is_held = False
        self._came = False
        # A shell that runs us in the background has it ignored; so be it.
        if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            signal.signal(signal.SIGINT, self._on_signal)

    def _on_signal(self, *_: object) -> None:
        if not self._is_held:
            raise KeyboardInterrupt
        self._came = True

    @contextmanager
    def held(self) -> Generator[None]:
        """Have it wait for the end of the block."""
        self._is_held = True
        try:
            yield
        finally:
            self._is_held = False
        if self._came:
            self._came = False
            raise KeyboardInterrupt
