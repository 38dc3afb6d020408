"""Numbers of sections, figures, tables and equations, and what refers to them.

They are written into the document before pandoc sees it, so that they are the same in every format.
"""

import re
from dataclasses import dataclass, field
from typing import Any, cast

from recto.publishing.labels import Labels
from recto.publishing.printed_words import PrintedWords
from recto.publishing.tree import Node, change_nodes, plain_text, words
from recto.references import CROSS_REFERENCE

LABEL = re.compile(r"^\{#(?P<id>eq:[^\s{}]+)\}$")
NARROW = "\u00a0"
GAP = "\u2002"
SPACE: Node = {"t": "Space"}
COMMA: tuple[Node, ...] = ({"t": "Str", "c": ","}, SPACE)


@dataclass
class Numbering:
    """What has been numbered so far."""

    labels: Labels
    words: PrintedWords
    sections: bool
    top: int = 1
    """The level of the highest headings."""
    headings: dict[str, list[Node]] = field(default_factory=dict[str, list[Node]])
    """The words of all headings, for whoever refers to one without a number."""
    numbers: dict[str, str] = field(default_factory=dict[str, str])
    counts: dict[str, int] = field(default_factory=dict[str, int])
    levels: list[int] = field(default_factory=list[int])
    missing: list[str] = field(default_factory=list[str])

    def name(self, identifier: str) -> str:
        """What that is called which a label such as fig:gauge is of."""
        return str(getattr(self.words, identifier.partition(":")[0]))

    def next(self, kind: str, identifier: str) -> str:
        """The next number of a kind, noted for whoever refers to it."""
        self.counts[kind] = self.counts.get(kind, 0) + 1
        number = str(self.counts[kind])
        if identifier:
            self.numbers[identifier] = number
        return number

    def section(self, level: int, identifier: str) -> str:
        """The number of a section: 2.1."""
        level -= self.top - 1
        self.levels = [*self.levels[:level], *[0] * (level - len(self.levels))]
        self.levels[level - 1] += 1
        number = ".".join(map(str, self.levels[:level]))
        self.numbers[identifier] = number
        return number


def number_all(
    blocks: list[Node], labels: Labels, words: PrintedWords, *, sections: bool
) -> tuple[list[Node], tuple[str, ...]]:
    """The blocks with everything numbered, and the labels that nothing has."""
    numbering = Numbering(labels, words, sections, top_level(blocks))
    numbered = change_nodes(blocks, lambda node: number_node(node, numbering))
    linked = change_nodes(numbered, lambda node: refer(node, numbering))
    return cast("list[Node]", linked), tuple(dict.fromkeys(numbering.missing))


def top_level(blocks: list[Node]) -> int:
    """The level of the highest headings, which count 1, 2, 3 below a title of level 1, too."""
    levels: list[int] = []

    def note(node: Node) -> None:
        if node["t"] == "Header":
            levels.append(node["c"][0])

    change_nodes(blocks, note)
    return min(levels, default=1)


def number_node(node: Node, numbering: Numbering) -> Node | None:
    """A block with its number, wherever it stands: in a list, a quotation, a note."""
    match node:
        case {"t": "Header", "c": [level, [identifier, classes, rest], text]}:
            numbering.headings[identifier] = text
            if not numbering.sections or "unnumbered" in classes:
                return None
            number = numbering.section(level, identifier)
            shown = [{"t": "Str", "c": f"{number}{GAP}"}, *text]
            return {"t": "Header", "c": [level, [identifier, classes, rest], shown]}
        case {"t": "Figure", "c": [attributes, caption, content]}:
            number = numbering.next("fig", attributes[0])
            return {
                "t": "Figure",
                "c": [attributes, captioned(caption, numbering.words.fig, number), content],
            }
        case {"t": "Table", "c": [attributes, caption, *rest]} if caption[1]:
            number = numbering.next("tbl", attributes[0])
            return {
                "t": "Table",
                "c": [attributes, captioned(caption, numbering.words.tbl, number), *rest],
            }
        case {"t": "CodeBlock", "c": [[identifier, classes, pairs], code]} if identifier.startswith(
            "lst:"
        ):
            number = numbering.next("lst", identifier)
            text = dict(pairs).get("caption", "")
            caption = [None, [{"t": "Plain", "c": words(text)}] if text else []]
            rest = [pair for pair in pairs if pair[0] != "caption"]
            content = [{"t": "CodeBlock", "c": [["", classes, rest], code]}]
            shown = captioned(caption, numbering.words.lst, number)
            return {"t": "Figure", "c": [[identifier, [], []], shown, content]}
        case {"t": "Para" | "Plain" as kind, "c": [*inlines]}:
            return {"t": kind, "c": number_equations(inlines, numbering)}
        case _:
            return None


def captioned(caption: list[Any], name: str, number: str) -> list[Any]:
    """A caption that begins with its number."""
    short, [*blocks] = caption
    lead: list[Node] = [{"t": "Strong", "c": words(f"{name}{NARROW}{number}.")}]
    if not blocks:
        return [short, [{"t": "Plain", "c": lead}]]
    first = cast("Node", blocks[0])
    return [short, [{"t": first["t"], "c": [*lead, {"t": "Space"}, *first["c"]]}, *blocks[1:]]]


def number_equations(inlines: list[Node], numbering: Numbering) -> list[Node]:
    """Formulas on lines of their own that have a label get a number, and lose the label."""
    made: list[Node] = []
    for inline in inlines:
        label = LABEL.match(inline["c"]) if inline["t"] == "Str" else None
        before = next((one for one in reversed(made) if one["t"] != "Space"), None)
        if label is None or before is None or before["t"] != "Math":
            made.append(inline)
            continue
        while made[-1]["t"] == "Space":
            made.pop()
        identifier = numbering.labels.new(label["id"])
        number = numbering.next("eq", identifier)
        kind, formula = made.pop()["c"]
        made.append({"t": "Math", "c": [kind, f"{formula} \\qquad ({number})"]})
        # Typst gives a label to what stands before it.
        made.append({"t": "Span", "c": [[identifier, [], []], []]})
    return made


def refer(node: Node, numbering: Numbering) -> Node | list[Node] | None:
    """A reference to a figure, a table, an equation or a section, in words."""
    if node["t"] != "Cite":
        return None
    citations = cast("list[Node]", node["c"][0])
    identifiers = [str(citation["citationId"]) for citation in citations]
    if not all(CROSS_REFERENCE.match(identifier) for identifier in identifiers):
        return None
    last: tuple[Node, ...] = (SPACE, *words(numbering.words.joins), SPACE)
    made: list[Node] = []
    for at, (citation, identifier) in enumerate(zip(citations, identifiers, strict=True)):
        if made:
            made += last if at == len(citations) - 1 else COMMA
        hides = citation["citationMode"]["t"] == "SuppressAuthor"
        shown = target_words(identifier, numbering)
        if not hides:
            shown = [{"t": "Str", "c": f"{numbering.name(identifier)}{NARROW}"}, *shown]
        link: Node = {"t": "Link", "c": [["", [], []], shown, [f"#{identifier}", ""]]}
        # pandoc keeps no space at the edges of what stands before and behind.
        before, after = citation["citationPrefix"], citation["citationSuffix"]
        made += [*before, SPACE, link] if before else [link]
        made += [SPACE, *after] if plain_text(after)[:1].isalnum() else after
    return made


def target_words(identifier: str, numbering: Numbering) -> list[Node]:
    """The number of what is referred to; of a section without one, its heading."""
    number = numbering.numbers.get(identifier)
    heading = numbering.headings.get(identifier)
    if number is None and heading is not None:
        return [{"t": "Quoted", "c": [{"t": "DoubleQuote"}, heading]}]
    if number is None:
        numbering.missing.append(identifier)
    return [{"t": "Str", "c": number or "?"}]


def title_of(blocks: list[Node]) -> str:
    """The words of the first heading."""
    return next((plain_text(block["c"][2]) for block in blocks if block["t"] == "Header"), "")
