"""The tools of each folder with the rules that hold now, and the user's own rules as settings."""

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Literal

import anyio.to_thread

from recto.config import Home
from recto.notebooks import Notebooks
from recto.tools.builtin import DECLARATIONS, builtin_tools
from recto.tools.notebook import notebook_tools
from recto.tools.permission import Permissions
from recto.tools.registry import Toolbox
from recto.tools.research import ResearchServices
from recto.tools.rules import (
    REACHES_OUT,
    ToolRule,
    ToolRules,
    folder_rules,
    read_rules,
    write_rules,
)
from recto.tools.shell import SandboxLevel, Shell, find_sandbox
from recto.tools.tool import Declaration
from recto.workspace import Workspace

Permission = Literal["allow", "ask", "deny"]


class NoSuchTool(Exception):
    """There is no tool of this name."""

    def __init__(self, name: str) -> None:
        self.message = f"There is no tool {name}."
        self.remedy = "Choose one from the list."
        super().__init__(f"{self.message} {self.remedy}")


@dataclass(frozen=True, slots=True)
class ToolSetting:
    """A tool, and how it may be used."""

    declaration: Declaration
    permission: Permission
    rules: tuple[str, ...]
    """The user's rules about some of its calls."""


class Toolboxes:
    """Opens toolboxes, and keeps the user's own rules."""

    def __init__(
        self,
        home: Home,
        research: ResearchServices | None = None,
        notebooks: Notebooks | None = None,
    ) -> None:
        """Without services, toolboxes have no tools for references, the web and notebooks."""
        self._home = home
        self._research = research
        self._notebooks = notebooks
        self._levels: dict[str | None, SandboxLevel] = {}

    async def open(self, workspace: Workspace) -> Toolbox:
        """The tools of a folder. Raises RulesInvalid."""
        level = await self.level(workspace.root)
        shell = Shell(workspace, secret=[str(self._home.folder)], level=level)
        permissions = Permissions(
            own=await anyio.to_thread.run_sync(self.own_rules),
            folder=await folder_rules(workspace),
            sandboxed=level.kind == "sandboxed",
            confined=level.kind == "confined",
        )
        more = () if self._notebooks is None else notebook_tools(self._notebooks)
        return Toolbox((*builtin_tools(shell, self._research), *more), permissions)

    async def level(self, root: str | None = None) -> SandboxLevel:
        """How far commands are kept apart in a folder, or at all; tried once."""
        if root not in self._levels:
            self._levels[root] = await find_sandbox(root)
        return self._levels[root]

    def own_rules(self) -> ToolRules:
        """The user's own rules; none when there is no file. Raises RulesInvalid."""
        try:
            data = self._home.tools_file.read_bytes()
        except FileNotFoundError:
            return ToolRules()
        return read_rules(data, "tools.json")

    def save(self, data: bytes) -> None:
        """Keep the user's own rules."""
        self._home.replace(self._home.tools_file, data)

    def settings(self) -> tuple[ToolSetting, ...]:
        """Every tool, and how it may be used. Raises RulesInvalid."""
        rules = self.own_rules()
        return tuple(setting_of(declaration, rules) for declaration in DECLARATIONS)

    def reaches_out(self) -> bool:
        """Whether tools that reach a third party may be used at all. Raises RulesInvalid."""
        return ToolRule(REACHES_OUT) not in self.own_rules().disabled

    def let_reach_out(self, *, allowed: bool) -> None:
        """Turn all tools that reach a third party off, or let each have its own rule again.

        Raises RulesInvalid.
        """
        rules = self.own_rules()
        rest = tuple(rule for rule in rules.disabled if rule != ToolRule(REACHES_OUT))
        off = rest if allowed else (*rest, ToolRule(REACHES_OUT))
        self.save(write_rules(replace(rules, disabled=off)))

    def setting(self, declaration: Declaration) -> ToolSetting:
        """How a tool that is not one of ours may be used. Raises RulesInvalid."""
        return setting_of(declaration, self.own_rules())

    def permit_declared(self, declaration: Declaration, permission: Permission) -> None:
        """Say how a tool that is not one of ours may be used. Raises RulesInvalid."""
        self.save(write_rules(with_permission(self.own_rules(), declaration.ruled, permission)))

    def forget(self, names: Collection[str]) -> None:
        """Take away the user's rules about tools that are gone. Raises RulesInvalid."""
        rules = self.own_rules()
        bare = ToolRules(
            *(tuple(item for item in some if item.tool not in names) for some in lists(rules))
        )
        if bare != rules:
            self.save(write_rules(bare))

    def permit(self, name: str, permission: Permission) -> None:
        """Say how a tool may be used from now on. Raises NoSuchTool, RulesInvalid."""
        if name not in {declaration.name for declaration in DECLARATIONS}:
            raise NoSuchTool(name)
        self.save(write_rules(with_permission(self.own_rules(), name, permission)))


def setting_of(declaration: Declaration, rules: ToolRules) -> ToolSetting:
    """How a tool may be used by the user's own rules."""
    all_of_it = ToolRule(declaration.ruled)
    permission: Permission = "ask" if declaration.asks else "allow"
    if all_of_it in rules.disabled:
        permission = "deny"
    elif all_of_it in rules.ask:
        permission = "ask"
    elif all_of_it in rules.allow:
        permission = "allow"
    some = [
        item for item in rules.allow if item.tool == declaration.ruled and item.pattern is not None
    ]
    return ToolSetting(declaration, permission, tuple(map(str, some)))


def with_permission(rules: ToolRules, name: str, permission: Permission) -> ToolRules:
    """The rules with another permission for all of a tool; rules about some of its calls stay."""
    rule = ToolRule(name)
    bare = ToolRules(*(tuple(item for item in some if item != rule) for some in lists(rules)))
    match permission:
        case "deny":
            return replace(bare, disabled=(*bare.disabled, rule))
        case "ask":
            return replace(bare, ask=(*bare.ask, rule))
        case "allow":
            return replace(bare, allow=(*bare.allow, rule))


def lists(rules: ToolRules) -> tuple[tuple[ToolRule, ...], ...]:
    """The three lists of rules."""
    return rules.disabled, rules.ask, rules.allow
