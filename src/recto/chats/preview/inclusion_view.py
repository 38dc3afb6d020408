"""What the ways to send tools along take, and what changing to each would cost once."""

from collections.abc import Sequence
from dataclasses import dataclass

from recto.chats.preview.account import Preview
from recto.chats.turns.built_request import BuiltRequest
from recto.context import InclusionMode, TokenCounter, ToolInclusion, tool_text
from recto.messages import ToolCall, ToolResult
from recto.tools import Declaration


@dataclass(frozen=True, slots=True)
class ToolSize:
    """A tool, and the tokens that its definition takes."""

    name: str
    title: str
    tokens: int


@dataclass(frozen=True, slots=True)
class ModeEffect:
    """What one way sends each time, and what the change to it costs once."""

    mode: InclusionMode
    tool_tokens: int
    """What definitions, earlier calls and their results take in the next request."""
    tokens: int
    """The whole next request."""
    again_tokens: int
    """What the provider would have to read again that it remembers now."""
    again_micros: int | None
    """What that costs more; None when no price is known."""


@dataclass(frozen=True, slots=True)
class InclusionView:
    """How a chat sends tools along, and how else it could."""

    inclusion: ToolInclusion
    tools: tuple[ToolSize, ...]
    modes: tuple[ModeEffect, ...]


def mode_effect(mode: InclusionMode, now: BuiltRequest, shown: Preview) -> ModeEffect:
    """What a request shows of its way to send tools."""
    sizes = [
        part.slice.tokens
        for part in now.parts
        if part.slice.origin == "tools" or isinstance(part.slice.part, ToolCall | ToolResult)
    ]
    broken = shown.cache_break
    return ModeEffect(
        mode,
        sum(sizes),
        now.tokens,
        0 if broken is None else broken.tokens,
        0 if broken is None else broken.cost_micros,
    )


def tool_sizes(
    offered: Sequence[Declaration], counter: TokenCounter, model: str
) -> tuple[ToolSize, ...]:
    """Every tool with the tokens of its definition, as this model counts."""
    return tuple(
        ToolSize(tool.name, tool.title, counter.text(tool_text(tool.offered()), model))
        for tool in offered
    )
