"""The provider's own search for tools: deferred ones in namespaces, by the server they are from."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from recto.llm.names import wire_name
from recto.llm.natives import has_natives
from recto.llm.protocols.openai_responses.body import FunctionTool, Namespace, SearchTool
from recto.llm.traits import Traits
from recto.messages import Message, Native, Part, Request, ToolSpec, encodable

SEARCHES = ("tool_search_call", "tool_search_output")
OWN = "recto"
"""The namespace of tools that no server lends."""
MOST_NAMED = 12
LONGEST_DESCRIPTION = 500


def namespaces(request: Request, traits: Traits) -> Mapping[str, str]:
    """The namespace of each deferred tool, by the name that it has on the wire."""
    if not traits.tool_search or request.tool_choice.mode in ("any", "one"):
        return {}
    return {wire_name(tool.name): namespace(tool) for tool in request.tools if tool.deferred}


def namespace(tool: ToolSpec) -> str:
    """Where a tool is from: an MCP server's are called `server__tool`."""
    server, found, _ = tool.name.partition("__")
    return wire_name(server) if found and server else OWN


def in_namespaces(
    functions: Sequence[FunctionTool], spaces: Mapping[str, str]
) -> list[FunctionTool | Namespace | SearchTool]:
    """The tools of a request: those at hand, the search, and what it searches."""
    groups: dict[str, list[FunctionTool]] = {}
    for function in functions:
        if function.name in spaces:
            function.defer_loading = True
            groups.setdefault(spaces[function.name], []).append(function)
    if not groups:
        return [*functions]
    at_hand = [function for function in functions if function.name not in spaces]
    found = [
        Namespace(name=name, description=told(some), tools=some) for name, some in groups.items()
    ]
    return [*at_hand, SearchTool(), *found]


def told(functions: Sequence[FunctionTool]) -> str:
    """What a namespace is for: the names of what is in it."""
    names = [function.name for function in functions[:MOST_NAMED]]
    more = f" and {len(functions) - MOST_NAMED:,} more" if len(functions) > MOST_NAMED else ""
    return encodable(f"{', '.join(names)}{more}")[:LONGEST_DESCRIPTION]


def without_searches(messages: tuple[Message, ...]) -> tuple[Message, ...]:
    """The messages without searches, for a request whose tools are all told at once."""
    if not has_natives(messages):
        return messages

    def is_kept(part: Part) -> bool:
        return not (isinstance(part, Native) and part.provider.payload.get("type") in SEARCHES)

    return tuple(
        replace(message, parts=tuple(filter(is_kept, message.parts))) for message in messages
    )
