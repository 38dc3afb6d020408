"""Letters that nobody sees: they could tell a model something that no person reads."""

import unicodedata
from collections.abc import Iterator

JOINERS = {"\u200b", "\u200c", "\u200d"}
VARIATIONS = range(0xFE00, 0xFE10)
IDEOGRAPHIC_VARIATIONS = range(0xE0100, 0xE01F0)
SKIN_TONES = range(0x1F3FB, 0x1F400)
FILLERS = {"\u115f", "\u1160", "\u3164", "\uffa0"}
LINE_MARKS = {"\t", "\n", "\r", "\f"}
DIRECTION_MARKS = {"\u200e", "\u200f", "\u061c"}
# Arabic to Tibetan and Myanmar, Khmer, Mongolian: scripts that join letters or have no spaces.
JOINING = (range(0x0600, 0x1100), range(0x1780, 0x18B0), range(0xA8E0, 0xA900))


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
        beside = [item for item in (before, after) if item]
        return not any(unicodedata.bidirectional(item) in {"R", "AL"} for item in beside)
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
