"""Which cells show what is not so any more, because names that they use were defined anew."""

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

Staleness = Literal["names", "place"]
"""`names`: a name that it uses was defined anew. `place`: a cell above ran later, and nobody knows
which names the two share."""


@dataclass(frozen=True, slots=True)
class RanCell:
    """A run of a cell: its number among all runs, and the names in its code."""

    order: int
    source: str
    used: frozenset[str]
    defined: frozenset[str]
    is_known: bool
    """Whether the names are known: the code is Python, and can be read."""


def ran_cell(order: int, source: str, language: str) -> RanCell:
    """What is known of a run by its code."""
    nothing: frozenset[str] = frozenset()
    if language != "python":
        return RanCell(order, source, nothing, nothing, is_known=False)
    lines = [line for line in source.split("\n") if not line.lstrip().startswith(("%", "!", "?"))]
    try:
        tree = ast.parse("\n".join(lines))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return RanCell(order, source, nothing, nothing, is_known=False)
    used, defined = names_in(tree)
    return RanCell(order, source, frozenset(used), frozenset(defined), is_known=True)


def names_in(tree: ast.Module) -> tuple[set[str], set[str]]:
    """The names that code uses, and those that it defines for others."""
    used: set[str] = set()
    defined: set[str] = set()
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name, ctx=ast.Load()):
                used.add(name)
            case ast.Name(id=name):
                defined.add(name)
            case (
                ast.FunctionDef(name=name)
                | ast.AsyncFunctionDef(name=name)
                | ast.ClassDef(name=name)
            ):
                defined.add(name)
            case ast.Import(names=names) | ast.ImportFrom(names=names):
                defined |= {(item.asname or item.name).partition(".")[0] for item in names}
            case ast.AugAssign(target=ast.Name(id=name)):
                used.add(name)
            case _:
                pass
    return used, defined


def stale_cells(order: Sequence[str], ran: Mapping[str, RanCell]) -> dict[str, Staleness]:
    """The cells that show something old, and by what it is known."""
    found: dict[str, Staleness] = {}
    for place, cell_id in enumerate(order):
        mine = ran.get(cell_id)
        if mine is None:
            continue
        later = [
            (at, ran[other])
            for at, other in enumerate(order)
            if other != cell_id and other in ran and ran[other].order > mine.order
        ]
        # What the cell itself defines before it uses it is still its own; that is not followed.
        if any(other.is_known and mine.used & other.defined for _, other in later):
            found[cell_id] = "names"
        elif any(at < place and not (other.is_known and mine.is_known) for at, other in later):
            found[cell_id] = "place"
    return found
