"""Changes single values of a TOML text. Everything else, every comment too, stays as it is.

The caller reads what comes out: the file may be written in a way that this does not follow.
"""

import json
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import TypeAlias

from recto.config.statements import Span, Statement, comments, statements

Scalar = str | int | float | bool
Value: TypeAlias = "Scalar | Sequence[Value] | Mapping[str, Value]"
Item = Mapping[str, Scalar]


def with_value(text: str, section: str, name: str, value: Scalar) -> str:
    """The text with another value for one name of a table."""
    found = list(statements(text))
    for one in found:
        if one.kind == "value" and one.path == (section, name):
            return replaced(text, one, written(value))
        if one.kind == "value" and one.path == (section,):
            return with_inner(text, one, name, value)
    return with_line(text, found, section, name, written(value))


def with_list(text: str, section: str, name: str, items: Sequence[Item]) -> str:
    """The text with another list of small tables for one name of a table."""
    found = list(statements(text))
    for one in found:
        if one.kind == "value" and one.path == (section, name):
            return replaced(text, one, written(items))
        if one.kind == "value" and one.path == (section,):
            return with_inner(text, one, name, items)
    return with_blocks(text, blocks_of(text, found, (section, name)), (section, name), items)


def written(value: Value) -> str:
    """A value as TOML writes it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, int | float):
        return str(int(value)) if value == int(value) else repr(value)
    if isinstance(value, Mapping):
        return f"{{ {', '.join(f'{name} = {written(one)}' for name, one in value.items())} }}"
    return f"[{', '.join(written(one) for one in value)}]"


def replaced(text: str, one: Statement, value: str) -> str:
    """Another value in place; comments inside the old one move above it."""
    start, end = one.value
    above = lines(text, comments(text, one.value))
    return text[: one.start] + above + text[one.start : start] + value + text[end:]


def with_inner(text: str, one: Statement, name: str, value: Value) -> str:
    """A table that is written in one line, with another value in it."""
    start, end = one.value
    inner: dict[str, Value] = tomllib.loads(f"x = {text[start:end]}")["x"]
    return replaced(text, one, written({**inner, name: value}))


def with_line(text: str, found: Sequence[Statement], section: str, name: str, value: str) -> str:
    """A new line where the table's lines are, or a new table at the end."""
    inside = [one for one in found if one.table == (section,)]
    dotted = [one for one in found if one.table == () and one.path[0] == section]
    if inside:
        return inserted(text, inside[-1].end, [f"{name} = {value}"])
    if dotted:
        return inserted(text, dotted[-1].end, [f"{section}.{name} = {value}"])
    gap = [""] if text else []
    return inserted(text, len(text), [*gap, f"[{section}]", f"{name} = {value}"])


@dataclass(frozen=True, slots=True)
class Block:
    """One table of a list of tables, with the comment that stands right above it."""

    start: int
    end: int
    fields: Mapping[str, Statement]
    item: Mapping[str, object]

    @property
    def span(self) -> Span:
        """Its place in the text."""
        return self.start, self.end


def with_blocks(
    text: str, blocks: Sequence[Block], path: tuple[str, str], items: Sequence[Item]
) -> str:
    """A list of tables that says other things: a table that stays keeps its words and comments."""
    used = matched(blocks, items)
    new = [
        block_text(text, blocks[at], item) if at is not None else new_block(text, path, item)
        for at, item in zip(used, items, strict=True)
    ]
    parts: list[str] = []
    position = 0
    for at, block in enumerate(blocks):
        left = [] if at in used else comments(text, block.span)
        parts += [text[position : block.start], lines(text, left), *new[at : at + 1]]
        position = block.end
    more = new[len(blocks) :]
    so_far, rest = "".join(parts), text[position:]
    if not blocks:
        so_far, rest = rest, ""
    for one in more:
        so_far = inserted(so_far, len(so_far), [""] if so_far else []) + one
    return so_far + rest


def blocks_of(text: str, found: Sequence[Statement], path: tuple[str, str]) -> list[Block]:
    """The tables of a list of tables."""
    blocks: list[Block] = []
    before = 0
    for at, one in enumerate(found):
        if one.kind == "list" and one.path == path:
            inside = list(takewhile(lambda inner: inner.kind == "value", found[at + 1 :]))
            end = inside[-1].end if inside else one.end
            start = comment_above(text, one.start, before)
            fields = {inner.path[-1]: inner for inner in inside}
            item = {name: read_value(text, inner.value) for name, inner in fields.items()}
            blocks.append(Block(start, end, fields, item))
        before = one.end
    return blocks


def comment_above(text: str, start: int, least: int) -> int:
    """Where the comment begins that stands right above a line."""
    while start > least:
        above = text.rfind("\n", least, start - 1) + 1 or least
        if not text[above:start].lstrip(" \t").startswith("#"):
            break
        start = above
    return start


def matched(blocks: Sequence[Block], items: Sequence[Item]) -> list[int | None]:
    """Which table becomes which item: the same one, else one with a value in common."""
    found: dict[int, int] = {}
    for is_same in (True, False):
        for number, item in enumerate(items):
            least = len(item) if is_same else 1
            left = [at for at in range(len(blocks)) if at not in found.values()]
            fitting = [at for at in left if alike(blocks[at], item) >= least]
            if number not in found and fitting:
                found[number] = fitting[0]
    return [found.get(number) for number in range(len(items))]


def alike(block: Block, item: Item) -> int:
    """How many values a table and an item have in common."""
    return sum(block.item.get(name) == value for name, value in item.items())


def block_text(text: str, block: Block, item: Item) -> str:
    """A table's own text, with other values where they differ."""
    own = text[block.start : block.end]
    for name, one in sorted(block.fields.items(), key=lambda field: -field[1].start):
        if item[name] != block.item[name]:
            start, end = (place - block.start for place in one.value)
            own = own[:start] + written(item[name]) + own[end:]
    return inserted(own, len(own), [])


def new_block(text: str, path: tuple[str, str], item: Item) -> str:
    """A table that was not there."""
    values = [f"{name} = {written(value)}" for name, value in item.items()]
    return lines(text, [f"[[{'.'.join(path)}]]", *values])


def read_value(text: str, span: Span) -> object:
    """What a value says."""
    return tomllib.loads(f"x = {text[span[0] : span[1]]}")["x"]


def inserted(text: str, place: int, new: Sequence[str]) -> str:
    """The text with more lines at the beginning of a line, or at the end."""
    before = text[:place]
    if before and not before.endswith("\n"):
        before += newline_of(text)
    return before + lines(text, new) + text[place:]


def lines(text: str, some: Sequence[str]) -> str:
    """Lines, ended as the text ends its own."""
    return "".join(one + newline_of(text) for one in some)


def newline_of(text: str) -> str:
    """How lines end in a text."""
    return "\r\n" if "\r\n" in text else "\n"
