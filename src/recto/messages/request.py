"""A request to a model, in nobody's dialect."""

from dataclasses import dataclass, field
from typing import Literal

from recto.messages.message import Message
from recto.messages.parts import Json

Effort = Literal["off", "minimal", "low", "medium", "high", "xhigh", "max"]


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """A tool as a model is told of it. `parameters` is a JSON schema of an object."""

    name: str
    description: str
    parameters: Json
    deferred: bool = False
    """Told to the model only when the provider's own search for tools finds it."""


@dataclass(frozen=True, slots=True)
class ToolChoice:
    """Whether tools may, must or must not be called; `one` names the only tool that must be."""

    mode: Literal["auto", "none", "any", "one"] = "auto"
    name: str | None = None
    single: bool = False
    """At most one call in the answer, where the provider can be told so."""


@dataclass(frozen=True, slots=True)
class OutputSchema:
    """The answer must be JSON of this schema."""

    name: str
    schema: Json


@dataclass(frozen=True, slots=True)
class CacheMarks:
    """Where the provider should remember the prompt so far."""

    system: bool = False
    """After the system prompt and the tools."""
    messages: tuple[int, ...] = ()
    """After each of these messages, by index."""
    long_system: bool = False
    """The mark after the system prompt is kept for longer than usual, at a higher price."""
    long_messages: tuple[int, ...] = ()
    """So are these of the marks after messages."""


@dataclass(frozen=True, slots=True)
class Request:
    """Everything one call to a model needs, besides the key."""

    model: str
    messages: tuple[Message, ...]
    max_output: int
    system: str = ""
    tools: tuple[ToolSpec, ...] = ()
    tool_choice: ToolChoice = field(default_factory=ToolChoice)
    effort: Effort | None = None
    """How hard to think; None leaves it to the model's default."""
    output_schema: OutputSchema | None = None
    stop: tuple[str, ...] = ()
    temperature: float | None = None
    logprobs: bool = False
    cache: CacheMarks = field(default_factory=CacheMarks)
    cache_key: str | None = None
    """Names the conversation to providers that route by it."""
    stream: bool = True
    continues: bool = False
    """The one message is no message: its text is to be continued as it is."""
