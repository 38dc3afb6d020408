"""Citation keys: family name, year, and a letter when that is taken."""

import unicodedata
from collections.abc import Collection, Iterator
from itertools import count

from recto.references.latex import fold
from recto.references.names import PersonName

NO_YEAR = "nd"
NOBODY = "anon"
LONGEST = 60
SMALL_WORDS = frozenset({"a", "an", "the", "on", "of", "in", "der", "die", "das", "le", "la", "un"})
LATIN = "LATIN "


def make_key(authors: Collection[PersonName], year: str, title: str, taken: Collection[str]) -> str:
    """A key that is not taken; the same for the same work and the same keys taken.

    `taken` holds keys as `comparable` gives them.
    """
    name = next((letters(person.whole_family) for person in authors), "")
    name = name or next(title_words(title), "") or NOBODY
    base = name[:LONGEST] + (letters(year) or NO_YEAR)
    return next(key for key in candidates(base) if comparable(key) not in taken)


def comparable(key: str) -> str:
    """A key without the differences that some programs overlook."""
    return unicodedata.normalize("NFC", key).casefold()


def candidates(base: str) -> Iterator[str]:
    """The key itself, then with one letter, then with two."""
    yield base
    for number in count():
        suffix = ""
        while number >= 0:
            number, letter = divmod(number, 26)
            suffix = chr(ord("a") + letter) + suffix
            number -= 1
        yield base + suffix


def letters(text: str) -> str:
    """The letters and digits of a name: Latin ones without accents, others as they are."""
    found: list[str] = []
    for sign in unicodedata.normalize("NFC", text.casefold()):
        if sign.isascii():
            found.append(sign if sign.isalnum() else "")
        elif unicodedata.name(sign, "").startswith(LATIN):
            bare = fold(sign)
            found.append("".join(item for item in bare if item.isalnum()))
        elif sign.isalnum():
            found.append(sign)
    return "".join(found)


def title_words(title: str) -> Iterator[str]:
    """The words of a title that say something."""
    for word in title.split():
        found = letters(word)
        if found and found not in SMALL_WORDS:
            yield found
