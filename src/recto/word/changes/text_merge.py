"""Two changes of one text merged, if they touch different words of it."""

import re
from difflib import SequenceMatcher

WORDS = re.compile(r"\w+|\s+|.", re.DOTALL)
MOST_WORDS = 20_000


def merge_texts(base: str, mine: str, theirs: str) -> str | None:
    """The text with both changes; None where both changed the same words."""
    if mine == theirs or theirs == base:
        return mine
    if mine == base:
        return theirs
    words = WORDS.findall(base)
    if len(words) > MOST_WORDS:
        return None
    changes = sorted({*changed(words, WORDS.findall(mine)), *changed(words, WORDS.findall(theirs))})
    out: list[str] = []
    at = 0
    for number, (first, last, new) in enumerate(changes):
        following = changes[number + 1] if number + 1 < len(changes) else None
        if following is not None and following[0] < max(last, first + 1):
            return None
        out += [*words[at:first], new]
        at = last
    return "".join([*out, *words[at:]])


def changed(was: list[str], now: list[str]) -> list[tuple[int, int, str]]:
    """The words that differ, and what stands in their place."""
    codes = SequenceMatcher(None, was, now, autojunk=False).get_opcodes()
    return [
        (first, last, "".join(now[new_first:new_last]))
        for tag, first, last, new_first, new_last in codes
        if tag != "equal"
    ]


def moved_place(was: str, now: str, at: int) -> int:
    """Where a place of a text is in another form of it."""
    if was == now:
        return at
    for tag, first, last, new_first, new_last in SequenceMatcher(
        None, was, now, autojunk=False
    ).get_opcodes():
        if first <= at < last or (at == last == len(was)):
            return new_first + at - first if tag == "equal" else new_last
    return len(now)
