"""Finds a passage again by its words, when its characters are gone or belong to another text.

Somewhere else the same words may stand by chance. So a passage counts as found only with enough of
what stood around it, the fewer words it has the more, and only in one place.
"""

from os.path import commonprefix

ENOUGH = 24
"""So many characters in a row, the passage included, are no chance."""
MAX_PLACES = 1000
CONTEXT = 200
"""More than that around it is not compared."""


def find_again(text: str, passage: str, before: str, after: str) -> tuple[int, int] | None:
    """Where the passage stands in the text, from and up to; None unless that is clear."""
    before, after = before[-CONTEXT:], after[:CONTEXT]
    places = places_of(text, passage)
    if not places or len(places) > MAX_PLACES:
        return None
    scores = [around(text, at, at + len(passage), before, after) for at in places]
    best = max(scores)
    needed = min(ENOUGH, len(passage) + len(before) + len(after))
    if scores.count(best) > 1 or len(passage) + best < needed:
        return None
    start = places[scores.index(best)]
    return start, start + len(passage)


def places_of(text: str, passage: str) -> list[int]:
    """Where the words stand, also overlapping; a few more than are of use at the most."""
    found: list[int] = []
    at = text.find(passage) if passage else -1
    while at >= 0 and len(found) <= MAX_PLACES:
        found.append(at)
        at = text.find(passage, at + 1)
    return found


def around(text: str, start: int, end: int, before: str, after: str) -> int:
    """How many characters right before and after a place are as they were."""
    here_before = text[max(0, start - len(before)) : start]
    here_after = text[end : end + len(after)]
    same_before = commonprefix([before[::-1], here_before[::-1]])
    return len(same_before) + len(commonprefix([after, here_after]))
