"""The styles of a document as they look on a page, each with what it takes from its ancestors."""

from collections.abc import Iterator, Mapping
from typing import Literal

from recto.word.ooxml.names import Element, attribute, child, children, value
from recto.word.ooxml.styles import Styles, whole
from recto.word.page.model import PageStyle

MAX_ANCESTORS = 20
ON = ("1", "true", "on", "")
HEX = frozenset("0123456789abcdefABCDEF")
HIGHLIGHTS = {
    "yellow": "ffff00", "green": "00ff00", "cyan": "00ffff", "magenta": "ff00ff", "blue": "0000ff",
    "red": "ff0000", "darkBlue": "00008b", "darkCyan": "008b8b", "darkGreen": "006400",
    "darkMagenta": "800080", "darkRed": "8b0000", "darkYellow": "808000", "darkGray": "a9a9a9",
    "lightGray": "d3d3d3", "black": "000000",
}  # fmt: skip
ALIGNMENTS = {
    "both": "justify", "distribute": "justify", "center": "center", "right": "right", "end": "right"
}  # fmt: skip
Kind = Literal["paragraph", "character"]


def switch(properties: Element | None, name: str) -> bool | None:
    """Whether a format is on or off; None if nothing is said of it."""
    found = child(properties, name) if properties is not None else None
    return None if found is None else attribute(found, "val") in ON


def underlined(properties: Element | None) -> bool | None:
    """The same of underlining, which has kinds."""
    found = child(properties, "u") if properties is not None else None
    return None if found is None else attribute(found, "val") not in ("none", "0", "false")


def colour(properties: Element | None) -> str:
    """The colour of letters as six digits; empty for the usual one."""
    found = value(properties, "color") if properties is not None else ""
    return found.lower() if len(found) == 6 and set(found) <= HEX else ""


def highlight(properties: Element | None) -> str:
    """The colour behind letters."""
    return HIGHLIGHTS.get(value(properties, "highlight"), "") if properties is not None else ""


def size(properties: Element | None) -> float:
    """The size of letters in points; 0 if nothing is said of it."""
    return whole(value(properties, "sz")) / 2 if properties is not None else 0


def alignment(properties: Element | None) -> str:
    """How lines are aligned; empty for the usual way."""
    return ALIGNMENTS.get(value(properties, "jc"), "") if properties is not None else ""


def indent(properties: Element | None) -> float:
    """How far a paragraph stands in, in points."""
    found = child(properties, "ind") if properties is not None else None
    if found is None:
        return 0
    return whole(attribute(found, "left") or attribute(found, "start")) / 20


def page_styles(root: Element | None, styles: Styles) -> Iterator[PageStyle]:
    """Every style of paragraphs and letters, in the document's order."""
    if root is None:
        return
    found = {
        attribute(item, "styleId"): item
        for item in children(root, "style")
        if attribute(item, "type") in ("paragraph", "character")
    }
    for name, item in found.items():
        kind: Kind = "paragraph" if attribute(item, "type") == "paragraph" else "character"
        yield page_style(name, kind, root, found, styles)


def page_style(
    name: str, kind: Kind, root: Element, all_of_them: Mapping[str, Element], styles: Styles
) -> PageStyle:
    """One style."""
    chain = ancestors(name, all_of_them)
    runs: list[Element | None] = [child(item, "rPr") for item in chain]
    paragraphs: list[Element | None] = [child(item, "pPr") for item in chain]
    if kind == "paragraph":
        runs.append(default_of(root, "rPrDefault", "rPr"))
        paragraphs.append(default_of(root, "pPrDefault", "pPr"))
    spaced = [found for item in paragraphs if item is not None
              and (found := child(item, "spacing")) is not None]  # fmt: skip
    return PageStyle(
        name,
        value(chain[0], "name") or name,
        kind,
        level=styles.heading_level(None, name) if kind == "paragraph" else 0,
        is_default=name == styles.default,
        bold=first_switch(runs, "b"),
        italic=first_switch(runs, "i"),
        underline=next((on for item in runs if (on := underlined(item)) is not None), False),
        strike=first_switch(runs, "strike"),
        colour=next((found for item in runs if (found := colour(item))), ""),
        size=next((found for item in runs if (found := size(item))), 0),
        align=next((found for item in paragraphs if (found := alignment(item))), ""),
        before=next(
            (whole(text) / 20 for item in spaced if (text := attribute(item, "before"))), 0
        ),
        after=next((whole(text) / 20 for item in spaced if (text := attribute(item, "after"))), 0),
        indent=next((found for item in paragraphs if (found := indent(item))), 0),
    )


def first_switch(runs: list[Element | None], name: str) -> bool:
    """A format as the nearest ancestor has it that says anything of it."""
    return next((on for item in runs if (on := switch(item, name)) is not None), False)


def default_of(root: Element, holder: str, name: str) -> Element | None:
    """What holds for every paragraph of a document."""
    defaults = child(root, "docDefaults")
    found = child(defaults, holder) if defaults is not None else None
    return child(found, name) if found is not None else None


def ancestors(name: str, all_of_them: Mapping[str, Element]) -> list[Element]:
    """A style and those it is based on."""
    seen: list[str] = []
    while name in all_of_them and name not in seen and len(seen) < MAX_ANCESTORS:
        seen.append(name)
        name = value(all_of_them[name], "basedOn")
    return [all_of_them[item] for item in seen]
