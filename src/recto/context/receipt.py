"""What a summary does not mention: file names, numbers, names, open items, by their letters alone.

It proves that something is there, not that it is told rightly.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice

NOTE = "Compared letter by letter: this shows what the summary names, not whether it is right."
MOST = 200

LINK = re.compile(r"https?://\S+")
FILE = re.compile(r"(?<![\w/.-])(?:[\w-]+/)*[\w-]+(?:\.[\w-]+)*\.[A-Za-z][A-Za-z0-9]{0,9}\b(?!\()")
NUMBER = re.compile(r"(?<![\w.,-])-?\d(?:[\d,.']*\d)?(?![\w])%?")
NAME = re.compile(r"(?<=[\w,;:] )[^\W\d_a-z][\w’'-]+(?: [^\W\d_a-z][\w’'-]+)*")
OPEN_ITEM = re.compile(
    r"^\s*(?:[-*+]\s*\[ \]|(?:[-*+]\s*)?(?:todo|open|offen)\b\s*:)\s*(.+)$", re.I
)
WORD = re.compile(r"\w{4,}")
ENOUGH = 0.6


@dataclass(frozen=True, slots=True)
class Receipt:
    """What was in a conversation and is not in its summary, in the order it came up."""

    files: tuple[str, ...] = ()
    numbers: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    open_items: tuple[str, ...] = ()

    @property
    def note(self) -> str:
        """What this proves and what it does not."""
        return NOTE


def receipt(before: str, summary: str) -> Receipt:
    """Compare a conversation's text with its summary."""
    text = LINK.sub(" ", before)
    without_files = FILE.sub(" ", text)
    told = summary.casefold()
    told_numbers = {plain(number) for number in NUMBER.findall(summary)}
    told_words = set(WORD.findall(told))
    return Receipt(
        files=missing(files(text), lambda name: name.casefold() in told),
        numbers=missing(numbers(without_files), lambda number: plain(number) in told_numbers),
        names=missing(names(without_files), lambda name: name.casefold() in told),
        open_items=missing(open_items(text), lambda item: is_told(item, told_words)),
    )


def missing(found: Iterable[str], is_there: Callable[[str], bool]) -> tuple[str, ...]:
    """What is not there, each once, in order, not too many."""
    return tuple(
        islice((fromkey for fromkey in dict.fromkeys(found) if not is_there(fromkey)), MOST)
    )


def plain(number: str) -> str:
    """A number without the marks between its thousands."""
    return re.sub(r"[,'](?=\d{3}(?!\d))", "", number)


def numbers(text: str) -> Iterator[str]:
    """Numbers that are worth looking for: single figures are everywhere."""
    return (number for number in NUMBER.findall(text) if len(number) > 1)


def files(text: str) -> Iterator[str]:
    """Words that look like a file's path. Two letters around a point are an abbreviation."""
    return (found for found in FILE.findall(text) if len(found) > 3)


def names(text: str) -> Iterator[str]:
    """Words with a capital inside a sentence."""
    return (name for name in NAME.findall(text) if name[0].isupper())


def open_items(text: str) -> Iterator[str]:
    """Lines that say that something is still to be done."""
    for line in text.splitlines():
        if found := OPEN_ITEM.match(line):
            yield found.group(1).strip()


def is_told(item: str, told: set[str]) -> bool:
    """Whether most words of an item are in the summary."""
    words = set(WORD.findall(item.casefold()))
    return bool(words) and len(words & told) >= ENOUGH * len(words)
