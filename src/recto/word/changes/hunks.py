"""What differs between a paragraph and what it shall be, cut at the boundaries of words."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from recto.word.ooxml.segments import Segment

WORDS = r"\w+|\s+|."
LONG_ENOUGH = 4
"""Words in a row that stay although words on both sides of them change."""
MOST_COMPARED = 1_000_000


@dataclass(frozen=True, slots=True)
class WordHunk:
    """Letters of a paragraph, by their places, and what stands there afterwards."""

    start: int
    end: int
    new: str


@dataclass(frozen=True, slots=True)
class Fixed:
    """A segment that stays or goes as a whole, and where it is."""

    start: int
    end: int
    text: str


def hunks(segments: Sequence[Segment], new: str) -> list[WordHunk]:
    """The changes that make a paragraph read as it shall, from its end to its beginning."""
    old = "".join(segment.text for segment in segments)
    fixed = list(fixed_in(segments))
    formatted = list(text_spans(segments))
    found: list[WordHunk] = []
    old_at = new_at = 0
    for item, place in [*staying(old, fixed, new), (Fixed(len(old), len(old), ""), len(new))]:
        gap = middle(old[old_at : item.start], new[new_at:place])
        if gap is not None:
            moved = WordHunk(gap.start + old_at, gap.end + old_at, gap.new)
            whole = widened(old, moved, fixed)
            holds = any(moved.start < item.end and item.start < moved.end for item in fixed)
            found += [whole] if holds else parted(old, whole, formatted)
        old_at, new_at = item.end, place + len(item.text)
    return found[::-1]


def fixed_in(segments: Sequence[Segment]) -> Iterator[Fixed]:
    """What can't be changed letter by letter."""
    at = 0
    for segment in segments:
        if segment.text and not segment.is_text:
            yield Fixed(at, at + len(segment.text), segment.text)
        at += len(segment.text)


def text_spans(segments: Sequence[Segment]) -> Iterator[tuple[int, int]]:
    """Where the texts lie that may each have a format of their own."""
    at = 0
    for segment in segments:
        if segment.text.strip():
            yield at, at + len(segment.text)
        at += len(segment.text)


def parted(old: str, hunk: WordHunk, formatted: Sequence[tuple[int, int]]) -> list[WordHunk]:
    """A hunk without what stays inside of it: a few words in a row, or all of one format."""
    was = list(re.finditer(WORDS, old[hunk.start : hunk.end], re.DOTALL))
    new = list(re.finditer(WORDS, hunk.new, re.DOTALL))
    if len(was) * len(new) > MOST_COMPARED:
        return [hunk]
    words = [match[0] for match in was], [match[0] for match in new]
    found: list[WordHunk] = []
    old_at = new_at = 0
    for at, to, size in SequenceMatcher(None, *words, autojunk=False).get_matching_blocks():
        here, there = place(was, at), place(new, to)
        after = place(was, at + size)
        span = hunk.start + here, hunk.start + after
        kept = sum(word[0].isalnum() for word in words[0][at : at + size]) >= LONG_ENOUGH
        if size and not kept and not any(span[0] <= first and last <= span[1]
                                         for first, last in formatted):  # fmt: skip
            continue
        if (old_at, new_at) != (here, there):
            first, last = hunk.start + old_at, hunk.start + here
            found.append(WordHunk(first, last, hunk.new[new_at:there]))
        old_at, new_at = after, place(new, to + size)
    return found


def place(words: Sequence[re.Match[str]], number: int) -> int:
    """Where a word begins, or the last one ends."""
    if number < len(words):
        return words[number].start()
    return words[-1].end() if words else 0


def staying(old: str, fixed: Sequence[Fixed], new: str) -> list[tuple[Fixed, int]]:
    """The things that are in the new text as well, with their places there."""
    if not fixed:
        return []
    texts = sorted({re.escape(item.text) for item in fixed}, key=len, reverse=True)
    pattern = re.compile(f"({'|'.join(texts)})|{WORDS}", re.DOTALL)
    old_tokens: list[tuple[bool, str]] = []
    items: dict[int, Fixed] = {}
    at = 0
    for item in fixed:
        old_tokens += [(False, word) for word in re.findall(WORDS, old[at : item.start], re.DOTALL)]
        items[len(old_tokens)] = item
        old_tokens.append((True, item.text))
        at = item.end
    old_tokens += [(False, word) for word in re.findall(WORDS, old[at:], re.DOTALL)]
    matches = list(pattern.finditer(new))
    new_tokens = [(match[1] is not None, match[0]) for match in matches]
    found: list[tuple[Fixed, int]] = []
    for block in SequenceMatcher(
        None, old_tokens, new_tokens, autojunk=False
    ).get_matching_blocks():
        for step in range(block.size):
            item = items.get(block.a + step)
            if item is not None:
                found.append((item, matches[block.b + step].start()))
    return found


def middle(old: str, new: str) -> WordHunk | None:
    """The part that differs, grown to whole words; None if nothing does."""
    if old == new:
        return None
    shortest = min(len(old), len(new))
    start = 0
    while start < shortest and old[start] == new[start]:
        start += 1
    while start and (in_word(old, start) or in_word(new, start)):
        start -= 1
    behind = 0
    while behind < shortest - start and old[-1 - behind] == new[-1 - behind]:
        behind += 1
    while behind and (in_word(old, len(old) - behind) or in_word(new, len(new) - behind)):
        behind -= 1
    return WordHunk(start, len(old) - behind, new[start : len(new) - behind])


def in_word(text: str, at: int) -> bool:
    """Whether a place is inside of a word."""
    return 0 < at < len(text) and is_letter(text[at - 1]) and is_letter(text[at])


def is_letter(letter: str) -> bool:
    """Whether a letter belongs to a word; a combining mark belongs to what it is on."""
    return letter.isalnum() or letter == "_" or not letter.isascii() and not letter.isspace()


def widened(old: str, hunk: WordHunk, fixed: Sequence[Fixed]) -> WordHunk:
    """A hunk that takes whole what it touches of things that stay or go as a whole."""
    for item in fixed:
        if item.start < hunk.start < item.end:
            hunk = WordHunk(item.start, hunk.end, old[item.start : hunk.start] + hunk.new)
        if item.start < hunk.end < item.end:
            hunk = WordHunk(hunk.start, item.end, hunk.new + old[hunk.end : item.end])
    return hunk
