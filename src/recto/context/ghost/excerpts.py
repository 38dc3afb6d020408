"""How much of a text around the cursor is sent, and where it begins and ends.

A beginning stays where it is while somebody types on, so that whoever read it need not read it
again: it is a line's, else a sentence's, else a word's, the first within some room.
"""

import re

MOST_BEFORE = 5_000
LEAST_BEFORE = 4_000
MOST_AFTER = 1_000
# A model on this machine reads about a hundred tokens a second, and nobody waits for longer.
MOST_ANEW = 220
LEAST_ANEW = 120
MOST_CONTINUED = 1_000
HEAD = 60
"""So many characters tell that a beginning is the same."""
BORDERS = (
    re.compile(r"\n[^\S\n]*(?=\S)"),
    re.compile(r"[.!?…。！？]\s+(?=\S)"),
    re.compile(r"\s+(?=\S)"),
)
SPACE = re.compile(r"\s")
LINE_END = "\n"


def end_of(text: str, *, most: int = MOST_BEFORE, least: int = LEAST_BEFORE) -> str:
    """The end of a text, from a border on: at most so long, and at least."""
    if len(text) <= most:
        return text
    first, last = len(text) - most, len(text) - least
    for border in BORDERS:
        found = border.search(text, first, last)
        if found is not None:
            # What indents a line belongs to it.
            is_line = text[found.start()] == LINE_END
            return text[found.start() + 1 :] if is_line else text[found.end() :]
    return text[first:]


def start_of(text: str, *, most: int = MOST_AFTER) -> str:
    """The start of a text, up to the last whole word of so many characters."""
    if len(text) <= most:
        return text
    ends = [found.start() for found in SPACE.finditer(text, 0, most + 1)]
    return text[: ends[-1]] if ends and ends[-1] else text[:most]


def text_to_continue(before: str, last: str) -> str:
    """What a model on this machine is to read: from where the `last` such text began, if it can be.

    Blanks at the end are left out, unless they are all that a line has: words begin with theirs.
    """
    begun = before.rfind(last[:HEAD]) if len(last) >= HEAD else -1
    is_near = begun >= 0 and len(before) - begun <= MOST_CONTINUED
    text = before[begun:] if is_near else end_of(before, most=MOST_ANEW, least=LEAST_ANEW)
    bare = text.rstrip(" \t\u00a0")
    return text if not bare or bare.endswith(LINE_END) else bare
