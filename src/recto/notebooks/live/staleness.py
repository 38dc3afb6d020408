"""Which cells show what is not so any more, because names that they use were defined anew."""

import ast
from collections.abc import Iterator, Mapping, Sequence
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
    return used, set(defined_in(tree))


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
                own |= set(defined_in(node))


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


def defined_in(node: ast.AST) -> Iterator[str]:
    """The names that a piece of code defines for others, without those of its inner scopes."""
    match node:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            yield name
            return
        case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp() | ast.Lambda():
            # Only what `:=` names is seen outside of a comprehension.
            named = [part.target.id for part in ast.walk(node) if isinstance(part, ast.NamedExpr)]
            yield from () if isinstance(node, ast.Lambda) else named
            return
        case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
            yield name
        case ast.Import(names=names) | ast.ImportFrom(names=names):
            yield from ((item.asname or item.name).partition(".")[0] for item in names)
        case (
            ast.MatchAs(name=str(name))
            | ast.MatchStar(name=str(name))
            | ast.MatchMapping(rest=str(name))
        ):
            yield name
        case _:
            pass
    for inner in ast.iter_child_nodes(node):
        yield from defined_in(inner)


def stale_cells(order: Sequence[str], ran: Mapping[str, RanCell]) -> dict[str, Staleness]:
    """The cells that show something old, and by what it is known."""
    shown = [(cell_id, ran[cell_id]) for cell_id in order if cell_id in ran]
    defined: dict[str, int] = {}
    """The last run that defined each name."""
    for _, cell in shown:
        for name in cell.defined:
            defined[name] = max(cell.order, defined.get(name, 0))
    found: dict[str, Staleness] = {}
    # The last run among the cells above; and among those whose names nobody knows.
    last = last_unknown = 0
    for cell_id, mine in shown:
        if any(defined.get(name, 0) > mine.order for name in mine.used):
            found[cell_id] = "names"
        elif (last_unknown if mine.is_known else last) > mine.order:
            found[cell_id] = "place"
        last = max(last, mine.order)
        if not mine.is_known:
            last_unknown = max(last_unknown, mine.order)
    return found
