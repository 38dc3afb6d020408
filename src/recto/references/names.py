"""The names of people as BibTeX and CSL write them."""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

from recto.references.latex import fold, to_unicode

AND = re.compile(r"\s+and(?=\s)|[{}]", re.IGNORECASE)
UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue"})
PIECES = re.compile(r"[{}]|,|[\s~]+|[^{},\s~]+")


@dataclass(frozen=True, slots=True)
class PersonName:
    """Somebody's name, or that of an organisation, which has a family name only."""

    family: str
    given: str = ""
    particle: str = ""
    """Such as "van der", when it belongs to the family name."""
    suffix: str = ""

    @property
    def whole_family(self) -> str:
        """The family name with its particle."""
        if self.particle and not self.particle.endswith(("'", "’")):
            return f"{self.particle} {self.family}"
        return self.particle + self.family

    def __str__(self) -> str:
        names = (self.given, self.whole_family, self.suffix)
        return " ".join(name for name in names if name)


def spellings(family: str) -> frozenset[str]:
    """How a family name may be spelt, folded: Müller is Muller to some and Mueller to others."""
    name = unicodedata.normalize("NFC", family.casefold()).replace("’", "'")
    return frozenset((fold(name), fold(name.translate(UMLAUTS))))


def read_names(value: str) -> tuple[PersonName, ...]:
    """The people of an author or editor field, by BibTeX's rules."""
    return tuple(name for part in split_people(value) if (name := read_name(part)) is not None)


def split_people(value: str) -> Iterator[str]:
    """The names between the words "and" that stand in no braces."""
    depth, start = 0, 0
    value = f" {value} "
    for found in AND.finditer(value):
        if found[0] == "{":
            depth += 1
        elif found[0] == "}":
            depth = max(0, depth - 1)
        elif depth == 0:
            yield value[start : found.start()].strip()
            start = found.end()
    yield value[start:].strip()


def read_name(text: str) -> PersonName | None:
    """One name: "First von Last", "von Last, First" or "von Last, Jr, First"."""
    parts = split_commas(text)
    if not any(parts) or text == "others":
        return None
    if len(parts) == 1:
        words = parts[0]
        if len(words) == 1:
            return PersonName(to_unicode(words[0]))
        small = [at for at, word in enumerate(words[:-1]) if is_small(word)]
        family_at = small[-1] + 1 if small else len(words) - 1
        particle_at = small[0] if small else family_at
        return PersonName(
            joined(words[family_at:]),
            joined(words[:particle_at]),
            joined(words[particle_at:family_at]),
        )
    family = parts[0]
    cut = 0
    while cut < len(family) - 1 and is_small(family[cut]):
        cut += 1
    return PersonName(
        joined(family[cut:]),
        joined(parts[-1]),
        joined(family[:cut]),
        joined(parts[1]) if len(parts) > 2 else "",
    )


def split_commas(text: str) -> list[list[str]]:
    """The words between commas; what stands in braces is one word."""
    parts: list[list[str]] = [[]]
    word, depth = "", 0
    for found in PIECES.finditer(text):
        piece = found[0]
        depth += {"{": 1, "}": -1}.get(piece, 0)
        if depth <= 0 and piece == ",":
            if word:
                parts[-1].append(word)
            word = ""
            parts.append([])
        elif depth <= 0 and (piece[0].isspace() or piece[0] == "~"):
            if word:
                parts[-1].append(word)
            word = ""
        else:
            word += piece
    if word:
        parts[-1].append(word)
    return parts


def is_small(word: str) -> bool:
    """Whether a word begins with a small letter, which makes it a particle; braces hide it."""
    if word.startswith("{") and not word.startswith("{\\"):
        return False
    letter = next((sign for sign in to_unicode(word) if sign.isalpha()), "")
    return letter.islower()


def joined(words: list[str]) -> str:
    """Words as people read them."""
    return to_unicode(" ".join(words))


def written_names(names: tuple[PersonName, ...]) -> str:
    """People as an author field has them."""
    return " and ".join(map(written_name, names))


def written_name(name: PersonName) -> str:
    """One name in the form that can't be misread."""
    if not name.given and not name.particle:
        return f"{{{name.family}}}" if re.search(r"[\s,]", name.family) else name.family
    parts = [f"{name.particle} {name.family}".strip(), name.suffix, name.given]
    return ", ".join(part for part in parts if part)
