"""What Word writes before the items of lists: bullets, and numbers that it counts itself."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from recto.word.ooxml.names import Element, attribute, child, children, value
from recto.word.ooxml.styles import Styles, whole

PLACE = re.compile(r"%([1-9])")
ROMAN = (
    (1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"),
    (40, "xl"), (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i"),
)  # fmt: skip
MOST_LEVELS = 9
MOST = 3999


@dataclass(frozen=True, slots=True)
class ListLevel:
    """How one level of a list is counted and written."""

    format: str
    text: str
    start: int


@dataclass(slots=True)
class ListMarkers:
    """Counts through a document's lists in order."""

    styles: Styles
    levels: dict[tuple[str, int], ListLevel] = field(
        default_factory=dict[tuple[str, int], ListLevel]
    )
    lists: dict[str, str] = field(default_factory=dict[str, str])
    """Lists that count on together, by the number of what they share."""
    counts: dict[str, list[int]] = field(default_factory=dict[str, list[int]])
    given: list[tuple[str, int, tuple[str, int]]] = field(
        default_factory=list[tuple[str, int, tuple[str, int]]]
    )
    """The items that were counted: their lists, how deep they are, and what stands before them."""

    def add_numbering(self, root: Element) -> None:
        """Take in numbering.xml."""
        abstract = {
            attribute(item, "abstractNumId"): item for item in children(root, "abstractNum")
        }
        for number in children(root, "num"):
            name, shared = attribute(number, "numId"), value(number, "abstractNumId")
            # A list with a start of its own counts alone.
            starts = {
                whole(attribute(item, "ilvl")): whole(value(item, "startOverride"))
                for item in children(number, "lvlOverride")
                if child(item, "startOverride") is not None
            }
            self.lists[name] = name if starts else f"shared {shared}"
            found = abstract.get(shared)
            for level in children(found, "lvl") if found is not None else ():
                depth = whole(attribute(level, "ilvl"))
                start = starts.get(depth, whole(value(level, "start")) or 1)
                self.levels[name, depth] = ListLevel(
                    value(level, "numFmt"), value(level, "lvlText"), start
                )

    def marker(self, properties: Element | None, style: str) -> tuple[str, int]:
        """What stands before the next paragraph, and how deep it is; nothing if in no list."""
        name, depth = self.styles.number_of(properties, style)
        depth = min(depth, MOST_LEVELS - 1)
        made = self.counted(name, depth)
        if name and name != "0":
            self.given.append((name, depth, made))
        return made

    def counted(self, name: str, depth: int) -> tuple[str, int]:
        """The same for an item of a list at a depth."""
        level = self.levels.get((name, depth))
        if not name or name == "0":
            return "", 0
        if level is None or level.format in ("bullet", "none"):
            return "" if level is not None and level.format == "none" else "\N{BULLET}", depth
        counts = self.counts.setdefault(self.lists.get(name, name), [0] * MOST_LEVELS)
        counts[depth] = counts[depth] + 1 if counts[depth] else level.start
        counts[depth + 1 :] = [0] * (MOST_LEVELS - depth - 1)

        def number(found: re.Match[str]) -> str:
            at = int(found[1]) - 1
            above = self.levels.get((name, at), level)
            return NUMERALS.get(above.format, str)(counts[at] or above.start)

        return PLACE.sub(number, level.text), depth


def roman(number: int) -> str:
    """A number in Roman numerals; others as they are."""
    if not 0 < number <= MOST:
        return str(number)
    found = ""
    for size, letters in ROMAN:
        while number >= size:
            found += letters
            number -= size
    return found


def letter(number: int) -> str:
    """A to z, then aa to zz, as Word counts."""
    if number < 1:
        return str(number)
    return chr(ord("a") + (number - 1) % 26) * min((number - 1) // 26 + 1, 9)


NUMERALS: dict[str, Callable[[int], str]] = {
    "lowerRoman": roman,
    "upperRoman": lambda number: roman(number).upper(),
    "lowerLetter": letter,
    "upperLetter": lambda number: letter(number).upper(),
}
