"""The provider's own search for tools: which definitions it holds back, which searches go back.

A search that found a tool that is not there any more would be refused, so it is left out.
"""

from collections.abc import Collection, Iterator, Sequence, Set
from dataclasses import replace
from typing import Any, cast

from recto.llm.names import wire_name
from recto.llm.natives import has_natives
from recto.llm.protocols.anthropic_messages.body import SearchTool
from recto.llm.protocols.anthropic_messages.lower_parts import native_block
from recto.messages import Json, Message, Native, Origin, Part, ToolSpec, called_names

NAME = "tool_search_tool_bm25"
SEARCH = SearchTool(f"{NAME}_20251119", NAME)
RESULT = "tool_search_tool_result"


def held_back(
    tools: Sequence[ToolSpec], messages: Sequence[Message], origin: Origin
) -> frozenset[str]:
    """The tools that only a search tells of. One that was called without it is told at once."""
    found = {name for block in blocks(messages, origin) for name in found_tools(block)}
    called = set(map(wire_name, called_names(messages)))
    names = {wire_name(tool.name) for tool in tools if tool.deferred}
    return frozenset(name for name in names if name in found or name not in called)


def with_known_searches(
    messages: tuple[Message, ...], known: Set[str], origin: Origin
) -> tuple[Message, ...]:
    """The messages without the searches that found something that is not `known`."""
    if not has_natives(messages):
        return messages
    found = {
        str(block.get("id") or block.get("tool_use_id")): found_tools(block)
        for block in blocks(messages, origin)
        if is_search(block)
    }
    lost = {search for search, names in found.items() if not known or not known >= set(names)}
    return tuple(without(message, lost, origin) for message in messages) if lost else messages


def without(message: Message, lost: Collection[str], origin: Origin) -> Message:
    """A message without some searches and what they found."""

    def is_kept(part: Part) -> bool:
        block = native_block(part, origin) if isinstance(part, Native) else None
        if block is None or not is_search(block):
            return True
        return str(block.get("id") or block.get("tool_use_id")) not in lost

    return replace(message, parts=tuple(filter(is_kept, message.parts)))


def blocks(messages: Sequence[Message], origin: Origin) -> Iterator[Json]:
    """What the provider itself put into the messages."""
    for message in messages:
        for part in message.parts:
            if isinstance(part, Native) and (block := native_block(part, origin)):
                yield block


def is_search(block: Json) -> bool:
    """Whether a block is a search for tools, or what one found."""
    is_asked = block.get("type") == "server_tool_use" and block.get("name") == NAME
    return is_asked or block.get("type") == RESULT


def found_tools(block: Json) -> list[str]:
    """The tools that a search found, by name."""
    content: Any = block.get("content")
    if block.get("type") != RESULT or not isinstance(content, dict):
        return []
    found = cast("dict[str, Any]", content).get("tool_references") or ()
    return [str(item.get("tool_name")) for item in found]
