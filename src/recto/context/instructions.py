"""A folder's instructions, made fit to be followed: what people can't see, a model doesn't get.

Comments are for people and go. Letters that nobody sees could tell a model something that whoever
reviews the file does not read, so a file that has them is not used at all, and the place is named.
"""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

MAX_CHARACTERS = 40_000
FENCE = re.compile(r" {0,3}(`{3,}|~{3,})(.*)")
OPEN, CLOSE = "<!--", "-->"

JOINERS = {"\u200b", "\u200c", "\u200d"}
VARIATIONS = range(0xFE00, 0xFE10)
IDEOGRAPHIC_VARIATIONS = range(0xE0100, 0xE01F0)
SKIN_TONES = range(0x1F3FB, 0x1F400)
FILLERS = {"\u115f", "\u1160", "\u3164", "\uffa0"}
LINE_MARKS = {"\t", "\n", "\r", "\f"}
DIRECTION_MARKS = {"\u200e", "\u200f", "\u061c"}
# Arabic to Tibetan and Myanmar, Khmer, Mongolian: scripts that join letters or have no spaces.
JOINING = (range(0x0600, 0x1100), range(0x1780, 0x18B0), range(0xA8E0, 0xA900))


@dataclass(frozen=True, slots=True)
class Instructions:
    """The text to follow; `refused` says why there is none, `cut` what is missing at its end."""

    text: str
    refused: str | None = None
    cut: str | None = None


class Unclosed(Exception):
    """A comment that has no end: everything after it would vanish."""

    def __init__(self, line: int) -> None:
        super().__init__(f"the comment that begins in line {line} is never closed")


def clean_instructions(text: str, *, name: str = "_instructions.md") -> Instructions:
    """A file's text without its comments, cut where it is too long, or the reason to refuse it."""
    text = text.removeprefix("\ufeff")
    found = next(invisible(text), None)
    if found is not None:
        return refused(name, f"{found}. Remove it, for example by typing the place anew")
    try:
        kept = without_comments(text).strip()
    except Unclosed as reason:
        return refused(name, f"{reason}. Close it with {CLOSE}")
    if len(kept) <= MAX_CHARACTERS:
        return Instructions(kept)
    head = kept[:MAX_CHARACTERS].rpartition("\n")[0] or kept[:MAX_CHARACTERS]
    cut = (
        f"{name} has {len(kept):,} characters and only the first {len(head):,} are used. Shorten it"
    )
    return Instructions(f"{head}\n[The rest of {name} is left out: it is too long.]", cut=f"{cut}.")


def refused(name: str, why: str) -> Instructions:
    """Nothing to follow, and why."""
    return Instructions("", refused=f"{name} is not used: {why}.")


def invisible(text: str) -> Iterator[str]:
    """Where a letter stands that nobody sees, in words."""
    for number, line in enumerate(text.split("\n"), 1):
        if line.isascii() and line.isprintable():
            continue
        for column, letter in enumerate(line):
            if is_invisible(letter, line[column - 1 : column], line[column + 1 : column + 2]):
                name = unicodedata.name(letter, "a control character").lower()
                place = f"line {number}, character {column + 1}"
                yield f"{place} is invisible (U+{ord(letter):04X}, {name})"


def is_invisible(letter: str, before: str, after: str) -> bool:
    """Whether a letter is there without being seen. Joiners in scripts that need them are fine."""
    code = ord(letter)
    if code in VARIATIONS:
        return not before or before.isspace() or is_variation(before) or is_variation(after)
    if code in IDEOGRAPHIC_VARIATIONS:
        return not before or unicodedata.category(before) != "Lo" or is_variation(after)
    if letter in JOINERS:
        ties_emoji = letter == "\u200d" and is_emoji(before) and is_emoji(after)
        return not (ties_emoji or is_joining(before))
    if letter in DIRECTION_MARKS:
        beside = [one for one in (before, after) if one]
        return not any(unicodedata.bidirectional(one) in {"R", "AL"} for one in beside)
    if letter in FILLERS:
        return True
    return unicodedata.category(letter) in {"Cc", "Cf", "Co", "Cs"} and letter not in LINE_MARKS


def is_variation(letter: str) -> bool:
    """Whether this changes how the letter before it looks."""
    return bool(letter) and (ord(letter) in VARIATIONS or ord(letter) in IDEOGRAPHIC_VARIATIONS)


def is_emoji(letter: str) -> bool:
    """Whether this is a pictograph, a skin tone, or the sign that asks for a picture."""
    if not letter:
        return False
    is_tone = ord(letter) in SKIN_TONES or ord(letter) in VARIATIONS
    return is_tone or unicodedata.category(letter) == "So"


def is_joining(letter: str) -> bool:
    """Whether this belongs to a script that needs invisible signs between its letters."""
    return bool(letter) and any(ord(letter) in block for block in JOINING)


def without_comments(text: str) -> str:
    """The text without its HTML comments; those in code fences are code. Raises Unclosed."""
    kept: list[str] = []
    fence = ""
    opened = 0
    for number, line in enumerate(text.split("\n"), 1):
        if not opened:
            was, fence = fence, fence_after(fence, line)
            if was or fence:
                kept.append(line)
                continue
        rest, is_open = outside(line, is_open=bool(opened))
        opened = (opened or number) if is_open else 0
        if rest.strip() or rest == line:
            kept.append(rest)
    if opened:
        raise Unclosed(opened)
    return "\n".join(kept)


def fence_after(fence: str, line: str) -> str:
    """The fence that is open after a line; empty when none is."""
    found = FENCE.fullmatch(line)
    if found is None:
        return fence
    marks, rest = found.groups()
    if not fence:
        return "" if marks[0] == "`" and "`" in rest else marks
    return "" if marks.startswith(fence) and not rest.strip() else fence


def outside(line: str, *, is_open: bool) -> tuple[str, bool]:
    """What of a line is outside comments, and whether one is open at its end."""
    kept = ""
    while line:
        mark = CLOSE if is_open else OPEN
        before, found, line = line.partition(mark)
        kept += "" if is_open else before
        if found:
            is_open = not is_open
    return kept, is_open
