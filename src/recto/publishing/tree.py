"""pandoc's tree of a document: walking it, and the few nodes that we make ourselves."""

from collections.abc import Callable
from typing import Any, cast

Node = dict[str, Any]
Change = Callable[[Node], Node | list[Node] | None]
"""What becomes of a node: itself or another, several, or None where it stays as it is."""
RAW = ("RawInline", "RawBlock")
SILENT = ("<!--", "</")


def change_nodes(tree: object, change: Change) -> Any:
    """The tree with each node changed, the inner ones first."""
    if isinstance(tree, list):
        made: list[object] = []
        for item in cast("list[object]", tree):
            new = change_nodes(item, change)
            if isinstance(item, dict) and "t" in item and isinstance(new, list):
                made += cast("list[object]", new)
            else:
                made.append(new)
        return made
    if not isinstance(tree, dict):
        return tree
    node = {name: change_nodes(value, change) for name, value in cast("Node", tree).items()}
    if "t" not in node:
        return node
    changed = change(node)
    return node if changed is None else changed


def drop_raw(node: Node, dropped: list[str]) -> Node | list[Node] | None:
    """Raw LaTeX, HTML and the like go: they could load files. A line break of HTML stays one.

    What goes is noted, but for comments and the ends of elements.
    """
    if node["t"] not in RAW:
        return None
    kind, text = node["c"]
    if node["t"] == "RawInline" and kind == "html" and text.lower().startswith("<br"):
        return {"t": "LineBreak"}
    if not text.lstrip().startswith(SILENT):
        dropped.append(" ".join(text.split()))
    return []


def plain_text(tree: object) -> str:
    """The words of some nodes."""
    if isinstance(tree, list):
        return "".join(plain_text(item) for item in cast("list[object]", tree))
    if not isinstance(tree, dict):
        return ""
    node = cast("Node", tree)
    match node.get("t"):
        case "Str":
            return str(node["c"])
        case "Space" | "SoftBreak" | "LineBreak":
            return " "
        case "Code" | "Math":
            return str(node["c"][1])
        case "Note":
            return ""
        case _:
            return plain_text(node.get("c"))


def words(text: str) -> list[Node]:
    """A text as inline nodes."""
    made: list[Node] = []
    for word in text.split(" "):
        if made:
            made.append({"t": "Space"})
        made.append({"t": "Str", "c": word})
    return made


def meta_text(text: str) -> Node:
    """A text as a value of the document's data."""
    return {"t": "MetaInlines", "c": words(text)}
