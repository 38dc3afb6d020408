"""Works that are in a library twice: the same DOI, or titles of nearly the same words."""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from recto.references.latex import fold
from recto.references.reference import Reference

ALIKE = 0.85
SHORT_TITLE = 3
WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True)
class Duplicate:
    """Two entries for one work."""

    key: str
    other: str
    why: str


def title_words(title: str) -> frozenset[str]:
    """The words of a title, case and accents overlooked."""
    return frozenset(WORD.findall(fold(title)))


def alike(one: frozenset[str], other: frozenset[str]) -> float:
    """How much two sets of words have in common, from 0 to 1."""
    together = len(one | other)
    return len(one & other) / together if together else 0.0


def has_same_title(
    one: Reference, other: Reference, words: frozenset[str], others: frozenset[str]
) -> bool:
    """Whether the titles are of nearly the same words.

    Short ones, such as "Editorial", must also agree in the first author and the year.
    """
    if alike(words, others) <= ALIKE:
        return False
    if min(len(words), len(others)) >= SHORT_TITLE:
        return True
    return one.year == other.year and first_family(one) == first_family(other)


def first_family(reference: Reference) -> str:
    """The first author's family name, to be compared."""
    return fold(reference.authors[0].family) if reference.authors else ""


def find_duplicate(
    new: Reference, known: Iterable[tuple[Reference, frozenset[str]]]
) -> Reference | None:
    """The reference that a new one is the same work as; each comes with its title's words."""
    words = title_words(new.title)
    low, high = len(words) * ALIKE, len(words) / ALIKE
    for reference, others in known:
        if new.doi and reference.doi == new.doi:
            return reference
        # Titles whose lengths differ that much can't be alike; most are passed over here.
        if low <= len(others) <= high and has_same_title(new, reference, words, others):
            return reference
    return None


def find_duplicates(references: Sequence[Reference]) -> tuple[Duplicate, ...]:
    """All pairs. Two titles that are alike share one of their rarest words, so few are compared."""
    found: dict[tuple[int, int], str] = {}
    by_doi: dict[str, int] = {}
    words = [title_words(reference.title) for reference in references]
    frequency = Counter(word for some in words for word in some)
    places: dict[str, list[int]] = defaultdict(list)
    for at, reference in enumerate(references):
        if reference.doi:
            first = by_doi.setdefault(reference.doi, at)
            if first != at:
                found[first, at] = f"both have the DOI {reference.doi}"
        rarest = sorted(words[at], key=lambda word: (frequency[word], word))
        for word in rarest[: len(rarest) - math.ceil(ALIKE * len(rarest)) + 1]:
            for other in places[word][-MOST_COMPARED:]:
                if (other, at) not in found and has_same_title(
                    references[other], reference, words[other], words[at]
                ):
                    found[other, at] = "their titles are nearly the same"
            places[word].append(at)
    return tuple(
        Duplicate(references[one].key, references[other].key, why)
        for (one, other), why in sorted(found.items())
    )


MOST_COMPARED = 200
"""A word that thousands of titles have as their rarest: only the latest are compared."""
