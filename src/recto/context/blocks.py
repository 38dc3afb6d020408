"""Texts put into a prompt by us, each in marks that nothing inside it can close.

The mark is made of the text itself: the same text has the same mark each time, and no text can hold
its own.
"""

import hashlib
from itertools import count
from json import dumps

from recto.messages import encodable


def marked(kind: str, text: str, *, name: str = "", note: str = "") -> str:
    """A text between an opening and a closing line that name its mark."""
    mark = mark_of(kind, name, text)
    label = f" {quoted(name)}" if name else ""
    said = f"({note})\n" if note else ""
    return f"<{kind}{label} mark={mark}>\n{said}{text}\n</{kind} mark={mark}>"


def mark_of(kind: str, name: str, text: str) -> str:
    """Twelve letters that are not in the text, the same for the same text."""
    for number in count():
        seed = f"{number}\0{kind}\0{name}\0{text}".encode("utf-8", "surrogatepass")
        mark = hashlib.sha256(seed).hexdigest()[:12]
        if mark not in text:
            return mark
    raise AssertionError("a text can't hold every mark")


def quoted(name: str) -> str:
    """A name on one line, in quotes that it can't leave."""
    return dumps(encodable(name), ensure_ascii=False).replace("\u2028", " ").replace("\u2029", " ")


def digest(text: str) -> str:
    """The SHA-256 of a text."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
