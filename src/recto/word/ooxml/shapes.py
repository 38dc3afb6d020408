"""What elements look like, to compare them, without what programs write anew at each save."""

from collections.abc import Iterator
from typing import NamedTuple

from recto.word.ooxml.names import WORD_2010, Element, attribute, kind

NOISE = ("proofErr", "lastRenderedPageBreak", "noProof")
NOISY_ATTRIBUTES = ("rsid", "paraId", "textId")
LAST_EDIT = "_GoBack"


def shape(item: Element) -> tuple[object, ...]:
    """An element's name, attributes and children."""
    return (item.tag, attributes(item), item.text or "", tuple(map(shape, kept(item))))


def attributes(item: Element) -> tuple[tuple[str, str], ...]:
    """The attributes that count. Numbers of changes and bookmarks don't: they are given anew."""
    is_numbered = kind(item) in ("ins", "del", "moveFrom", "moveTo", "bookmarkStart", "bookmarkEnd")
    return tuple(
        sorted(
            (str(key), str(value))
            for key, value in item.attrib.items()
            if not (is_numbered and str(key).endswith("}id"))
            and not str(key).rpartition("}")[2].startswith(NOISY_ATTRIBUTES)
            and not str(key).startswith(f"{{{WORD_2010}}}")
        )
    )


def kept(item: Element) -> Iterator[Element]:
    """The children that count."""
    for found in item:
        if kind(found) not in NOISE and not is_last_edit(found) and isinstance(found.tag, str):
            yield found


def is_last_edit(item: Element) -> bool:
    """Whether it is the bookmark that Word sets at the last edit."""
    return kind(item) == "bookmarkStart" and attribute(item, "name") == LAST_EDIT


def run_shape(run: Element) -> object:
    """A run's format."""
    return next((shape(item) for item in run if kind(item) == "rPr"), None)


class RunShape(NamedTuple):
    """A run: its format, and what is in it."""

    format: object
    nodes: tuple[object, ...]


def block_shape(item: Element) -> object:
    """A block or note with its text; how a text is cut into runs of one format does not count."""
    if kind(item) == "r":
        nodes = (node_shape(node) for node in kept(item) if kind(node) != "rPr")
        return RunShape(run_shape(item), tuple(nodes))
    found: list[object] = []
    for inner in kept(item):
        new = block_shape(inner) if kind(inner) else shape(inner)
        last = found[-1] if found else None
        if isinstance(last, RunShape) and isinstance(new, RunShape) and last.format == new.format:
            found[-1] = joined(last, new)
        else:
            found.append(new)
    text = (item.text or "").strip() if kind(item) not in ("t", "delText") else item.text or ""
    return (item.tag, attributes(item), text, tuple(found))


def node_shape(node: Element) -> object:
    """Something in a run; text by its letters alone."""
    return node.text or "" if kind(node) == "t" else shape(node)


def joined(left: RunShape, right: RunShape) -> RunShape:
    """Two runs of one format as one."""
    nodes: list[object] = []
    for node in (*left.nodes, *right.nodes):
        last = nodes[-1] if nodes else None
        if isinstance(node, str) and isinstance(last, str):
            nodes[-1] = last + node
        else:
            nodes.append(node)
    return RunShape(left.format, tuple(nodes))
