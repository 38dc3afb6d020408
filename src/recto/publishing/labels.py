"""Places that links lead to: each with a label of its own, and no link that leads nowhere.

Typst gives up at a label that is missing or there twice; other programs lead to the wrong place.
"""

from collections.abc import Collection
from dataclasses import dataclass, field
from itertools import count
from typing import Any, cast
from urllib.parse import unquote

from recto.publishing.tree import Node, change_nodes
from recto.references import CROSS_REFERENCE

LISTING = "lst:"
ATTRIBUTES = {"Header": 1, "Div": 0, "Span": 0, "Figure": 0, "Table": 0}
"""What carries a label in every format, and where its attributes stand."""
WRAPPED = {"Code": "Span", "Link": "Span", "Image": "Span", "CodeBlock": "Div"}
"""What carries none in a PDF, and what is put around it."""


@dataclass
class Labels:
    """The labels of a draft so far."""

    taken: set[str] = field(default_factory=set[str])
    repeated: list[str] = field(default_factory=list[str])
    """Those that somebody gave to two places."""

    def new(self, identifier: str, *, is_heading: bool = False) -> str:
        """The label of a place; another one where a place before has this."""
        if identifier not in self.taken:
            self.taken.add(identifier)
            return identifier
        # Headings have labels that nobody gave them: each chapter may have its Introduction.
        if not is_heading or CROSS_REFERENCE.match(identifier):
            self.repeated.append(identifier)
        tries = (f"{identifier}-{number}" for number in count(2))
        return self.new(next(one for one in tries if one not in self.taken))

    def own(self, blocks: Any) -> Any:
        """A part of the draft with labels that no other part has, which its links follow."""
        renamed: dict[str, str] = {}

        def label(node: Node) -> Node | None:
            kind = node["t"]
            at = ATTRIBUTES.get(kind, 0 if kind in WRAPPED else None)
            if at is None or not node["c"][at][0]:
                return None
            identifier, classes, pairs = node["c"][at]
            new = self.new(identifier, is_heading=kind == "Header")
            renamed.setdefault(identifier, new)
            if kind in WRAPPED and not identifier.startswith(LISTING):
                inner = {"t": kind, "c": [["", classes, pairs], *node["c"][1:]]}
                return {"t": WRAPPED[kind], "c": [[new, [], []], [inner]]}
            content = [*node["c"]]
            content[at] = [new, classes, pairs]
            return {"t": kind, "c": content}

        def follow(node: Node) -> Node | None:
            if node["t"] != "Link":
                return None
            attributes, words, [target, title] = node["c"]
            new = renamed.get(unquote(target[1:])) if target.startswith("#") else None
            return (
                None if new is None else {"t": "Link", "c": [attributes, words, [f"#{new}", title]]}
            )

        return change_nodes(change_nodes(blocks, label), follow)


def without_dead_links(tree: Any, known: Collection[str]) -> tuple[Any, list[str]]:
    """A tree in which every link within it leads somewhere, and the labels that nothing has.

    `known` are labels that are made later.
    """
    there = {*known}
    missing: list[str] = []

    def note(node: Node) -> None:
        at = ATTRIBUTES.get(node["t"])
        if at is not None:
            there.add(node["c"][at][0])

    def check(node: Node) -> Node | list[Node] | None:
        if node["t"] != "Link" or not node["c"][2][0].startswith("#"):
            return None
        attributes, words, [target, title] = node["c"]
        identifier = target[1:] if target[1:] in there else unquote(target[1:])
        if identifier and identifier in there:
            return {"t": "Link", "c": [attributes, words, [f"#{identifier}", title]]}
        if identifier:
            missing.append(identifier)
        return cast("list[Node]", words)

    change_nodes(tree, note)
    return change_nodes(tree, check), missing
