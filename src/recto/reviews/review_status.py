"""How a live document stands to its review: what waits, how much of it, and who wrote how much."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from recto.documents import Hunk, LiveDocument, Unit, unit_of


@dataclass(frozen=True, slots=True)
class ReviewCounts:
    """How much a review changes: words of prose, lines of everything else."""

    added: int = 0
    removed: int = 0
    hunks: int = 0


@dataclass(frozen=True, slots=True)
class ReviewStatus:
    """A document at one moment."""

    pending: frozenset[str]
    """The edits with something left to review."""
    counts: ReviewCounts
    characters: Mapping[str, int]
    """How many characters of each edit are in the text."""
    is_empty: bool = False


def review_status_of(document: LiveDocument) -> ReviewStatus:
    """How a document stands now."""
    counts = counted(document.hunks(), document.text, unit_of(document.path))
    characters = characters_by_edit(document)
    return ReviewStatus(document.pending(), counts, characters, is_empty=not document.text)


def counted(hunks: Sequence[Hunk], text: str, unit: Unit) -> ReviewCounts:
    """How much the hunks of a text change. Those in one line are one edit, as the page shows it."""
    added = sum(amount(hunk.new, unit) for hunk in hunks)
    removed = sum(amount(hunk.old, unit) for hunk in hunks)
    lines = sum("\n" in text[item.end : two.start] for item, two in pairwise(hunks))
    return ReviewCounts(added, removed, lines + 1 if hunks else 0)


def amount(text: str, unit: Unit) -> int:
    """How many words or lines a text has."""
    return len(text.split()) if unit == "word" else len(text.splitlines())


def characters_by_edit(document: LiveDocument) -> Mapping[str, int]:
    """How many characters of each edit are in the text."""
    found: Counter[str] = Counter()
    for span in document.written():
        if span.author.who == "run":
            found[span.author.name] += span.end - span.start
    return found
