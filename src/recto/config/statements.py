"""Where each statement of a TOML text stands, so that one value can be changed and no byte else.

The text must be known to be TOML: tomllib reads it first. Nothing is judged here.
"""

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

Kind = Literal["table", "list", "value"]
Span = tuple[int, int]

STRING = (
    r'"""(?:\\.|[^\\])*?"{3,5}'
    r"|'''.*?'{3,5}"
    r'|"(?:\\.|[^"\\\n])*"'
    r"|'[^'\n]*'"
)
TOKEN = re.compile(rf"{STRING}|#[^\n]*|[\[\]{{}}\n]|[ \t\r]+|[^\s\"'#\[\]{{}}]+", re.DOTALL)
PART = r"""(?:"(?:\\.|[^"\\\n])*"|'[^'\n]*'|[A-Za-z0-9_-]+)"""
KEY = re.compile(rf"{PART}(?:[ \t]*\.[ \t]*{PART})*")
BETWEEN = re.compile(r"(?:[ \t\r\n]+|#[^\n]*)*")
OPENING = re.compile(r"\[\[?[ \t]*")


@dataclass(frozen=True, slots=True)
class Statement:
    """A table's header, or a name with its value."""

    kind: Kind
    path: tuple[str, ...]
    """The whole name, that of the table it stands in included."""
    table: tuple[str, ...]
    """The table it stands in, or opens."""
    start: int
    """Where its line begins."""
    value: Span
    end: int
    """Where the next line begins; a comment behind the value is before it."""


def statements(text: str) -> Iterator[Statement]:
    """Every statement, in the order of the text."""
    table: tuple[str, ...] = ()
    position = after_blank(text, 0)
    while position < len(text):
        start = text.rfind("\n", 0, position) + 1
        opening = OPENING.match(text, position)
        path, behind = read_key(text, opening.end() if opening else position)
        if opening:
            kind: Kind = "list" if opening[0].startswith("[[") else "table"
            table, value = path, (behind, behind)
        else:
            kind, path = "value", table + path
            value = value_at(text, text.index("=", behind) + 1)
        end = line_end(text, value[1])
        yield Statement(kind, path, table, start, value, end)
        position = after_blank(text, end)


def comments(text: str, span: Span) -> list[str]:
    """The comments in a part of the text that begins and ends between two tokens."""
    found = (token[0] for token in TOKEN.finditer(text, *span))
    return [one.rstrip() for one in found if one.startswith("#")]


def after_blank(text: str, position: int) -> int:
    """Where the next statement's name begins, or the end."""
    blank = BETWEEN.match(text, position)
    return blank.end() if blank else position


def read_key(text: str, position: int) -> tuple[tuple[str, ...], int]:
    """The parts of a dotted name, and where it ends."""
    found = KEY.match(text, position)
    if found is None:
        raise ValueError(f"No name stands at {position}.")
    parts = (tomllib.loads(f"{part} = 0") for part in re.findall(PART, found[0]))
    return tuple(name for part in parts for name in part), found.end()


def value_at(text: str, position: int) -> Span:
    """Where a value begins and ends, without the white space and the comment around it."""
    start = end = position
    depth = 0
    for token in TOKEN.finditer(text, position):
        sign = token[0]
        if depth == 0 and sign[0] in "#\n":
            break
        if sign.isspace():
            continue
        start = token.start() if end == position else start
        end = token.end()
        depth += (sign in "[{") - (sign in "]}")
    return start, end


def line_end(text: str, position: int) -> int:
    """Where the line after this place begins."""
    found = text.find("\n", position)
    return len(text) if found < 0 else found + 1
