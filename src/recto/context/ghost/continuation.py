"""What a small model's continuation of a text is worth: it has no instructions, so we hold it.

It invents numbers as readily as words. In prose, those that the text does not give become marks
that a person fills in.
"""

import re

from recto.context.ghost.fit import whole_words
from recto.context.ghost.requests import CursorPlace

NUMBER = re.compile(r"(?<![\w\[.,-])\d+(?:[.,:/]\d+)*(?![\w\]])")
YEAR = re.compile(r"1[5-9]\d\d|20\d\d")


def continued(said: str, around: CursorPlace, read: str, *, is_cut: bool) -> str:
    """What a model said that had `read` the text up to the cursor; empty when it is no use.

    An answer that broke off ends with a whole word. Where the blank before the cursor was not read,
    only a new word fits.
    """
    text = whole_words(said) if is_cut else said
    if not around.before.endswith(read) and text[:1].strip():
        return ""
    if around.language:
        return text
    if not any(letter.isalpha() for letter in text):
        return ""
    return with_marks(text, around.before + around.after)


def with_marks(text: str, known: str) -> str:
    """The text with a mark for each number that is not known already."""
    given = set(NUMBER.findall(known))
    return NUMBER.sub(lambda found: found.group() if found.group() in given else mark(found), text)


def mark(found: re.Match[str]) -> str:
    """What stands where a number is needed."""
    return "[year]" if YEAR.fullmatch(found.group()) else "[value]"
