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


class KnownWorks:
    """Works among which others are looked for, by their DOIs and by words of their titles."""

    def __init__(self, references: Iterable[Reference] = ()) -> None:
        self._works: list[tuple[Reference, frozenset[str]]] = []
        self._by_doi: dict[str, int] = {}
        self._by_word: dict[str, list[int]] = defaultdict(list)
        for reference in references:
            self.add(reference)

    def add(self, reference: Reference) -> None:
        """One more."""
        at, words = len(self._works), title_words(reference.title)
        self._works.append((reference, words))
        if reference.doi:
            self._by_doi.setdefault(reference.doi, at)
        for word in telling_words(words):
            self._by_word[word].append(at)

    def find(self, new: Reference) -> Reference | None:
        """The first that is the same work."""
        words = title_words(new.title)
        places = {at for word in telling_words(words) for at in self._by_word.get(word, ())}
        same_doi = self._by_doi.get(new.doi) if new.doi else None
        for at in sorted(places if same_doi is None else {*places, same_doi}):
            reference, others = self._works[at]
            if at == same_doi or has_same_title(new, reference, words, others):
                return reference
        return None


def telling_words(words: frozenset[str]) -> list[str]:
    """Words of a title, one of which every title has that is as much alike: the longest."""
    longest = sorted(words, key=lambda word: (-len(word), word))
    return longest[: len(words) - math.ceil(ALIKE * len(words)) + 1]


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
