"""Text as it is searched: words without case and accents, the same on every engine.

Scripts that put no spaces between words are taken letter by letter, so that any part of a sentence
is found. What a person types becomes terms of such words: no engine ever sees its own syntax.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

MAX_WORD = 64
MAX_QUERY_WORDS = 32
SNIPPET_BEFORE = 60
SNIPPET_LENGTH = 220
ASCII_WORD = re.compile("[A-Za-z0-9]+")
# Thai, Lao, Myanmar, Khmer, kana, the Han characters and their extensions.
UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff]"
)


@dataclass(frozen=True, slots=True)
class SearchWord:
    """A word as it is searched, and where it stands in the text."""

    folded: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class SearchTerm:
    """Words that follow each other. An open one may go on: its last word is a beginning."""

    words: tuple[str, ...]
    is_open: bool


@dataclass(frozen=True, slots=True)
class Snippet:
    """A piece of text with the places in it that were searched for, counted in characters."""

    text: str
    ranges: tuple[tuple[int, int], ...]


def words(text: str) -> Iterator[SearchWord]:
    """The words of a text, in order."""
    if text.isascii():
        for found in ASCII_WORD.finditer(text):
            yield SearchWord(found[0].lower()[:MAX_WORD], *found.span())
        return
    for start, end in _spans(text):
        if folded := fold(text[start:end]):
            yield SearchWord(folded, start, end)


def fold(word: str) -> str:
    """A word without case and accents; empty when nothing of it can be searched."""
    # NFKC first, so that ligatures and full-width letters fold like plain ones.
    plain = unicodedata.normalize("NFKD", unicodedata.normalize("NFKC", word).casefold())
    kept = (c for c in plain if _sort(c) != "gap" and not unicodedata.combining(c))
    return "".join(kept)[:MAX_WORD]


def terms(query: str) -> tuple[SearchTerm, ...]:
    """What a person looks for: "words in quotes" as they stand, every other as a beginning."""
    found: list[SearchTerm] = []
    for number, piece in enumerate(query.split('"')):
        # Every second piece stands between two quotes.
        if number % 2:
            found.append(SearchTerm(tuple(word.folded for word in words(piece)), is_open=False))
        else:
            found += [
                SearchTerm(tuple(word.folded for word in words(item)), is_open=True)
                for item in piece.split()
            ]
    return tuple(_at_most(found, MAX_QUERY_WORDS))


def snippet(text: str, looked_for: Sequence[SearchTerm]) -> Snippet:
    """The part of a text around the first place that was looked for, in one line."""
    marked = _marked(list(words(text)), looked_for)
    start = max(0, marked[0][0] - SNIPPET_BEFORE) if marked else 0
    end = start + SNIPPET_LENGTH
    before = "…" if start else ""
    after = "…" if end < len(text) else ""
    line = "".join(" " if c.isspace() else c for c in text[start:end])
    moved = ((first - start + len(before), last - start + len(before)) for first, last in marked)
    length = len(before) + len(line)
    ranges = tuple((first, min(last, length)) for first, last in moved if first < length)
    return Snippet(f"{before}{line}{after}", ranges)


def _marked(found: Sequence[SearchWord], looked_for: Sequence[SearchTerm]) -> list[tuple[int, int]]:
    """Where the terms stand, in order, without overlaps."""
    places = sorted(
        (found[at].start, found[at + len(term.words) - 1].end)
        for term in looked_for
        for at in range(len(found) - len(term.words) + 1)
        if _stands(term, found[at : at + len(term.words)])
    )
    merged: list[tuple[int, int]] = []
    for start, end in places:
        if merged and start < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def _stands(term: SearchTerm, here: Sequence[SearchWord]) -> bool:
    *first, last = (word.folded for word in here)
    *wanted, final = term.words
    return first == wanted and (last.startswith(final) if term.is_open else last == final)


def _at_most(found: Sequence[SearchTerm], count: int) -> Iterator[SearchTerm]:
    for term in found:
        if term.words and count > 0:
            yield SearchTerm(term.words[:count], term.is_open)
            count -= len(term.words)


def _spans(text: str) -> Iterator[tuple[int, int]]:
    start: int | None = None
    for at, c in enumerate(text):
        sort = _sort(c)
        if start is not None and (sort in ("gap", "letter") or _sort(text[start]) == "letter"):
            # A mark belongs to the letter before it, whatever the script.
            if sort == "mark":
                continue
            yield start, at
            start = None
        if start is None and sort in ("word", "letter"):
            start = at
    if start is not None:
        yield start, len(text)


@lru_cache(maxsize=4096)
def _sort(c: str) -> str:
    """Whether a character is part of a word, a word of its own, a mark on another, or a gap."""
    if unicodedata.category(c)[0] == "M":
        return "mark"
    if not c.isalnum():
        return "gap"
    return "letter" if UNSPACED.match(c) else "word"
