"""Small changes instead of whole texts: what differs between two, by lines, words, characters.

Whoever replaces a whole text loses every cursor, thread and undo in it.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import accumulate

from recto.documents.words import has_word, tokens

MAX_LINE_PAIRS = 1_000_000  # beyond that, comparing line by line takes seconds
STEP = 1 << 12  # so many characters are compared at once
MAX_WORD_PAIRS = 300_000  # beyond that, comparing word by word does


@dataclass(frozen=True, slots=True)
class Splice:
    """New text in the place of the characters from `start` up to `end`."""

    start: int
    end: int
    new: str


def difference(old: str, new: str) -> tuple[Splice, ...]:
    """What turns one text into the other, from front to back, none touching the next."""
    return tuple(part for item in line_difference(old, new) for part in by_words(old, item))


def line_difference(old: str, new: str) -> tuple[Splice, ...]:
    """The same, with each changed group of lines as one change."""
    whole = trimmed(old, new, Splice(0, len(old), new))
    if whole is None:
        return ()
    start = old.rfind("\n", 0, whole.start) + 1
    end = old.find("\n", whole.end)
    end = len(old) if end < 0 else end + 1
    # Only the middle that differs: what is the same at both ends is cut off already.
    olds = old[start:end].splitlines(keepends=True)
    news = new[start : end + len(new) - len(old)].splitlines(keepends=True)
    if len(olds) < 2 or len(news) < 2:
        return (whole,)
    return tuple(by_lines(old, start, olds, news))


def by_lines(old: str, start: int, olds: list[str], news: list[str]) -> Iterable[Splice]:
    """The changed groups of lines, each cut down to the characters that differ."""
    at, line = start, 0
    for old_from, old_to, new_from, new_to in changed_lines(olds, news):
        at += sum(map(len, olds[line:old_from]))
        line = old_from
        end = at + sum(map(len, olds[old_from:old_to]))
        fresh = "".join(news[new_from:new_to])
        splice = trimmed(old[at:end], fresh, Splice(at, end, fresh))
        if splice is not None:
            yield splice


Lines = tuple[int, int, int, int]
"""Some lines of the old text (from, to), and those of the new that are there instead."""


def changed_lines(olds: list[str], news: list[str]) -> Iterable[Lines]:
    """The groups of lines that differ. What is too long is first cut at lines that stand alone."""
    left = MAX_LINE_PAIRS
    at = new_at = 0
    is_long = len(olds) * len(news) > left
    cuts = lone_lines(olds, news) if is_long else []
    for cut, new_cut in [*cuts, (len(olds), len(news))]:
        passage, fresh = olds[at:cut], news[new_at:new_cut]
        size = len(passage) * len(fresh)
        if not size or size > left:
            found = [(0, len(passage), 0, len(fresh))] if passage != fresh else []
        else:
            # autojunk drops frequent lines, such as blank ones: worse differences.
            matcher = SequenceMatcher(None, passage, fresh, autojunk=False)
            found = [code[1:] for code in matcher.get_opcodes() if code[0] != "equal"]
            # One budget for the whole text: many medium passages take as long as a large one.
            left -= size if passage != fresh else 0
        for begin, end, new_begin, new_end in found:
            yield at + begin, at + end, new_at + new_begin, new_at + new_end
        at, new_at = cut + 1, new_cut + 1


def lone_lines(olds: list[str], news: list[str]) -> list[tuple[int, int]]:
    """Where both texts have a line that each has only once, as many as are in the same order."""
    counts, new_counts = Counter(olds), Counter(news)
    new_places = {line: at for at, line in enumerate(news) if new_counts[line] == 1}
    both = [
        (at, new_places[line])
        for at, line in enumerate(olds)
        if counts[line] == 1 and line in new_places
    ]
    ends: list[int] = []
    chosen: list[int] = []
    before: list[int] = []
    for index, (_, place) in enumerate(both):
        # Patience sorting: the longest run of lines that keep their order.
        length = bisect_left(ends, place)
        before.append(chosen[length - 1] if length else -1)
        ends[length : length + 1] = [place]
        chosen[length : length + 1] = [index]
    way: list[tuple[int, int]] = []
    index = chosen[-1] if chosen else -1
    while index >= 0:
        way.append(both[index])
        index = before[index]
    return way[::-1]


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
    return sum(counts[item] * new_counts[item] for item in common)


def trimmed(old: str, new: str, splice: Splice) -> Splice | None:
    """A splice without what is the same at both its ends; None when nothing is left."""
    if old == new:
        return None
    front = common_prefix(old, new)
    back = common_suffix(old, new, min(len(old), len(new)) - front)
    return Splice(splice.start + front, splice.end - back, new[front : len(new) - back])


def common_prefix(one: str, other: str) -> int:
    """How many characters two texts begin with alike."""
    most, same, step = min(len(one), len(other)), 0, STEP
    while step:
        # In steps that get smaller: compared in C, not one character at a time in Python.
        while same + step <= most and one.startswith(other[same : same + step], same):
            same += step
        step //= 2
    return same


def common_suffix(one: str, other: str, most: int) -> int:
    """How many characters two texts end with alike, counted up to `most`."""
    ends, other_ends = len(one), len(other)
    same, step = 0, STEP
    while step:
        while same + step <= most and one.endswith(
            other[other_ends - same - step : other_ends - same], 0, ends - same
        ):
            same += step
        step //= 2
    return same


def spliced(text: str, splices: Iterable[Splice]) -> str:
    """The text after changes that are in order and all meant for the text as it was."""
    pieces: list[str] = []
    at = 0
    for splice in splices:
        pieces += (text[at : splice.start], splice.new)
        at = splice.end
    return "".join((*pieces, text[at:]))
