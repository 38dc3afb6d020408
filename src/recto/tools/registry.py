"""All tools of a folder: which a model is offered, whether a call may run, and running it."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any

import msgspec

from recto.messages import Json, ToolCall
from recto.tools.bounds import bounded
from recto.tools.permission import CheckedCall, Permissions, PermissionVerdict
from recto.tools.rules import ToolRule
from recto.tools.schema import read_arguments
from recto.tools.secret_content import without_committed, without_secrets
from recto.tools.tool import Declaration, Tool, ToolContext, ToolFailure, ToolOutcome, failed
from recto.workspace import TooLarge, Workspace, WorkspaceFailure

MAX_TOLD = 300
PATHS = ("path", "new_path")


class Toolbox:
    """Tools and the rules that hold for them. Nothing that a model can cause raises."""

    def __init__(self, tools: Sequence[Tool], permissions: Permissions) -> None:
        self._tools = {tool.name: tool for tool in tools}
        if len(self._tools) != len(tools):
            raise ValueError("Two tools have the same name.")
        self.permissions = permissions

    def with_tool(self, tool: Tool) -> "Toolbox":
        """The same tools and one more, under the same rules."""
        return Toolbox((*self._tools.values(), tool), self.permissions)

    def with_tools(self, tools: Sequence[Tool]) -> "Toolbox":
        """The same tools and some more, under the same rules."""
        return Toolbox((*self._tools.values(), *tools), self.permissions)

    def only(self, names: Collection[str]) -> "Toolbox":
        """Of the same tools those of these names, under the same rules."""
        kept = [tool for tool in self._tools.values() if tool.name in names]
        return Toolbox(kept, self.permissions)

    def offered(self, *, plan: bool = False) -> tuple[Declaration, ...]:
        """What a model is told of, always in the same order. A plan may change nothing."""
        return tuple(
            tool.declaration
            for tool in self._tools.values()
            if not self.permissions.is_disabled(tool.declaration)
            and not (plan and tool.declaration.changes)
        )

    def find(self, name: str) -> Declaration | None:
        """A tool by name, also one that is off."""
        tool = self._tools.get(name)
        return None if tool is None else tool.declaration

    async def judge(self, call: ToolCall, workspace: Workspace) -> PermissionVerdict:
        """Whether a call may run. One that can't run at all need not ask: it is told why."""
        try:
            tool, arguments = await self._read(call, workspace)
        except ToolFailure:
            # It can't run: nobody is bothered with it, the model is told why.
            return PermissionVerdict("allow")
        return self.permissions.judge(tool.declaration, await look(tool, arguments, workspace))

    async def rule_for(self, call: ToolCall, workspace: Workspace) -> ToolRule | None:
        """What to remember so that such a call need not ask; None when nothing helps."""
        try:
            tool, arguments = await self._read(call, workspace)
        except ToolFailure:
            return None
        return self.permissions.rule_for(tool.declaration, await look(tool, arguments, workspace))

    async def call(
        self, call: ToolCall, context: ToolContext, *, plan: bool = False
    ) -> ToolOutcome:
        """Run a call. A call that had to ask runs only with `context.approved`."""
        # Here, for every tool: what is kept from the AI is kept from all of them.
        context = replace(context, workspace=context.workspace.for_tools())
        try:
            outcome = await self._run(call, context, plan=plan)
        except (WorkspaceFailure, ToolFailure) as failure:
            outcome = failed(str(failure))
        main = getattr(self.find(call.name), "main", "")
        subject = str(call.arguments.get(main) or call.name)
        outcome = await without_committed(outcome, context.workspace)
        outcome = await without_secrets(outcome, subject, context)
        summarise = None if outcome.is_error else context.summarise
        return await bounded(outcome, context.outputs, context.room, summarise)

    async def _run(self, call: ToolCall, context: ToolContext, *, plan: bool) -> ToolOutcome:
        tool, arguments = await self._read(call, context.workspace, plan=plan)
        asked = await look(tool, arguments, context.workspace)
        # Judged again: between the question and the run, links or rules may have changed.
        verdict = self.permissions.judge(tool.declaration, asked)
        if verdict.kind == "deny":
            return failed(f"This call is refused. {verdict.why} Go on without it.")
        if verdict.kind == "ask" and not context.approved:
            return failed(f"The user has to agree to this call first. {verdict.why}")
        return await tool.run(arguments, context)

    async def _read(
        self, call: ToolCall, workspace: Workspace, *, plan: bool = False
    ) -> tuple[Tool, Any]:
        """The tool of a call and its arguments. Raises ToolFailure."""
        tool = self._tools.get(call.name)
        if tool is None or (plan and tool.declaration.changes):
            names = ", ".join(offer.name for offer in self.offered(plan=plan))
            asked = call.name[:MAX_TOLD]
            raise ToolFailure(f"There is no tool {asked!r} here. There are: {names}.")
        if tool.read is not None:
            return tool, tool.read(call.arguments)
        try:
            given = await plainly(call.arguments, workspace)
            return tool, read_arguments(tool.arguments, given)
        except msgspec.ValidationError as error:
            takes = ", ".join(describe(tool.declaration))
            told = f"The arguments of {tool.name} don't fit: {error}. It takes {takes}."
            raise ToolFailure(told) from error


async def plainly(arguments: Json, workspace: Workspace) -> Json:
    """The arguments as tools take them: paths relative to the folder, without null.

    Models write absolute paths, "./a" and "a/../b", and null for what is left out.
    """
    given = {name: value for name, value in arguments.items() if value is not None}
    paths = {
        name: await relative(given[name], workspace)
        for name in PATHS
        if isinstance(given.get(name), str)
    }
    return {**given, **paths}


async def relative(path: str, workspace: Workspace) -> str:
    """A path relative to the folder; as written when it is refused, which the tool will tell."""
    try:
        return await workspace.relative_path(path)
    except WorkspaceFailure:
        return path


def describe(declaration: Declaration) -> list[str]:
    """The arguments of a tool, in a few words each."""
    required = declaration.parameters["required"]
    return [
        f"{name} ({schema['type']}{'' if name in required else ', optional'})"
        for name, schema in declaration.parameters["properties"].items()
    ]


async def look(tool: Tool, arguments: Any, workspace: Workspace) -> CheckedCall:
    """A call as rules see it: every path it is about, as written and as it really is."""
    declared = tool.declaration
    paths = tool.touches(arguments)
    touched = [*paths, *[await real(path, workspace) for path in paths]]
    unclear = ""
    if tool.takes_folders and paths:
        try:
            touched += await below(paths, workspace)
        except TooLarge as failure:
            unclear = failure.message
    # Where another tool's rules hold, they are about paths, not about this tool's own argument.
    has_main = declared.main and not declared.rules_of
    main = getattr(arguments, declared.main) if has_main else ""
    several = () if isinstance(main, str) else tuple(main)
    return CheckedCall(
        main="" if several else main,
        # A rule that allows must be about each of several, one that asks about any.
        paths=tuple(dict.fromkeys([*touched, *several])),
        network=getattr(arguments, "network", False),
        unclear=unclear,
    )


async def real(path: str, workspace: Workspace) -> str:
    """Where a path really is; as written when it is refused, which the tool will tell."""
    try:
        return await workspace.real_path(path)
    except WorkspaceFailure:
        return path


async def below(paths: Sequence[str], workspace: Workspace) -> list[str]:
    """All that is below the first path, there and where it goes. Raises TooLarge."""
    try:
        found = await workspace.paths_below(paths[0])
    except TooLarge:
        raise
    except WorkspaceFailure:
        return []  # the tool meets the same failure and tells it
    return [path + item[len(paths[0]) :] for path in paths for item in found]
