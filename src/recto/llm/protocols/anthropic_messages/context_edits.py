"""What a client wants left out of a long conversation, done here for models of other providers.

Anthropic's API does it before its models read: old results of tools become a note, old thoughts go.
"""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import msgspec

from recto.llm.encoding import convert
from recto.messages import Message, Part, Text, Thinking, ToolCall, ToolResult

CLEAR_TOOLS = "clear_tool_uses_20250919"
CLEAR_THINKING = "clear_thinking_20251015"
USUAL_TRIGGER = 100_000
USUAL_TOOL_USES = 3
BYTES_A_TOKEN = 4
CLEARED = Text("[cleared to save room]")


class _Amount(msgspec.Struct):
    type: str
    value: int


class _Edit(msgspec.Struct):
    type: str
    trigger: _Amount | None = None
    keep: _Amount | str | None = None
    exclude_tools: list[str] | None = None
    clear_tool_inputs: bool | list[str] | None = None


class _Management(msgspec.Struct):
    edits: list[_Edit] = []


def edit_context(messages: tuple[Message, ...], management: Any) -> tuple[Message, ...]:
    """The messages with every edit made. Raises ValueError for one that can't be made here."""
    if management is None:
        return messages
    for edit in convert(management, _Management).edits:
        match edit.type:
            case "clear_tool_uses_20250919":
                messages = clear_tools(messages, edit)
            case "clear_thinking_20251015":
                messages = clear_thinking(messages, edit)
            case other:
                raise ValueError(
                    f"context_management: {other} runs at Anthropic alone: leave it out."
                )
    return messages


def clear_tools(messages: tuple[Message, ...], edit: _Edit) -> tuple[Message, ...]:
    """Old results, and the arguments of their calls if that is asked for, become a note."""
    calls = [call for message in messages for call in message.calls]
    trigger = edit.trigger or _Amount("input_tokens", USUAL_TRIGGER)
    size = len(calls) if trigger.type == "tool_uses" else tokens_of(messages)
    if size <= trigger.value:
        return messages
    kept = edit.keep.value if isinstance(edit.keep, _Amount) else USUAL_TOOL_USES
    spared = set(edit.exclude_tools or ())
    old = calls[: len(calls) - kept] if kept else calls
    cleared = {call.id for call in old if call.name not in spared}
    inputs = edit.clear_tool_inputs

    def edited(part: Part) -> Part:
        match part:
            case ToolResult() if part.call_id in cleared and part.content:
                return replace(part, content=(CLEARED,))
            case ToolCall() if part.id in cleared and is_among(part.name, inputs):
                return replace(part, arguments={})
            case _:
                return part

    return tuple(replace(message, parts=tuple(map(edited, message.parts))) for message in messages)


def is_among(name: str, chosen: bool | list[str] | None) -> bool:
    """Whether a tool is one of those chosen, or all are."""
    return name in chosen if isinstance(chosen, list) else bool(chosen)


def clear_thinking(messages: tuple[Message, ...], edit: _Edit) -> tuple[Message, ...]:
    """Thoughts go, but for those of the last turns."""
    if edit.keep == "all":
        return messages
    kept = edit.keep.value if isinstance(edit.keep, _Amount) else 1
    thoughtful = [index for index, message in enumerate(messages) if has_thoughts(message)]
    old = set(thoughtful[: len(thoughtful) - kept] if kept else thoughtful)
    return tuple(
        without_thoughts(message) if index in old else message
        for index, message in enumerate(messages)
    )


def has_thoughts(message: Message) -> bool:
    """Whether a model thought before it said this."""
    return any(isinstance(part, Thinking) for part in message.parts)


def without_thoughts(message: Message) -> Message:
    """A message without what was thought."""
    left = tuple(part for part in message.parts if not isinstance(part, Thinking))
    return replace(message, parts=left)


def tokens_of(messages: Iterable[Message]) -> int:
    """About how many tokens some messages have."""
    return sum(size_of(part) for message in messages for part in message.parts) // BYTES_A_TOKEN


def size_of(part: Part) -> int:
    """About how many bytes a part has."""
    match part:
        case Text() | Thinking():
            return len(part.text)
        case ToolCall():
            return len(str(part.arguments))
        case ToolResult():
            return sum(size_of(item) for item in part.content)
        case _:
            return 0
