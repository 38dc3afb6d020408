"""What a server says of a tool, what of it counts as changed, and the difference for people."""

import difflib
import hashlib
import json
from collections.abc import Mapping
from typing import Any, cast

import msgspec

from recto.mcp.approval import written_out

MAX_DIFFERENCE = 20_000
WORDS = frozenset({"description", "title", "$comment", "examples"})
"""What only tells, and does not decide which arguments fit."""
SETS = frozenset({"required", "enum", "type"})
"""Lists whose order says nothing."""


class ToolDefinition(msgspec.Struct, frozen=True):
    """A tool as its server describes it."""

    name: str
    description: str = ""
    title: str = ""
    parameters: dict[str, Any] = {}
    output: dict[str, Any] | None = None
    hints: dict[str, Any] = {}
    """What the server says of its effects: shown to people, believed by nobody."""
    app: str = ""
    """The address of the app that shows its answers."""
    for_models: bool = True
    for_apps: bool = True
    """Whether the server's apps may call it."""


def digest_of(tool: ToolDefinition) -> str:
    """What stands for a definition when a person has seen it."""
    return hash_of(plain_form(tool))


def shape_of(tool: ToolDefinition) -> str:
    """The same without its words: which arguments it takes, what it answers."""
    return hash_of(without_words(plain_form(tool)))


def plain_form(tool: ToolDefinition) -> Any:
    """A definition without what does not count: order and white space."""
    return settled(
        {
            "description": tool.description,
            "title": tool.title,
            "parameters": tool.parameters,
            "output": tool.output,
            "hints": tool.hints,
        }
    )


def settled(value: Any, name: str = "") -> Any:
    """JSON in one order, with single spaces."""
    if isinstance(value, Mapping):
        found = cast(Mapping[str, Any], value)
        return {key: settled(found[key], key) for key in sorted(found)}
    if isinstance(value, list):
        items = [settled(item) for item in cast(list[Any], value)]
        return sorted(items, key=json.dumps) if name in SETS else items
    return " ".join(value.split()) if isinstance(value, str) else value


def without_words(value: Any, *, named: bool = False) -> Any:
    """JSON without what only tells. `named`: its keys are names of arguments, not words."""
    if isinstance(value, Mapping):
        found = cast(Mapping[str, Any], value)
        return {
            key: without_words(item, named=not named and key in ("properties", "$defs"))
            for key, item in found.items()
            if named or key not in WORDS
        }
    if isinstance(value, list):
        return [without_words(item) for item in cast(list[Any], value)]
    return value


def hash_of(value: Any) -> str:
    """A hash of some JSON."""
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()


def difference(old: ToolDefinition, new: ToolDefinition) -> str:
    """What changed, as the hunks of a unified diff, invisible letters written out."""
    # Its words and the rest apart: what stands beside changed words would only be brackets.
    both = ((words_of(old), words_of(new)), (rest_of(old), rest_of(new)))
    text = "\n".join(line for before, after in both for line in hunks_of(before, after))
    if len(text) <= MAX_DIFFERENCE:
        return text
    # Never cut in silence: what is below could be the part that matters.
    more = len(text) - MAX_DIFFERENCE
    return f"{text[:MAX_DIFFERENCE]}\n… and {more:,} characters more, too many to show"


def hunks_of(old: str, new: str) -> list[str]:
    """The differing lines of two texts, without the two lines of names above them."""
    made = difflib.unified_diff(old.splitlines(), new.splitlines(), lineterm="", n=2)
    return list(made)[2:]


def words_of(tool: ToolDefinition) -> str:
    """A description as people read it."""
    lines = (" ".join(line.split()) for line in tool.description.splitlines())
    return written_out("\n".join(lines), plain="\n")


def rest_of(tool: ToolDefinition) -> str:
    """What a definition has besides its description, as people read it."""
    shown = {"title": tool.title, "input": tool.parameters, "output": tool.output}
    rest = json.dumps(
        {key: value for key, value in (shown | {"hints": tool.hints}).items() if value},
        indent=1,
        sort_keys=True,
        ensure_ascii=False,
    )
    return written_out(rest, plain="\n")
