"""The passages of a text that a model means, and putting other words in their place."""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from operator import itemgetter

from recto.tools.editing.simplified_text import FORMS, SPACE, SimplifiedText, simplify

LINE_END = re.compile(r"\r\n|\n|\r")
MAX_FOUND = 1000  # of passages that only are counted
LAST_SPACE = re.compile(rf"{SPACE}\Z")


@dataclass(frozen=True, slots=True)
class FoundPassages:
    """Where the words are, and which differences had to be overlooked to find them."""

    spans: tuple[tuple[int, int], ...]
    overlooked: str = ""


def find_passages(text: str, wanted: str, *, all_of_them: bool) -> FoundPassages:
    """The passages that are the wanted one, in the strictest form in which there is one.

    All of them, without overlaps; or else as many as show whether there is just one.
    """
    for overlooked, pattern in FORMS.items():
        needle = simplify(wanted, pattern).text
        if not needle:
            break
        # White space that was dropped from the very end must have been at a line's end.
        to_line_end = overlooked in list(FORMS)[2:] and LAST_SPACE.search(wanted) is not None
        form = simplify(text, pattern)
        found = occurrences(form, needle, to_line_end=to_line_end, overlapping=not all_of_them)
        spans = tuple(found if all_of_them else islice(found, MAX_FOUND))
        if spans:
            return FoundPassages(spans, overlooked)
    return FoundPassages(())


def occurrences(
    form: SimplifiedText, needle: str, *, to_line_end: bool, overlapping: bool
) -> Iterator[tuple[int, int]]:
    """The places of a text at which its form has the needle."""
    at = form.text.find(needle)
    while at >= 0:
        after = at + len(needle)
        start, end = form.start(at), form.end(after)
        fits = not to_line_end or form.text[after : after + 1] in {"", "\n"}
        if start is None or end is None or not fits:
            at = form.text.find(needle, at + 1)
            continue
        yield start, end
        at = form.text.find(needle, at + 1 if overlapping else after)


def replace_passages(text: str, spans: Sequence[tuple[int, int]], new: str) -> str:
    """The text with other words, taken literally, in place of each passage."""
    lines = LINE_END.split(new)
    line_ends = [(found.start(), found[0]) for found in LINE_END.finditer(text)]
    pieces: list[str] = []
    done = 0
    for start, end in spans:
        pieces += [text[done:start], line_end_at(line_ends, start, end).join(lines)]
        done = end
    return "".join([*pieces, text[done:]])


def line_end_at(line_ends: Sequence[tuple[int, str]], start: int, end: int) -> str:
    """How lines end here: in the passage, else the nearest before it, else after it."""
    following = bisect_left(line_ends, start, key=itemgetter(0))
    is_inside = following < len(line_ends) and line_ends[following][0] < end
    if not is_inside and following > 0:
        return line_ends[following - 1][1]
    return line_ends[following][1] if following < len(line_ends) else "\n"


def line_of(text: str, place: int) -> int:
    """The number of the line that a place is in, from 1."""
    return len(LINE_END.findall(text, 0, place)) + 1
