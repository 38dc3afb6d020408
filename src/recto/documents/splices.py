"""Small changes instead of whole texts: what differs between two, by lines, words, characters.

Whoever replaces a whole text loses every cursor, thread and undo in it.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import accumulate

from recto.documents.words import has_word, tokens

MAX_LINE_PAIRS = 1_000_000  # beyond that, comparing line by line takes seconds
MAX_WORD_PAIRS = 300_000  # beyond that, comparing word by word does


@dataclass(frozen=True, slots=True)
class Splice:
    """New text in the place of the characters from `start` up to `end`."""

    start: int
    end: int
    new: str


def difference(old: str, new: str) -> tuple[Splice, ...]:
    """What turns one text into the other, from front to back, none touching the next."""
    return tuple(part for one in line_difference(old, new) for part in by_words(old, one))


def line_difference(old: str, new: str) -> tuple[Splice, ...]:
    """The same, with each changed group of lines as one change."""
    whole = trimmed(old, new, Splice(0, len(old), new))
    if whole is None:
        return ()
    start = old.rfind("\n", 0, whole.start) + 1
    end = old.find("\n", whole.end)
    end = len(old) if end < 0 else end + 1
    olds = old[start:end].splitlines(keepends=True)
    news = new[start : end + len(new) - len(old)].splitlines(keepends=True)
    if len(olds) < 2 or len(news) < 2 or len(olds) * len(news) > MAX_LINE_PAIRS:
        return (whole,)
    return tuple(by_lines(old, start, olds, news))


def by_lines(old: str, start: int, olds: list[str], news: list[str]) -> Iterable[Splice]:
    """The changed groups of lines, each cut down to the characters that differ."""
    at, line = start, 0
    for tag, old_from, old_to, new_from, new_to in SequenceMatcher(
        None, olds, news, autojunk=False
    ).get_opcodes():
        at += sum(map(len, olds[line:old_from]))
        line = old_from
        if tag == "equal":
            continue
        end = at + sum(map(len, olds[old_from:old_to]))
        fresh = "".join(news[new_from:new_to])
        splice = trimmed(old[at:end], fresh, Splice(at, end, fresh))
        if splice is not None:
            yield splice


def by_words(old: str, splice: Splice) -> Iterable[Splice]:
    """A change in parts, without the words between them that both texts have."""
    passage = old[splice.start : splice.end]
    olds, news = tokens(passage), tokens(splice.new)
    if not 0 < pairs(olds, news) <= MAX_WORD_PAIRS:
        yield splice
        return
    places, new_places = [0, *accumulate(map(len, olds))], [0, *accumulate(map(len, news))]
    at = new_at = 0
    for same in SequenceMatcher(None, olds, news, autojunk=False).get_matching_blocks():
        if same.size and not has_word("".join(olds[same.a : same.a + same.size])):
            continue  # a space or a comma in common is by chance
        start, end = places[at], places[same.a]
        new = splice.new[new_places[new_at] : new_places[same.b]]
        at, new_at = same.a + same.size, same.b + same.size
        here = Splice(splice.start + start, splice.start + end, new)
        part = trimmed(passage[start:end], new, here)
        if part is not None:
            yield part


def pairs(olds: list[str], news: list[str]) -> int:
    """How many words of one text could be words of the other: how long it takes to compare."""
    counts, new_counts = Counter(olds), Counter(news)
    common = counts.keys() & new_counts.keys()
    return sum(counts[one] * new_counts[one] for one in common)


def trimmed(old: str, new: str, splice: Splice) -> Splice | None:
    """A splice without what is the same at both its ends; None when nothing is left."""
    if old == new:
        return None
    front = common_prefix(old, new)
    back = common_prefix(old[front:][::-1], new[front:][::-1])
    return Splice(splice.start + front, splice.end - back, new[front : len(new) - back])


def common_prefix(one: str, other: str) -> int:
    """How many characters two texts begin with alike."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def spliced(text: str, splices: Iterable[Splice]) -> str:
    """The text after changes that are in order and all meant for the text as it was."""
    pieces: list[str] = []
    at = 0
    for splice in splices:
        pieces += (text[at : splice.start], splice.new)
        at = splice.end
    return "".join((*pieces, text[at:]))
