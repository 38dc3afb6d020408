"""Where in the Markdown each letter of a paragraph comes from.

Between two words whose place is known the letters are followed one by one, past the signs of
Markdown. What they don't reach (a citation as it is printed, a formula, a number) is made of what
lies between in the Markdown, and stays or goes as a whole.
"""

import html
import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import NamedTuple

TYPED = {
    "\N{RIGHT SINGLE QUOTATION MARK}": ("'",), "\N{LEFT SINGLE QUOTATION MARK}": ("'",),
    "\N{LEFT DOUBLE QUOTATION MARK}": ('"',), "\N{RIGHT DOUBLE QUOTATION MARK}": ('"',),
    "\N{EN DASH}": ("--",), "\N{EM DASH}": ("---",), "\N{HORIZONTAL ELLIPSIS}": ("...",),
    "\N{NO-BREAK SPACE}": ("\\ ", "&nbsp;", " ", "\n"),
    "\n": ("\\\n", "  \n", "<br>", "<br/>", "\n"),
}  # fmt: skip
"""How letters of a document are written in Markdown."""
SPACES = re.compile(r"[ \t]*\n[ \t>]*|[ \t]+")
SIGNS = re.compile(
    r"""\*+ | _+ | ~~? | \^ | `+ | \]\([^()\n]*(?:\([^()\n]*\)[^()\n]*)*\)(?:\{[^{}\n]*\})?
    | \]\[[^\]\n]*\] | \](?:\{[^{}\n]*\})? | \[(?![\^@-]) | <(?=https?:|mailto:) | >(?=\W)
    | [ ]*\{[#.][^{}\n]*\}""",
    re.VERBOSE,
)
"""What Markdown writes around words and a document does not show."""
ENTITY = re.compile(r"&(?:#\d+|#x[0-9a-fA-F]+|\w+);")
WORD = re.compile(r"[^\W_]{2,}")
MOST_GUESSED = 20_000
LIKE_ENOUGH = 0.6


class SourceSpan(NamedTuple):
    """Where a letter comes from; letters with one `made` above 0 are one thing together."""

    start: int
    end: int
    made: int = 0


Anchor = tuple[int, int]
"""A place in a paragraph, and where it is in the Markdown."""


@dataclass(frozen=True, slots=True)
class SourceMap:
    """The source of each letter of a paragraph, and from where to where it goes."""

    spans: tuple[SourceSpan, ...]
    start: int
    end: int


def mapped(text: str, source: str, anchors: Sequence[Anchor], floor: int, limit: int) -> SourceMap:
    """The source of a paragraph's letters; the anchors are in its order, some perhaps not."""
    spans: list[SourceSpan] = []
    made = 0
    anchors = [item for item in anchors if floor <= item[1] <= limit]
    edges = [*anchors, (len(text), -1)]
    spans, made = before_first(text, source, edges[0], floor)
    for (at, place), (to, following) in zip(anchors, edges[1:], strict=True):
        is_last = following < 0
        end = end_of_block(source, place, limit) if is_last else following
        if end < place:  # they changed places: the letters are followed from here alone
            end, is_last = end_of_block(source, place, limit), True
        gap, made = follow(text[at:to], source, place, end, made, closes=not is_last)
        spans += gap
    start = min((span.start for span in spans), default=floor)
    return SourceMap(tuple(spans), start, max((span.end for span in spans), default=start))


def before_first(text: str, source: str, edge: Anchor, floor: int) -> tuple[list[SourceSpan], int]:
    """The letters before the first known word: such as a quotation mark, or a number."""
    at, place = edge
    if place < 0:
        return [SourceSpan(floor, floor, 1)] * len(text), 1
    back = matched_back(text[:at], source, max(floor, place - at - 8), place)
    left = at - len(back)
    edge_at = back[0].start if back else place
    return [SourceSpan(edge_at, edge_at, 1)] * left + back, 1


def follow(
    text: str, source: str, start: int, end: int, made: int, *, closes: bool
) -> tuple[list[SourceSpan], int]:
    """The letters of a gap; `made` is the number of the last thing that was made."""
    front = matched(text, source, start, end)
    if len(front) == len(text):
        return front, made
    here = front[-1].end if front else start
    back = matched_back(text[len(front) :], source, here, end) if closes else []
    middle = len(text) - len(front) - len(back)
    if middle == 0:
        return front + back, made
    to = back[0].start if back else end if closes else here
    return [*front, *[SourceSpan(here, to, made + 1)] * middle, *back], made + 1


def matched(text: str, source: str, start: int, end: int) -> list[SourceSpan]:
    """As many letters as can be followed from the front."""
    found: list[SourceSpan] = []
    at = start
    for number, letter in enumerate(text):
        # Of several spaces, as in code, each is one.
        if letter == " " and " " in text[max(number - 1, 0) : number + 2].replace(" ", "", 1):
            letter = "\t" if source.startswith("\t", at) else " "
            step = 1 if source.startswith(letter, at, end) else None
        else:
            step = step_at(letter, source, at, end)
        while step is None and (sign := SIGNS.match(source, at, end)):
            at = sign.end()
            step = step_at(letter, source, at, end)
        if step is None:
            break
        found.append(SourceSpan(at, at + step))
        at += step
    return found


def step_at(letter: str, source: str, at: int, end: int) -> int | None:
    """How many letters of the Markdown are this one; None if none are."""
    for typed in TYPED.get(letter, ()):
        if source.startswith(typed, at, end):
            return len(typed)
    if letter == " " and (spaces := SPACES.match(source, at, end)):
        return spaces.end() - at
    if source.startswith("\\" + letter, at, end) and not letter.isalnum():
        return 2
    entity = ENTITY.match(source, at, end)
    if entity and html.unescape(entity[0]) == letter:
        return len(entity[0])
    return 1 if source.startswith(letter, at, end) else None


def matched_back(text: str, source: str, start: int, end: int) -> list[SourceSpan]:
    """As many letters as can be followed from the back, none past a sign of Markdown."""
    found: list[SourceSpan] = []
    at = end
    for letter in reversed(text):
        width = next(
            (
                width
                for width in (1, 2, 3, *range(4, 12))
                if at - width >= start and step_at(letter, source, at - width, at) == width
            ),
            None,
        )
        if width is None:
            break
        found.append(SourceSpan(at - width, at))
        at -= width
    return found[::-1]


def end_of_block(source: str, place: int, limit: int) -> int:
    """Where the block ends that a place lies in."""
    found = source.find("\n\n", place, limit)
    return limit if found < 0 else found


def guessed_anchors(text: str, source: str, start: int, end: int) -> list[Anchor]:
    """Words of a paragraph found again in a part of the Markdown; none if too few are there."""
    if end - start > MOST_GUESSED:
        return []
    ours = list(WORD.finditer(text))
    theirs = list(WORD.finditer(source, start, end))
    matcher = SequenceMatcher(
        None, [item[0] for item in ours], [item[0] for item in theirs], autojunk=False
    )
    found = [
        (ours[block.a + at].start(), theirs[block.b + at].start())
        for block in matcher.get_matching_blocks()
        for at in range(block.size)
    ]
    return found if ours and len(found) >= LIKE_ENOUGH * len(ours) else []
