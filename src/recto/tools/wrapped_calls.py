"""Calls through `call_tool`: one tool that stands for all, where a chat sends only an index."""

import json
from typing import Any, cast

from recto.messages import ToolCall
from recto.tools.tool import Declaration, ToolOutcome, failed, said

CALL_TOOL = "call_tool"
MOST_FOUND = 20


def unwrapped(call: ToolCall) -> ToolCall:
    """The call that is meant; one that only asks about tools stays as it is."""
    if call.name != CALL_TOOL:
        return call
    name, given = call.arguments.get("tool"), call.arguments.get("arguments")
    if not isinstance(name, str) or given in (None, ""):
        return call
    arguments = read_object(given)
    return call if arguments is None else ToolCall(call.id, name, arguments)


def read_object(given: object) -> dict[str, Any] | None:
    """Arguments as an object: most models write JSON as text, some the object itself."""
    if isinstance(given, str):
        try:
            given = json.loads(given)
        except ValueError:
            return None
    return cast("dict[str, Any]", given) if isinstance(given, dict) else None


def describe_tools(call: ToolCall, offered: tuple[Declaration, ...]) -> ToolOutcome:
    """What a call is told that names a tool without arguments, or looks for one."""
    name = str(call.arguments.get("tool", ""))
    if call.arguments.get("arguments") not in (None, ""):
        return failed("`arguments` must be a JSON object, as text. Write it again.")
    exact = [tool for tool in offered if tool.name == name]
    if exact:
        return said(definition(exact[0]), fact="definition")
    words = name.casefold().split()
    found = [tool for tool in offered if words and fits(tool, words)]
    if not found:
        return failed(f"No tool is called {name[:100]!r}, and none fits. The index lists them.")
    return said("\n\n".join(map(definition, found[:MOST_FOUND])), fact=f"{len(found)} found")


def fits(tool: Declaration, words: list[str]) -> bool:
    """Whether a tool's name and description have all of these words."""
    text = f"{tool.name} {tool.title} {tool.description}".casefold()
    return all(word in text for word in words)


def definition(tool: Declaration) -> str:
    """All that a model must know to call a tool."""
    return f"{tool.name}: {tool.description}\nTakes: {json.dumps(tool.parameters)}"
