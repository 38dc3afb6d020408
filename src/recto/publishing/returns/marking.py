"""Letters that say where in a Markdown text the words of its document come from.

Each word gets one of Unicode's private letters before it. Where that changes how the text is read
(which is seen afterwards, as its words read otherwise then), the letters of that place don't count.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import accumulate

JOINT = "\n\n"
"""What stands between the parts of a draft."""
FIRST, LAST = 0xF0000, 0x10FFFD
UNASSIGNED = frozenset((0xFFFFE, 0xFFFFF))
ROOM = LAST - FIRST + 1
MARKED = re.compile(f"[{chr(FIRST)}-{chr(LAST)}]")
# Not before abbreviations: pandoc knows them, and keeps each with the word that follows.
SHORT = (
    r"(?:[Mm]rs?|Ms|Capt|[DS]r|Prof|Gen|Gov|e\.g|i\.e|Sgt|St|vol|vs|Sen|Rep|Pres|Hon|Rev|Ph\.D"
    r"|M\.[DA]|pp?|chs?|secs?|cf|cp)\."
)
WORD = re.compile(rf"(?!{SHORT})[^\W_]+(?:['’.][^\W_]+)*")
BLOCKS = re.compile(
    r"""
    \A---[ ]*\n.*?\n(?:---|\.\.\.)[ ]*$          # front matter
    | ^[ ]*(?P<fence>`{3,}|~{3,})[^\n]*$         # the line that opens or closes code
    | ^[ ]{0,3}:{3,}[^\n]*$                      # a division
    | ^[ ]{0,3}\[\^?[^\]\n]+\]:                  # the label of a note or a link
    | ^[ ]*(?:[#]\.|\(?(?:\d+|[a-zA-Z]|[ivxlcdm]+)[.)])[ ]  # the number of a list
    | ^[ ]*(?:[-*+][ ]+)?\[[ xX]\][ ]            # a task
    | ^[ ]*(?:[Tt]able)?:[ ]                     # a caption
    """,
    re.VERBOSE | re.MULTILINE | re.DOTALL,
)
INLINES = re.compile(
    r"""
    \$\$.+?\$\$ | \$(?=\S)[^$\n]*?(?<=\S)\$(?!\d)       # formulas
    | <!--.*?--> | </?[a-zA-Z][^<>]*>                   # HTML, addresses in brackets
    | \]\([^()\n]*(?:\([^()\n]*\)[^()\n]*)*\)           # where a link leads
    | \]\[[^\]\n]*\]
    | \{[^{}\n]*\}                                      # attributes
    | \[\^[^\]\s]+\]                                    # marks of notes
    | \[\[[^\]\n]*\]\]
    | \[[^\[\]]*(?<![\w.])-?@[^\[\]]*\]                 # citations
    | (?<![\w.])-?@\{?[\w][\w:.#$%&+?<>~/-]*\}?(?:[ ]\[[^\[\]\n]*\])?
    | \(@[\w-]*\)
    | (?:https?|ftp|mailto|doi)://?[^\s<>]+ | \b[\w.+-]+@[\w-]+\.[\w.-]+
    | \\[a-zA-Z]+(?:\{[^{}]*\})*                        # commands of LaTeX
    | &(?:[#]?\w+);
    """,
    re.VERBOSE | re.DOTALL,
)
RULED = re.compile(r"^[ ]*(?:[-=]{2,}(?:[ ]+[-=]{2,})+|\+[-=:+]+\+|-{6,})[ ]*$", re.MULTILINE)
"""The rules of tables that are drawn with spaces, in which every letter has its column."""


def marked(parts: Sequence[str]) -> tuple[list[str], list[int]]:
    """Texts with a letter before each word, and the place that each means in `JOINT.join`."""
    places: list[int] = []
    owners: list[int] = []
    offsets = offsets_of(parts)
    for number, part in enumerate(parts):
        found = list(word_starts(part))
        places += [offsets[number] + place for place in found]
        owners += [number] * len(found)
    step = len(places) // (ROOM - 4) + 1
    places, owners = places[::step], owners[::step]
    pieces: list[list[str]] = [[] for _ in parts]
    reached = list(offsets)
    joint = JOINT.join(parts)
    for letter, place, owner in zip(letters(), places, owners, strict=False):
        pieces[owner] += (joint[reached[owner] : place], letter)
        reached[owner] = place
    ends = [offset + len(part) for offset, part in zip(offsets, parts, strict=True)]
    rests = [joint[at:end] for at, end in zip(reached, ends, strict=True)]
    return ["".join((*own, rest)) for own, rest in zip(pieces, rests, strict=True)], places


def offsets_of(parts: Sequence[str]) -> list[int]:
    """Where each part begins in the joint text."""
    lengths = (len(part) + len(JOINT) for part in parts)
    return list(accumulate(lengths, initial=0))[: len(parts)]


def letters() -> Iterator[str]:
    """The private letters, in order."""
    return (chr(code) for code in range(FIRST, LAST + 1) if code not in UNASSIGNED)


def word_starts(text: str) -> Iterator[int]:
    """Where words begin that a letter can stand before; formulas and citations are such words."""
    kept = sorted(protected(text))
    here = 0
    for start, end, is_word in joined(kept):
        yield from (found.start() for found in WORD.finditer(text, here, start))
        if is_word:
            yield start
        here = end
    yield from (found.start() for found in WORD.finditer(text, here))


def joined(spans: list[tuple[int, int, bool]]) -> Iterator[tuple[int, int, bool]]:
    """Spans without those that lie in others."""
    last = 0
    for start, end, is_word in spans:
        if end <= last:
            continue
        yield max(start, last), end, is_word and start >= last
        last = end


def protected(text: str) -> Iterator[tuple[int, int, bool]]:
    """What no letter may stand in, and whether one may stand before it."""
    for found in BLOCKS.finditer(text):
        yield *found.span(), False
    for found in RULED.finditer(text):
        yield *block_around(text, *found.span()), False
    for found in INLINES.finditer(text):
        yield *found.span(), found[0][0] in "$[@" and not at_line_start(text, found.start())


def at_line_start(text: str, place: int) -> bool:
    """Whether only white space stands before a place in its line."""
    return not text[text.rfind("\n", 0, place) + 1 : place].strip()


def block_around(text: str, start: int, end: int) -> tuple[int, int]:
    """The lines without a blank one around a place."""
    first = text.rfind("\n\n", 0, start)
    last = text.find("\n\n", end)
    return (0 if first < 0 else first + 2), (len(text) if last < 0 else last)


def unmarked(text: str, places: list[int]) -> tuple[str, list[tuple[int, int]]]:
    """A text without such letters, and where in it each stood with the place that it means."""
    anchors: list[tuple[int, int]] = []
    pieces: list[str] = []
    at = length = 0
    for found in MARKED.finditer(text):
        pieces.append(text[at : found.start()])
        length += found.start() - at
        at = found.end()
        code = ord(found[0]) - FIRST
        number = code - sum(FIRST + code > gap for gap in UNASSIGNED)
        if 0 <= number < len(places):
            anchors.append((length, places[number]))
    return "".join((*pieces, text[at:])), anchors
