"""Whether a call may run, must ask, or is refused, by the user's rules and a few that always hold.

In this order: what is off is refused; a change to git's or Recto's own files is refused; a change
to a file that controls programs asks; a command outside a sandbox, or with the network, asks; what
the folder's rules ask about asks; then of the user's rules those about some calls before those
about all, and asking before allowing; then what the tool itself says. Once the AI has read text
that others may have written, a rule about all calls does not let it run commands or reach out.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from recto.tools.commands import allows, mentions, words
from recto.tools.control_files import is_control
from recto.tools.patterns import like
from recto.tools.rules import (
    REACHES_OUT,
    ToolRule,
    ToolRules,
    about,
    remember,
    restricting,
    write_rules,
)
from recto.tools.tool import Declaration
from recto.workspace import is_protected, plain

COMMAND = "run_command"
CELL = "run_cell"
UNSANDBOXED = "Commands run unsandboxed on this computer, so each one asks."
CONFINED = "Commands work directly in the folder on this computer, so each one asks."
WARY = "The AI has read files or other text in this chat, which may hold instructions of others."


@dataclass(frozen=True, slots=True)
class PermissionVerdict:
    """What is to be done with a call, and why, in words for people and models."""

    kind: Literal["allow", "ask", "deny"]
    why: str = ""


@dataclass(frozen=True, slots=True)
class CheckedCall:
    """A call as rules see it: its main argument, and every path it is about, links followed."""

    main: str = ""
    paths: tuple[str, ...] = ()
    network: bool = False
    unclear: str = ""
    """Why not all that it touches could be looked at."""


@dataclass(frozen=True, slots=True)
class Permissions:
    """The rules that hold for one folder."""

    own: ToolRules = ToolRules()
    folder: ToolRules = ToolRules()
    sandboxed: bool = False
    """Whether commands run in a sandbox, apart from the folder."""
    confined: bool = False
    """Whether commands that work in the folder directly are held to it."""
    wary: bool = False
    """Whether text was read that may hold instructions of others."""

    def is_disabled(self, tool: Declaration) -> bool:
        """Whether a tool is off altogether, and so is not even offered."""
        rules = restricting((*self.own.disabled, *self.folder.disabled), tool.ruled)
        return self._keeps_in(tool) or any(rule.pattern is None for rule in rules)

    def _keeps_in(self, tool: Declaration) -> bool:
        """Whether all tools that reach a third party are off, and this is one of them."""
        off = ToolRule(REACHES_OUT)
        return tool.reaches_out and off in (*self.own.disabled, *self.folder.disabled)

    def judge(self, tool: Declaration, asked: CheckedCall) -> PermissionVerdict:
        """Whether a call may run."""
        if self._keeps_in(tool):
            return PermissionVerdict("deny", "Tools that reach a third party are turned off.")
        refused = find(tool, asked, (*self.own.disabled, *self.folder.disabled))
        if refused is not None:
            return PermissionVerdict("deny", f"The user's rules turn this off: {refused}.")
        return (
            # Before any rule: no "always allow" of the past opens what must ask each time.
            self._always(tool, asked)
            or asking(find(tool, asked, self.folder.ask), "This folder's rules ask")
            or self._by_own_rules(tool, asked)
        )

    def with_grants(self, rules: Sequence[ToolRule]) -> "Permissions":
        """The same, with what the user has allowed for a while."""
        own = self.own
        for rule in rules:
            own = remember(own, rule)
        return replace(self, own=own)

    def remember(self, rule: ToolRule) -> bytes:
        """The user's own file, with a rule that lets such calls run from now on."""
        return write_rules(remember(self.own, rule))

    def rule_for(self, tool: Declaration, asked: CheckedCall) -> ToolRule | None:
        """What would let this call run without asking; None when nothing would."""
        # Offering "always" would be a promise that no rule can keep.
        if self._always(tool, asked) is not None:
            return None
        rule = ToolRule(tool.ruled, subject(tool, asked))
        # A rule with a "*" of the call's own in it would allow more than was asked about.
        if rule.pattern is not None and "*" in rule.pattern:
            return None
        if tool.name == COMMAND and words(asked.main) is None:
            return None
        return rule if self.with_grants([rule]).judge(tool, asked).kind == "allow" else None

    def _always(self, tool: Declaration, asked: CheckedCall) -> PermissionVerdict | None:
        """What no rule can change."""
        if tool.changes:
            for path in asked.paths:
                if any(is_protected(name) for name in path.split("/")):
                    return PermissionVerdict("deny", f'"{path}" belongs to git or to Recto.')
                if is_control(path):
                    why = (
                        f'"{path}" controls what programs or the AI do, so changing it always asks.'
                    )
                    return PermissionVerdict("ask", why)
            if asked.unclear:
                return PermissionVerdict("ask", asked.unclear)
        if tool.name == COMMAND and not self.sandboxed:
            return PermissionVerdict("ask", CONFINED if self.confined else UNSANDBOXED)
        if asked.network:
            return PermissionVerdict("ask", "It wants the network.")
        return None

    def _by_own_rules(self, tool: Declaration, asked: CheckedCall) -> PermissionVerdict:
        some, every = split(restricting(self.own.ask, tool.ruled))
        allowed_some, allowed_every = split(about(self.own.allow, tool.ruled))
        found = asking(find(tool, asked, some), "Your rules ask")
        if found is not None:
            return found
        if any(lets(tool, asked, rule) for rule in allowed_some):
            return PermissionVerdict("allow")
        if every:
            return PermissionVerdict("ask", f"Your rules ask: {every[0]}.")
        # A rule about this very command still counts; one about all was meant otherwise.
        if self.wary and is_outward(tool):
            return PermissionVerdict("ask", WARY)
        if allowed_every or not tool.asks:
            return PermissionVerdict("allow")
        return PermissionVerdict("ask", f"{tool.name} asks unless your rules allow it.")


def subject(tool: Declaration, asked: CheckedCall) -> str | None:
    """What a rule that lets such calls run names; None when it is about all calls of the tool."""
    if tool.name == COMMAND:
        return asked.main.strip()
    return asked.paths[0] if tool.asks_once and asked.paths else None


def is_outward(tool: Declaration) -> bool:
    """Whether a tool can do what text of others could want: run something, or send something."""
    return tool.reaches_out or tool.ruled in (COMMAND, CELL)


def asking(rule: ToolRule | None, words_before: str) -> PermissionVerdict | None:
    """The verdict of a rule that asks."""
    return None if rule is None else PermissionVerdict("ask", f"{words_before}: {rule}.")


def split(rules: Sequence[ToolRule]) -> tuple[tuple[ToolRule, ...], tuple[ToolRule, ...]]:
    """The rules about some calls, and those about all."""
    some = tuple(rule for rule in rules if rule.pattern is not None)
    return some, tuple(rule for rule in rules if rule.pattern is None)


def find(tool: Declaration, asked: CheckedCall, rules: Sequence[ToolRule]) -> ToolRule | None:
    """The first rule that is about a call, read generously: it asks or refuses."""
    return next((rule for rule in restricting(rules, tool.ruled) if covers(rule, asked)), None)


def covers(rule: ToolRule, asked: CheckedCall) -> bool:
    """Whether a rule that asks or refuses is about this call."""
    if rule.pattern is None:
        return True
    if rule.tool == COMMAND:
        return mentions(rule.pattern, asked.main)
    pattern = folded(rule.pattern)
    return any(like(pattern, folded(item)) for item in (asked.main, *asked.paths))


def lets(tool: Declaration, asked: CheckedCall, rule: ToolRule) -> bool:
    """Whether a rule that allows some calls is about this one, read strictly."""
    if rule.pattern is None:
        return False
    if tool.name == COMMAND:
        return allows(rule.pattern, asked.main)
    touched = asked.paths or ((asked.main,) if asked.main else ())
    return bool(touched) and all(like(rule.pattern, item) for item in touched)


def folded(text: str) -> str:
    """A text without the differences that a forgiving file system overlooks."""
    return "/".join("*".join(map(plain, name.split("*"))) for name in text.split("/"))
