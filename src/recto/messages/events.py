"""What comes out of a stream. Every stream ends in exactly one `Finished`, and nothing follows it.

Pieces of a part are told as they come; the complete parts stand in the message of `Finished`.
Tool calls are told by slot, because pieces of several may come mixed.
"""

from dataclasses import dataclass
from typing import Literal

from recto.messages.failures import Failure
from recto.messages.message import Message
from recto.messages.parts import Json, ProviderData
from recto.messages.usage import Usage

StopReason = Literal[
    "end_turn", "tool_use", "max_tokens", "stop_sequence", "refusal", "pause", "error"
]


@dataclass(frozen=True, slots=True)
class Started:
    """The provider began to answer."""

    id: str
    model: str
    type: Literal["started"] = "started"


@dataclass(frozen=True, slots=True)
class PromptProgress:
    """How much of the prompt the model has read; of 0 tokens in all while it is being loaded."""

    read: int
    total: int
    type: Literal["prompt_progress"] = "prompt_progress"


@dataclass(frozen=True, slots=True)
class TokenProbability:
    """How likely one token of the answer was, as a natural logarithm."""

    token: str
    logprob: float


@dataclass(frozen=True, slots=True)
class TextDelta:
    """Some more words."""

    text: str
    logprobs: tuple[TokenProbability, ...] = ()
    type: Literal["text_delta"] = "text_delta"


@dataclass(frozen=True, slots=True)
class ThinkingStarted:
    """The model begins to think."""

    type: Literal["thinking_started"] = "thinking_started"


@dataclass(frozen=True, slots=True)
class ThinkingDelta:
    """Some more of what it thinks, where it shows that."""

    text: str
    type: Literal["thinking_delta"] = "thinking_delta"


@dataclass(frozen=True, slots=True)
class ThinkingEnded:
    """It has thought."""

    provider: ProviderData | None = None
    """What must go back with the thoughts, where a provider gives such a thing."""
    type: Literal["thinking_ended"] = "thinking_ended"


@dataclass(frozen=True, slots=True)
class ToolCallStarted:
    """The model begins to write a tool call."""

    slot: int
    id: str
    name: str
    type: Literal["tool_call_started"] = "tool_call_started"


@dataclass(frozen=True, slots=True)
class ToolCallDelta:
    """Some more of a call's arguments, as JSON text."""

    slot: int
    text: str
    type: Literal["tool_call_delta"] = "tool_call_delta"


@dataclass(frozen=True, slots=True)
class ToolCallEnded:
    """A call is written. `arguments` is None when its JSON is no complete object: never run it."""

    slot: int
    arguments: Json | None
    raw: str
    type: Literal["tool_call_ended"] = "tool_call_ended"


@dataclass(frozen=True, slots=True)
class UsageReported:
    """What was used so far: each report replaces the one before."""

    usage: Usage
    type: Literal["usage"] = "usage"


@dataclass(frozen=True, slots=True)
class Finished:
    """The end. `message` holds every complete part, also after a failure."""

    reason: StopReason
    message: Message
    usage: Usage | None = None
    """None when the provider said nothing: unknown is not zero."""
    failure: Failure | None = None
    raw_reason: str | None = None
    """The provider's own word for the reason."""
    stop_sequence: str | None = None
    explanation: str | None = None
    """Why the model declined, in the provider's own words."""
    type: Literal["finished"] = "finished"


StreamEvent = (
    Started
    | PromptProgress
    | TextDelta
    | ThinkingStarted
    | ThinkingDelta
    | ThinkingEnded
    | ToolCallStarted
    | ToolCallDelta
    | ToolCallEnded
    | UsageReported
    | Finished
)
