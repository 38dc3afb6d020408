"""Which tools a chat sends along, and which earlier calls: a call and its result always together.

A turn ends with an answer that calls no tool. The current turn is never taken apart, but where no
tools are sent at all.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from recto.context.conversation import Checkpoint, ConversationMessage
from recto.messages import Message, Native, Part, Thinking, ToolCall, ToolResult, ToolSpec
from recto.tools import CALL_TOOL

InclusionMode = Literal["auto", "all_on", "all_off", "manual", "cached"]
MODES: tuple[InclusionMode, ...] = ("auto", "all_on", "all_off", "manual", "cached")
"""In the order in which the button goes round."""
WHOLE_MODES: frozenset[InclusionMode] = frozenset({"cached", "all_on"})
"""Those that leave no call out."""
OWN = "Recto"
MOST_INDEX = 6_000
"""The most characters of the index of tools."""
LONGEST_LINE = 110
AT_HAND = ("read_file", "edit_file", "list_files", "search_content")
"""What nearly every turn needs: told at once, also where a provider searches for tools."""


@dataclass(frozen=True, slots=True)
class ToolInclusion:
    """What a chat sends of tools."""

    mode: InclusionMode = "cached"
    tools: tuple[str, ...] = ()
    """In the manual mode: the tools that are ticked."""
    forget_after: int | None = None
    """In the manual mode: of how many earlier turns calls are still sent; None for all."""


def included_tools(
    tools: Sequence[ToolSpec], inclusion: ToolInclusion, *, is_searched: bool = False
) -> tuple[ToolSpec, ...]:
    """The definitions that are sent, always in the same order.

    `is_searched`: the model's provider has a search of its own for tools that are deferred.
    """
    match inclusion.mode:
        case "cached" | "all_on":
            return tuple(tools)
        case "all_off":
            return ()
        case "manual":
            return tuple(tool for tool in tools if tool.name in inclusion.tools)
        case "auto" if is_searched:
            return tuple(replace(tool, deferred=tool.name not in AT_HAND) for tool in tools)
        case "auto":
            return (call_tool(tools),) if tools else ()


def call_tool(tools: Sequence[ToolSpec]) -> ToolSpec:
    """The one tool that stands for all others: an index of them, and a way to call each."""
    description = (
        "Use any of the tools in the index below. First call with the tool's name alone: the "
        "answer is its description and what it takes. Then call again with the arguments. A word "
        "that is no tool's name finds tools by name and description.\n\n"
        f"{tool_index(tools)}"
    )
    fields = {
        "tool": {"type": "string", "description": "A name from the index, or words to find one."},
        "arguments": {
            "type": "string",
            "description": "Its arguments: a JSON object, as text. Leave it out to read about it.",
        },
    }
    schema = {
        "type": "object",
        "properties": fields,
        "required": ["tool"],
        "additionalProperties": False,
    }
    return ToolSpec(CALL_TOOL, description, schema)


def tool_index(tools: Sequence[ToolSpec]) -> str:
    """All tools by the server they are from, a line each, up to a limit."""
    groups: dict[str, list[ToolSpec]] = {}
    for tool in tools:
        groups.setdefault(server_of(tool.name), []).append(tool)
    lines: list[str] = []
    left, room = len(tools), MOST_INDEX
    for server, some in groups.items():
        lines.append(f"{server}:")
        for tool in some:
            line = f"- {tool.name}: {first_sentence(tool.description)}"
            if len(line) > room:
                return "\n".join([*lines, f"and {left:,} more tools: find them by a word."])
            room, left = room - len(line), left - 1
            lines.append(line)
    return "\n".join(lines)


def server_of(name: str) -> str:
    """Where a tool is from: an MCP server's are called `server__tool`."""
    server, found, _ = name.partition("__")
    return server if found else OWN


def first_sentence(text: str) -> str:
    """The beginning of a description, in one line."""
    line = " ".join(text.split()).partition(". ")[0].removesuffix(".")
    return line if len(line) <= LONGEST_LINE else f"{line[: LONGEST_LINE - 1]}…"


def without_calls(
    history: Sequence[ConversationMessage | Checkpoint], inclusion: ToolInclusion
) -> list[ConversationMessage | Checkpoint]:
    """The history without the calls that the mode leaves out, and without their results."""
    if inclusion.mode in WHOLE_MODES:
        return list(history)
    ages = turn_ages(history)
    kept: list[ConversationMessage | Checkpoint] = []
    gone: set[str] = set()
    pinned_results = results_pinned(history)
    for item, age in zip(history, ages, strict=True):
        if isinstance(item, Checkpoint):
            kept.append(item)
        elif item.message.role == "assistant":
            is_pinned = item.pinned or any(call.id in pinned_results for call in item.message.calls)
            gone = set() if is_pinned else left_out_calls(item.message, age, inclusion)
            kept.append(without_parts(item, gone))
        else:
            kept.append(without_parts(item, gone))
    return [item for item in kept if isinstance(item, Checkpoint) or says_something(item)]


def turn_ages(history: Sequence[ConversationMessage | Checkpoint]) -> list[int]:
    """How many turns ago each message was: 0 for the one that is not answered yet."""
    ages: list[int] = []
    age = 0
    for item in reversed(history):
        is_end = (
            isinstance(item, ConversationMessage)
            and item.message.role == "assistant"
            and not item.message.calls
        )
        age += is_end
        ages.append(age)
    return ages[::-1]


def results_pinned(history: Sequence[ConversationMessage | Checkpoint]) -> set[str]:
    """The calls whose results are sent whatever happens."""
    pinned = (item for item in history if isinstance(item, ConversationMessage) and item.pinned)
    return {result.call_id for item in pinned for result in item.message.results}


def left_out_calls(message: Message, age: int, inclusion: ToolInclusion) -> set[str]:
    """The calls of an answer that are not sent, by id."""
    return {call.id for call in message.calls if not is_sent(call, age, inclusion)}


def is_sent(call: ToolCall, age: int, inclusion: ToolInclusion) -> bool:
    """Whether a call, and with it its result, is sent."""
    if inclusion.mode == "all_off":
        return False
    if age == 0:
        return True
    if inclusion.mode == "auto":
        return False
    is_known = inclusion.forget_after is None or age <= inclusion.forget_after
    return is_known and call.name in inclusion.tools


def without_parts(item: ConversationMessage, gone: Collection[str]) -> ConversationMessage:
    """A message without calls and results of these ids.

    A thought goes with the calls that it led to: alone, its provider refuses it.
    """
    if not gone:
        return item
    parts: tuple[Part, ...] = tuple(
        part
        for part in item.message.parts
        if not (isinstance(part, ToolCall) and part.id in gone)
        and not (isinstance(part, ToolResult) and part.call_id in gone)
        and not isinstance(part, Thinking | Native)
    )
    return replace(item, message=Message(item.message.role, parts))


def says_something(item: ConversationMessage) -> bool:
    """Whether anything of a message is left."""
    return bool(item.message.parts or item.attachments)
