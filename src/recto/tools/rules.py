"""The rules of tools.json: which tools are off, which ask, which need not.

A rule is a tool's name, or `name: pattern` about its main argument, with `*` for anything. The
user's own file is in the Recto home. A folder's own file can only make things stricter.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import msgspec

from recto.workspace import PathNotFound, Workspace

FOLDER_FILE = ".recto/tools.json"
MAX_BYTES = 1_000_000
REACHES_OUT = "reaches_out"
"""In `disabled`: every tool that reaches a third party."""


class RulesInvalid(Exception):
    """A file of rules can't be read; the words say which, why, and what to do."""

    def __init__(self, source: str, why: str) -> None:
        super().__init__(f"The tool rules in {source} can't be read: {why}. Correct the file.")


@dataclass(frozen=True, slots=True)
class ToolRule:
    """A tool, and which of its calls; None is all of them."""

    tool: str
    pattern: str | None = None

    def __str__(self) -> str:
        return self.tool if self.pattern is None else f"{self.tool}: {self.pattern}"


@dataclass(frozen=True, slots=True)
class ToolRules:
    """What one file says."""

    disabled: tuple[ToolRule, ...] = ()
    ask: tuple[ToolRule, ...] = ()
    allow: tuple[ToolRule, ...] = ()


class RulesFile(msgspec.Struct, forbid_unknown_fields=True):
    """The file as it is written."""

    version: Literal[1]
    disabled: list[str] = []
    ask: list[str] = []
    allow: list[str] = []


def read_rule(text: str, source: str) -> ToolRule:
    """A rule as people write it. Raises RulesInvalid."""
    tool, colon, pattern = (piece.strip() for piece in text.partition(":"))
    if not tool or (colon and not pattern):
        raise RulesInvalid(source, f"{text!r} is not a rule such as `run_command: git status*`")
    return ToolRule(tool, pattern if colon else None)


def read_rules(data: bytes, source: str) -> ToolRules:
    """What a file says. Raises RulesInvalid."""
    if len(data) > MAX_BYTES:
        raise RulesInvalid(source, f"it is over {MAX_BYTES // 1_000_000} MB")
    try:
        found = msgspec.json.decode(data, type=RulesFile)
    except msgspec.DecodeError as error:
        raise RulesInvalid(source, str(error)) from error
    lists = (found.disabled, found.ask, found.allow)
    return ToolRules(*(tuple(read_rule(text, source) for text in texts) for texts in lists))


def write_rules(rules: ToolRules) -> bytes:
    """The file that says this."""
    file = RulesFile(
        1, *(list(map(str, some)) for some in (rules.disabled, rules.ask, rules.allow))
    )
    return msgspec.json.format(msgspec.json.encode(file), indent=2) + b"\n"


def remember(rules: ToolRules, rule: ToolRule) -> ToolRules:
    """The rules when a call of this kind need not ask any more."""
    return replace(
        rules,
        ask=tuple(item for item in rules.ask if item != rule),
        allow=(*(item for item in rules.allow if item != rule), rule),
    )


async def folder_rules(workspace: Workspace) -> ToolRules:
    """What a folder's own file says, without what it would allow. Raises RulesInvalid."""
    try:
        data = await workspace.read_bytes(FOLDER_FILE, max_bytes=MAX_BYTES)
    except PathNotFound:
        return ToolRules()
    # A folder can come from a stranger: it may forbid, never allow.
    return stricter(read_rules(data, FOLDER_FILE))


def stricter(rules: ToolRules) -> ToolRules:
    """Only what makes things stricter."""
    return replace(rules, allow=())


def about(rules: Sequence[ToolRule], tool: str) -> tuple[ToolRule, ...]:
    """The rules for a tool."""
    return tuple(rule for rule in rules if rule.tool == tool)


def restricting(rules: Sequence[ToolRule], tool: str) -> tuple[ToolRule, ...]:
    """The rules for a tool that make it stricter: also those that don't say of which folder."""
    return tuple(rule for rule in rules if rule.tool in (tool, tool.partition("@")[0]))
