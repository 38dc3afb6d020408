"""What a paragraph is by its style and numbering: a heading, an item of a list, or plain text."""

import re
from dataclasses import dataclass, field

from recto.word.ooxml.names import Element, attribute, child, children, value

MAX_ANCESTORS = 20
SPACED = re.compile(r"^(heading)(\d)$")


@dataclass(slots=True)
class Styles:
    """The styles of a document by id, and which lists have bullets."""

    names: dict[str, str] = field(default_factory=dict[str, str])
    parents: dict[str, str] = field(default_factory=dict[str, str])
    levels: dict[str, int] = field(default_factory=dict[str, int])
    numbered: dict[str, tuple[str, int]] = field(default_factory=dict[str, tuple[str, int]])
    formats: dict[tuple[str, int], str] = field(default_factory=dict[tuple[str, int], str])
    default: str = ""

    def add_styles(self, root: Element) -> None:
        """Take in styles.xml."""
        for style in children(root, "style"):
            if attribute(style, "type") != "paragraph":
                continue
            name = attribute(style, "styleId")
            self.names[name] = value(style, "name").casefold()
            self.parents[name] = value(style, "basedOn")
            if attribute(style, "default") in ("1", "true", "on"):
                self.default = name
            properties = child(style, "pPr")
            if properties is not None:
                level = value(properties, "outlineLvl")
                if level.isdecimal():
                    self.levels[name] = int(level)
                numbers = child(properties, "numPr")
                if numbers is not None:
                    self.numbered[name] = (value(numbers, "numId"), whole(value(numbers, "ilvl")))

    def add_numbering(self, root: Element) -> None:
        """Take in numbering.xml."""
        abstract = {
            attribute(item, "abstractNumId"): item for item in children(root, "abstractNum")
        }
        for number in children(root, "num"):
            found = abstract.get(value(number, "abstractNumId"))
            for level in children(found, "lvl") if found is not None else ():
                key = attribute(number, "numId"), whole(attribute(level, "ilvl"))
                self.formats[key] = value(level, "numFmt")

    def prefix(self, paragraph: Element) -> str:
        """What Markdown puts before such a paragraph."""
        properties = child(paragraph, "pPr")
        style = value(properties, "pStyle") if properties is not None else ""
        level = self.heading_level(properties, style)
        if level:
            return "#" * level + " "
        number, depth = self.number_of(properties, style)
        if not number or number == "0":
            return ""
        mark = "- " if self.formats.get((number, depth), "bullet") == "bullet" else "1. "
        return "  " * min(depth, 8) + mark

    def heading_level(self, properties: Element | None, style: str) -> int:
        """The level of a heading; 0 for anything else."""
        own = value(properties, "outlineLvl") if properties is not None else ""
        if own.isdecimal():
            return int(own) + 1 if int(own) < 6 else 0
        for name in self.ancestors(style):
            # A document without such a style may still name it, as other programs do.
            title = self.names.get(name) or SPACED.sub(r"\1 \2", name.casefold())
            if title == "title":
                return 1
            if title.startswith("heading ") and title[8:].isdecimal():
                return min(int(title[8:]), 6)
            if name in self.levels:
                return self.levels[name] + 1 if self.levels[name] < 6 else 0
        return 0

    def named(self, title: str) -> str | None:
        """The id of the style with a name, if the document has it."""
        return next((name for name, found in self.names.items() if found == title), None)

    def ancestors(self, style: str) -> list[str]:
        """A style and those it is based on."""
        found: list[str] = []
        while style and style not in found and len(found) < MAX_ANCESTORS:
            found.append(style)
            style = self.parents.get(style, "")
        return found

    def number_of(self, properties: Element | None, style: str) -> tuple[str, int]:
        """The list that a paragraph is in, and how deep; an empty name outside of lists."""
        numbers = child(properties, "numPr") if properties is not None else None
        if numbers is not None and child(numbers, "numId") is not None:
            return value(numbers, "numId"), whole(value(numbers, "ilvl"))
        for name in self.ancestors(style):
            if name in self.numbered:
                return self.numbered[name]
        return "", 0


def whole(text: str) -> int:
    """A number as Word writes it; 0 for anything else."""
    return int(text) if text.isdecimal() and len(text) < 10 else 0
