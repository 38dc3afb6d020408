"""Calls of tools that are no plain functions, in the shape in which the client expects them."""

import json
from typing import Any, cast

from recto.llm.protocols.openai_responses.offered_tools import INPUT, ClientTool

Item = dict[str, Any]


def call_item(call_id: str, name: str, tool: ClientTool | None) -> tuple[str, Item]:
    """A call without its arguments, and how its id begins."""
    if tool is None:
        item = {"type": "function_call", "call_id": call_id, "name": name, "arguments": ""}
        return "fc", item
    if tool.kind == "tool_search":
        item = {"type": "tool_search_call", "call_id": call_id, "execution": "client"}
        return "tsc", {**item, "arguments": {}}
    named: Item = {"call_id": call_id, "name": tool.name}
    if tool.namespace is not None:
        named["namespace"] = tool.namespace
    if tool.kind == "custom":
        return "ctc", {"type": "custom_tool_call", **named, "input": ""}
    return "fc", {"type": "function_call", **named, "arguments": ""}


def free_text(raw: str) -> str:
    """The input of a free-form tool; what a model wrote instead of it, if that is what it did."""
    found = arguments_of(raw).get(INPUT)
    return found if isinstance(found, str) else raw


def arguments_of(raw: str) -> dict[str, Any]:
    """The arguments as an object; empty if they are none."""
    try:
        found: object = json.loads(raw)
    except ValueError:
        return {}
    return cast(dict[str, Any], found) if isinstance(found, dict) else {}
