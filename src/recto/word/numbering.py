"""Numbers of paragraphs (¶12) that stay with them: the same paragraph, found again by its words.

Word gives every paragraph of a foreign file another id when it first saves it, so that ids in the
file say nothing. Paragraphs keep their number if their words are the same, or are most like what
they were, at the same place between those that are the same. A number is never given twice.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from recto.alike import same_end, same_start

LIKE_ENOUGH = 0.5
MOST_COMPARED = 40
"""Changed paragraphs in a row on each side that are compared letter by letter."""


@dataclass(frozen=True, slots=True)
class NumberedTexts:
    """The paragraphs as they were last seen, and the next number to give."""

    numbers: tuple[int, ...] = ()
    texts: tuple[str, ...] = ()
    next: int = 1


def renumbered(known: NumberedTexts, texts: Sequence[str]) -> NumberedTexts:
    """The numbers of paragraphs that read so now."""
    # Most often all but a few are the same: only what lies between those is compared.
    texts = tuple(texts)
    start = same_start(known.texts, texts)
    behind = same_end(known.texts, texts, min(len(known.texts), len(texts)) - start)
    numbers: list[int | None] = [None] * len(texts)
    numbers[:start] = known.numbers[:start]
    numbers[len(texts) - behind :] = known.numbers[len(known.numbers) - behind :]
    old, new = known.texts[start : len(known.texts) - behind], texts[start : len(texts) - behind]
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    for tag, *places in matcher.get_opcodes():
        first, last, new_first, new_last = (start + place for place in places)
        if tag == "equal":
            numbers[new_first:new_last] = known.numbers[first:last]
        elif tag == "replace":
            was = list(zip(known.numbers[first:last], known.texts[first:last], strict=True))
            for at, number in most_alike(was, texts[new_first:new_last]):
                numbers[new_first + at] = number
    following = known.next
    found: list[int] = []
    for number in numbers:
        found.append(following if number is None else number)
        following += number is None
    return NumberedTexts(tuple(found), texts, following)


def most_alike(was: Sequence[tuple[int, str]], now: Sequence[str]) -> list[tuple[int, int]]:
    """Places of the new texts with the numbers of the old ones they are most like, in order."""
    if len(was) == len(now) == 1:
        return [(0, was[0][0])]
    if len(was) > MOST_COMPARED or len(now) > MOST_COMPARED:
        return []
    scores = [[likeness(old, new) for _, old in was] for new in now]
    # The best chain of pairs in order, as in a longest common subsequence with weights.
    best = [[0.0] * (len(was) + 1) for _ in range(len(now) + 1)]
    for at in reversed(range(len(now))):
        for to in reversed(range(len(was))):
            pair = scores[at][to] + best[at + 1][to + 1] if scores[at][to] >= LIKE_ENOUGH else 0.0
            best[at][to] = max(pair, best[at + 1][to], best[at][to + 1])
    found: list[tuple[int, int]] = []
    at = to = 0
    while at < len(now) and to < len(was) and best[at][to] > 0:
        if best[at][to] == best[at + 1][to]:
            at += 1
        elif best[at][to] == best[at][to + 1]:
            to += 1
        else:
            found.append((at, was[to][0]))
            at, to = at + 1, to + 1
    return found


def likeness(old: str, new: str) -> float:
    """How alike two texts are, from 0 to 1; cheap where they plainly are not."""
    matcher = SequenceMatcher(None, old[:2000], new[:2000], autojunk=False)
    if matcher.real_quick_ratio() < LIKE_ENOUGH or matcher.quick_ratio() < LIKE_ENOUGH:
        return 0.0
    return matcher.ratio()
