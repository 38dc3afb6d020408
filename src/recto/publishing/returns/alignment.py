"""Which paragraph of a document that came back is which of the one that was sent."""

from collections import Counter
from collections.abc import Sequence
from difflib import SequenceMatcher

from recto.publishing.returns.words import words_of
from recto.word import ContentParagraph

LIKE_ENOUGH = 0.4
MOST_PAIRS = 160_000


def paired(
    sent: Sequence[ContentParagraph], back: Sequence[ContentParagraph]
) -> list[tuple[int, int]]:
    """Pairs in order: those that are the same, and between these those that are most alike."""
    found: list[tuple[int, int]] = []
    ours, theirs = [key_of(item) for item in sent], [key_of(item) for item in back]
    matcher = SequenceMatcher(None, ours, theirs, autojunk=False)
    for tag, first, last, new_first, new_last in matcher.get_opcodes():
        if tag == "equal":
            found += zip(range(first, last), range(new_first, new_last), strict=True)
        elif tag == "replace":
            pairs = most_alike(sent[first:last], back[new_first:new_last])
            found += [(first + one, new_first + other) for one, other in pairs]
    return found


def key_of(item: ContentParagraph) -> tuple[str, str, tuple[str, ...]]:
    """What makes two paragraphs the same."""
    return item.where, item.text, item.objects


def most_alike(
    sent: Sequence[ContentParagraph], back: Sequence[ContentParagraph]
) -> list[tuple[int, int]]:
    """The pairs in order that have the most words in common."""
    if len(sent) * len(back) > MOST_PAIRS:
        return [(at, at) for at in range(min(len(sent), len(back))) if alike(sent[at], back[at])]
    scores = [[likeness(one, other) for other in back] for one in sent]
    # As in a longest common subsequence, each pair with a weight.
    best = [[0.0] * (len(back) + 1) for _ in range(len(sent) + 1)]
    for at in reversed(range(len(sent))):
        for to in reversed(range(len(back))):
            pair = scores[at][to] + best[at + 1][to + 1] if scores[at][to] else 0.0
            best[at][to] = max(pair, best[at + 1][to], best[at][to + 1])
    found: list[tuple[int, int]] = []
    at = to = 0
    while at < len(sent) and to < len(back) and best[at][to] > 0:
        if best[at][to] == best[at + 1][to]:
            at += 1
        elif best[at][to] == best[at][to + 1]:
            to += 1
        else:
            found.append((at, to))
            at, to = at + 1, to + 1
    return found


def alike(one: ContentParagraph, other: ContentParagraph) -> bool:
    """Whether one can have become the other."""
    return likeness(one, other) > 0


def likeness(one: ContentParagraph, other: ContentParagraph) -> float:
    """How much two paragraphs have in common, up to a little over 1; 0 for too little."""
    if one.where != other.where:
        return 0.0
    ours, theirs = Counter(words_of(one)), Counter(words_of(other))
    most = min(ours.total(), theirs.total())
    if most == 0:
        return 1.0 if one.where == "cell" or ours.total() == theirs.total() else 0.0
    common = (ours & theirs).total()
    share = (common / most + 2 * common / (ours.total() + theirs.total())) / 2
    same_place = one.style == other.style
    # A cell that was written anew is still that cell.
    floor = 0.05 if one.where == "cell" else 0.0
    return max(share + 0.05 * same_place if share >= LIKE_ENOUGH else 0.0, floor)
