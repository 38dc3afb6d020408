"""Names for chats: what a model answered when asked for one, or the first words that were said."""

from recto.context import read_title
from recto.messages import encodable

MAX_TITLE = 60
NAMELESS = "New chat"


def title_of(answer: str) -> str:
    """A model's answer as a title that can be stored; empty when it gave none."""
    return read_title(printable(answer))


def first_words(request: str) -> str:
    """A title from what was asked, for when no model gave one. Never empty."""
    words = " ".join(printable(request).split())
    if len(words) <= MAX_TITLE:
        return words or NAMELESS
    start = words[: MAX_TITLE - 1]
    whole, _, _ = start.rpartition(" ")
    return (whole.rstrip(" ,;:.") or start) + "…"


def printable(text: str) -> str:
    """The text without characters that nobody sees and no store keeps."""
    return "".join(c if c.isprintable() or c == "\n" else " " for c in encodable(text))
