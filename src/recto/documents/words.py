"""Where words begin and end, in any script: what is compared, and shown, as one."""

import re
import unicodedata
from functools import lru_cache
from typing import Literal

Unit = Literal["word", "line"]
PROSE = {"md", "markdown", "txt", "qmd", "rmd", "tex", "rst", "adoc", ""}
# Scripts that put no space between words: each character stands for itself.
UNSPACED = "\u0e00-\u0eff\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
TOKEN = re.compile(rf"(?:[^\W{UNSPACED}]+|[{UNSPACED}]|[^\w\s]|^)\s*")
IS_UNSPACED = re.compile(f"[{UNSPACED}]")
MAX_WORD = 200  # what is longer is no word, and not worth walking through


def unit_of(path: str) -> Unit:
    """How the edits of a file are shown: prose by words, everything else by lines."""
    name = path.rpartition("/")[2]
    _, dot, ending = name.rpartition(".")
    return "word" if (ending.lower() if dot else "") in PROSE else "line"


def tokens(text: str) -> list[str]:
    """A text as words and single signs, each with the white space behind it."""
    return TOKEN.findall(text)


def has_word(text: str) -> bool:
    """Whether there is a letter or a digit in it."""
    return any(letter.isalnum() for letter in text)


def word_start(text: str, place: int, floor: int) -> int:
    """Where the word begins that has a place inside it; not before the floor."""
    floor = max(floor, place - MAX_WORD)
    while place > floor and is_within(text, place):
        place -= 1
    return place


def word_end(text: str, place: int, ceiling: int) -> int:
    """Where the word ends that has a place inside it; not behind the ceiling."""
    ceiling = min(ceiling, place + MAX_WORD)
    while place < ceiling and is_within(text, place):
        place += 1
    return place


def is_within(text: str, place: int) -> bool:
    """Whether a place is inside a word."""
    return 0 < place < len(text) and joins(text[place - 1], text[place])


@lru_cache(maxsize=4096)
def joins(one: str, other: str) -> bool:
    """Whether two neighbouring characters belong to one word, or to one sign."""
    # Combining marks and joined emoji: cut apart, neither half is what anybody typed.
    if unicodedata.category(other).startswith("M") or "\u200d" in (one, other):
        return not one.isspace()
    if IS_UNSPACED.match(one) or IS_UNSPACED.match(other):
        return False
    return is_letter(one) and is_letter(other)


def is_letter(one: str) -> bool:
    """Whether a character is part of a word."""
    return one.isalnum() or one == "_" or unicodedata.category(one).startswith("M")
