"""Claims without a source: what stands in a text where a citation could not be verified.

What an AI cites and nobody could verify is taken out of its text; a visible mark takes its place.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from recto.references.citations import CLAIM, CitedPlace, find_citations, without_code

CONTEXT = 60
SENTENCE_END = re.compile(
    r"(?<=[.!?…])[\"”’»)\]*_]*\s+(?=[\"“‘«(\[*_]*[^\W\d_a-z])|\n\s*\n|\n(?=[ \t]*[-*+>|#])"
)
GROUP = re.compile(r"(?<!!)\[(?:[^\][\n]|\n(?!\s*\n))*\](?![(:])")
LOCATOR = re.compile(r" \[[^\][@\n]*\](?![(:])")


@dataclass(frozen=True, slots=True)
class Claim:
    """A mark in a text."""

    start: int
    end: int
    line: int
    context: str
    """The words before it, by which it is known again."""


def find_claims(text: str) -> tuple[Claim, ...]:
    """Every mark in a text, code aside."""
    prose = without_code(text)
    return tuple(
        Claim(
            found.start(),
            found.end(),
            prose.count("\n", 0, found.start()) + 1,
            context_of(text, found.start()),
        )
        for found in re.finditer(re.escape(CLAIM), prose)
    )


def context_of(text: str, start: int) -> str:
    """The words before a place, however they are spaced; other marks aside."""
    before = text[max(0, start - 3 * CONTEXT) : start].replace(CLAIM, " ")
    return " ".join(before.split())[-CONTEXT:]


def claim_sentences(text: str) -> tuple[tuple[int, int], ...]:
    """The sentences that have a mark, as places of the text."""
    starts = [0, *(found.end() for found in SENTENCE_END.finditer(text)), len(text)]
    marks = [claim.start for claim in find_claims(text)]
    return tuple(
        # The line's end is the paragraph's: without the sentence it must still end.
        (start, start + len(text[start:end].rstrip("\n")))
        for start, end in zip(starts, starts[1:], strict=False)
        if any(start <= mark < end for mark in marks)
    )


def brought_citations(before: str, after: str) -> tuple[CitedPlace, ...]:
    """The citations that an edit brings: of each key as many as it has more of."""
    old = find_citations(before)
    had = Counter(place.key for place in old)
    known = {(place.key, context_of(before, place.start)) for place in old}
    places = find_citations(after)
    more = Counter(place.key for place in places)
    more.subtract(had)
    found: list[CitedPlace] = []
    for place in reversed(places):
        if more[place.key] > 0 and (
            not had[place.key] or (place.key, context_of(after, place.start)) not in known
        ):
            more[place.key] -= 1
            found.append(place)
    return tuple(reversed(found))


@dataclass(frozen=True, slots=True)
class MarkedText:
    """A text with marks in place of what it cites."""

    text: str
    contexts: tuple[str, ...]
    """The words before the mark of each citation, then of each of the other places."""


def mark(
    text: str, citations: Sequence[CitedPlace], others: Sequence[tuple[int, int]]
) -> MarkedText:
    """Put marks in place of citations, whose neighbours in brackets stay, and of other places."""
    made, at = "", 0
    places: dict[tuple[int, int], int] = {}
    for start, end, new in sorted({*replacements(text, citations), *((*x, CLAIM) for x in others)}):
        made += text[at:start] + new
        at = end
        places[start, end] = len(made) - len(CLAIM)
    made += text[at:]
    spans = [*(span_of(text, place) for place in citations), *others]
    return MarkedText(made, tuple(context_of(made, places[span]) for span in spans))


def replacements(text: str, citations: Sequence[CitedPlace]) -> Iterator[tuple[int, int, str]]:
    """What takes which place."""
    by_span: dict[tuple[int, int], list[CitedPlace]] = {}
    for place in citations:
        by_span.setdefault(span_of(text, place), []).append(place)
    for (start, end), places in by_span.items():
        kept, at = list[str](), start + 1
        for item in text[start + 1 : end - 1].split(";") if text[start] == "[" else ():
            if not any(at <= place.start < at + len(item) for place in places):
                kept.append(item.strip())
            at += len(item) + 1
        yield start, end, f"[{'; '.join(kept)}] {CLAIM}" if kept else CLAIM


def is_bracketed(text: str, place: CitedPlace) -> bool:
    """Whether a citation stands in brackets; a bare one may be a person's name: `@ann`."""
    return text[span_of(text, place)[0]] == "["


def span_of(text: str, place: CitedPlace) -> tuple[int, int]:
    """A citation with its brackets and all that is in them, or as it stands in a sentence."""
    groups = (found.span() for found in GROUP.finditer(without_code(text)))
    inside = next((span for span in groups if span[0] < place.start < span[1]), None)
    return inside or whole_citation(text, place)


def whole_citation(text: str, place: CitedPlace) -> tuple[int, int]:
    """A citation that is part of a sentence, with its sign, its braces and the page behind it."""
    is_braced = text[place.start - 1] == "{"
    start = place.start - (2 if is_braced else 1)
    start -= text[start - 1 : start] == "-"
    end = place.end + is_braced
    locator = LOCATOR.match(text, end)
    return start, locator.end() if locator else end
