"""The tools that a client of the Responses API offers, as functions that any model can call.

A model of another provider knows functions alone. A free-form tool becomes a function with one
text, a tool of a namespace one with the namespace before its name, and the search for tools that
the client does itself one like any other; a call of each goes back in the client's own shape.
What runs at OpenAI is left out where it is only offered, as a search of the web, and refused with
words where the client counts on it.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, cast

import msgspec
from msgspec import inspect

from recto.llm.encoding import known_only
from recto.llm.names import own_name
from recto.llm.protocols.openai_responses.answer import load
from recto.llm.protocols.openai_responses.body import FunctionTool
from recto.messages import encodable_json

FUNCTION = inspect.type_info(FunctionTool)
INPUT = "input"
TOOL_SEARCH = "tool_search"
OPTIONAL = ("web_search", "image_generation")
"""Tools of OpenAI's that clients offer with every request, whether anybody wants them or not."""

CallKind = Literal["function", "custom", "tool_search"]
Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class ClientTool:
    """How the client itself calls a tool."""

    kind: CallKind
    name: str
    namespace: str | None = None


@dataclass(slots=True)
class RequestTools:
    """The tools of one request."""

    functions: list[FunctionTool]
    own: dict[str, ClientTool]
    """Those that are no plain functions, by the name that models know."""


def read_offered(body: Json) -> RequestTools:
    """The tools of a request, wherever it names them. Raises ValueError with words."""
    offered = RequestTools([], {})
    for tool in [*listed(body.get("tools")), *tools_of_input(body.get("input"))]:
        add_tool(offered, tool, None)
    return offered


def client_tools(body: bytes) -> Mapping[str, ClientTool]:
    """The tools of a request that was served, by the name that models know."""
    return read_offered(read_object(body)).own


def read_object(body: bytes) -> Json:
    """A body as a JSON object. Raises ValueError with words."""
    try:
        raw: Any = msgspec.json.decode(body)
    except (msgspec.DecodeError, RecursionError):
        raw = encodable_json(load(body))
    if not isinstance(raw, dict):
        raise ValueError("The body must be a JSON object.")
    return cast(Json, raw)


def tools_of_input(items: object) -> Iterable[Json]:
    """Tools that stand in the conversation: added by the client, or found by its search."""
    for item in () if isinstance(items, str) else listed(items):
        if item.get("type") in ("additional_tools", "tool_search_output"):
            yield from listed(item.get("tools"))


def listed(value: object) -> list[Json]:
    """A list of objects. Raises ValueError with words."""
    try:
        return msgspec.convert(value or [], list[dict[str, Any]])
    except msgspec.ValidationError as error:
        raise ValueError(f"The request can't be read: {error}.") from error


def add_tool(offered: RequestTools, tool: Json, namespace: str | None) -> None:
    """One tool, or all of a namespace."""
    match tool.get("type"):
        case "namespace" if namespace is None:
            for one in listed(tool.get("tools")):
                add_tool(offered, one, str(tool.get("name")))
        case "function":
            add_function(offered, tool, "function", namespace)
        case "custom":
            add_function(offered, as_function(tool), "custom", namespace)
        case "tool_search" if tool.get("execution") == "client":
            found = {**tool, "name": TOOL_SEARCH, "strict": False}
            add_function(offered, found, "tool_search", None)
        case str(kind) if kind.startswith(OPTIONAL):
            pass
        case kind:
            raise ValueError(
                f"The tool `{kind}` runs at OpenAI alone: this model can't use it. Leave it out."
            )


def add_function(offered: RequestTools, tool: Json, kind: CallKind, namespace: str | None) -> None:
    """A function, and how its client calls it."""
    try:
        known = {"parameters": None, "strict": None, **known_only(tool, FUNCTION)}
        function = msgspec.convert({**known, "type": "function"}, FunctionTool)
    except msgspec.ValidationError as error:
        raise ValueError(f"A tool can't be read: {error}.") from error
    own = ClientTool(kind, function.name, namespace)
    function.name = joined_name(function.name, namespace)
    if any(one.name == function.name for one in offered.functions):
        return
    offered.functions.append(function)
    if own.kind != "function" or own.namespace is not None:
        offered.own[own_name(function.name)] = own


def as_function(tool: Json) -> Json:
    """A free-form tool as a function with one text; its grammar is told in words."""
    words = str(tool.get("description") or "")
    form = cast(Json, tool["format"]) if isinstance(tool.get("format"), dict) else {}
    if form.get("type") == "grammar":
        words += (
            f"\n\nThe text must follow this {form.get('syntax')} grammar:\n{form.get('definition')}"
        )
    text = {"type": "string", "description": "The whole input of the tool, as free text."}
    schema = {
        "type": "object",
        "properties": {INPUT: text},
        "required": [INPUT],
        "additionalProperties": False,
    }
    return {"name": tool.get("name"), "description": words, "parameters": schema, "strict": False}


def joined_name(name: str, namespace: str | None) -> str:
    """The name by which a model knows a tool."""
    return name if namespace is None else f"{namespace}__{name}"


def as_plain_choice(choice: object) -> object:
    """The wish for one tool. Raises ValueError with words if it runs at OpenAI."""
    if not isinstance(choice, dict):
        return choice
    asked = cast(Json, choice)
    match asked.get("type"):
        case "custom":
            return {"type": "function", "name": asked.get("name")}
        case "function" | "allowed_tools":
            return asked
        case kind:
            raise ValueError(
                f"`tool_choice` asks for `{kind}`, which runs at OpenAI alone: this model can't "
                "use it. Leave it out."
            )


def as_plain_item(item: Json) -> Json:
    """A call of any kind, or its result, as that of a function; anything else as it is."""
    match item.get("type"):
        case "function_call" if item.get("namespace"):
            return {**item, "name": joined_name(str(item.get("name")), str(item["namespace"]))}
        case "custom_tool_call":
            name = joined_name(str(item.get("name")), item.get("namespace"))
            arguments = json.dumps({INPUT: item.get("input", "")})
            return plain_call(item, name, arguments)
        case "custom_tool_call_output":
            return {**item, "type": "function_call_output"}
        case "tool_search_call":
            return plain_call(item, TOOL_SEARCH, json.dumps(item.get("arguments") or {}))
        case "tool_search_output":
            found = RequestTools([], {})
            for tool in listed(item.get("tools")):
                add_tool(found, tool, None)
            names = ", ".join(tool.name for tool in found.functions)
            words = f"These tools can be called now: {names}." if names else "No tool was found."
            output = {"type": "function_call_output", "call_id": item.get("call_id")}
            return {**output, "output": words}
        case _:
            return item


def plain_call(item: Json, name: str, arguments: str) -> Json:
    """A call of a function in the place of another kind of call."""
    call = {"type": "function_call", "call_id": item.get("call_id")}
    return {**call, "name": name, "arguments": arguments}
