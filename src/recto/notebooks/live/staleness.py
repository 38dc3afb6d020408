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
        used, defined = names_in(ast.parse("\n".join(lines)))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return RanCell(order, source, nothing, nothing, is_known=False)
    return RanCell(order, source, frozenset(used), frozenset(defined), is_known=True)


def names_in(tree: ast.Module) -> tuple[set[str], set[str]]:
    """The names that code uses of others, and those that it defines for others."""
    used: set[str] = set()
    read_block(tree.body, set(), used)
    return used, {name for node in ast.walk(tree) for name in defined_by(node)}


def read_block(block: Sequence[ast.stmt], own: set[str], used: set[str]) -> None:
    """Go through statements in order: what one defines, those behind it use as their own."""
    for node in block:
        match node:
            case ast.For() | ast.AsyncFor():
                used |= loaded(node.iter) - own
                own |= stored(node.target)
                read_block([*node.body, *node.orelse], own, used)
            case ast.If():
                used |= loaded(node.test) - own
                ways = [set(own), set(own)]
                for way, part in zip(ways, (node.body, node.orelse), strict=True):
                    read_block(part, way, used)
                own |= ways[0] & ways[1]
            case ast.With() | ast.AsyncWith():
                for item in node.items:
                    used |= loaded(item) - own
                    own |= stored(item)
                read_block(node.body, own, used)
            case ast.AugAssign():
                used |= (loaded(node.value) | stored(node.target)) - own
            case ast.While() | ast.Try():  # nobody knows how much of it runs
                used |= loaded(node) - own
            case _:
                used |= loaded(node) - own
                own |= {name for part in ast.walk(node) for name in defined_by(part)}


def loaded(node: ast.AST) -> set[str]:
    """The names that a piece of code takes, but for those of its comprehensions and parameters."""
    found: set[str] = set()
    local: set[str] = set()
    for part in ast.walk(node):
        match part:
            case ast.Name(id=name, ctx=ast.Load()):
                found.add(name)
            case ast.comprehension(target=target):
                local |= stored(target)
            case ast.arg(arg=name):
                local.add(name)
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                local |= {name for inner in part.body for name in stored(inner)}
            case _:
                pass
    return found - local


def stored(node: ast.AST) -> set[str]:
    """The names that a piece of code gives a value."""
    return {
        part.id
        for part in ast.walk(node)
        if isinstance(part, ast.Name) and not isinstance(part.ctx, ast.Load)
    }


def defined_by(node: ast.AST) -> set[str]:
    """The names that one node of code defines."""
    match node:
        case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
            return {name}
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            return {name}
        case ast.Import(names=names) | ast.ImportFrom(names=names):
            return {(item.asname or item.name).partition(".")[0] for item in names}
        case _:
            return set()


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
        if any(other.is_known and mine.used & other.defined for _, other in later):
            found[cell_id] = "names"
        elif any(at < place and not (other.is_known and mine.is_known) for at, other in later):
            found[cell_id] = "place"
    return found
