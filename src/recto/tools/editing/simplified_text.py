"""A text in a simpler form, and the way back: every place of the form is a place of the text.

Three forms, each simpler than the one before: line ends alike; typography alike; no white space at
line ends.
"""

import re
from bisect import bisect_left, bisect_right
from dataclasses import dataclass

TYPOGRAPHY = {
    **dict.fromkeys("\u2018\u2019\u201a\u201b\u2032\u02bc", "'"),
    **dict.fromkeys("\u201c\u201d\u201e\u201f\u2033", '"'),
    **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212", "-"),
    **dict.fromkeys("\u00a0\u2007\u2009\u200a\u202f", " "),
    "\u2026": "...",
}
LINE_ENDS = r"\r\n|\r"
LETTERS = f"[{''.join(TYPOGRAPHY)}]"
# Looked at only where white space begins, so that a long run of it takes linear time.
SPACE = "[ \\t\u00a0\u2007\u2009\u200a\u202f]"
LAST_SPACES = rf"(?<!{SPACE}){SPACE}++(?=[\r\n]|\Z)"
FORMS = {
    "": re.compile(LINE_ENDS),
    "typography": re.compile(f"{LINE_ENDS}|{LETTERS}"),
    "white space at line ends": re.compile(f"{LINE_ENDS}|{LAST_SPACES}|{LETTERS}"),
}


@dataclass(frozen=True, slots=True)
class SimplifiedText:
    """The simpler text, and for each letter that is not itself where it begins and ends in both."""

    text: str
    places: tuple[int, ...]
    ends: tuple[int, ...]
    origins: tuple[int, ...]

    def start(self, place: int) -> int | None:
        """Where a passage begins that begins here in the form; None inside of a letter."""
        before = bisect_right(self.ends, place) - 1
        if before + 1 < len(self.places) and self.places[before + 1] < place:
            return None
        return self.origins[before] + place - self.ends[before]

    def end(self, place: int) -> int | None:
        """Where a passage ends that ends here in the form, before anything that was dropped."""
        before = bisect_left(self.places, place) - 1
        if self.ends[before] > place:
            return None
        return self.origins[before] + place - self.ends[before]


def simplify(text: str, pattern: re.Pattern[str]) -> SimplifiedText:
    """The form of a text."""
    pieces: list[str] = []
    places, ends, origins = [-1], [0], [0]
    for found in pattern.finditer(text):
        pieces.append(text[origins[-1] : found.start()])
        places.append(ends[-1] + len(pieces[-1]))
        pieces.append(alike(found[0]))
        ends.append(places[-1] + len(pieces[-1]))
        origins.append(found.end())
    pieces.append(text[origins[-1] :])
    return SimplifiedText("".join(pieces), tuple(places), tuple(ends), tuple(origins))


def alike(token: str) -> str:
    """What stands for a letter, a line end, or white space before one."""
    if token[0] == "\r":
        return "\n"
    return TYPOGRAPHY[token] if token in TYPOGRAPHY and len(token) == 1 else ""
