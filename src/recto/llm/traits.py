"""What a model can do, as data. Adapters read these; nobody compares model names."""

from dataclasses import dataclass
from typing import Literal

from recto.messages import Effort

EFFORTS: tuple[Effort, ...] = ("off", "minimal", "low", "medium", "high", "xhigh", "max")


@dataclass(frozen=True, slots=True)
class Traits:
    """One model's abilities and habits. The defaults are those of a plain compatible server."""

    thinking: Literal["none", "adaptive", "manual", "effort", "level", "budget"] = "none"
    """How it is asked: Anthropic adaptive or manual, OpenAI effort, Gemini level or budget."""
    efforts: tuple[Effort, ...] = ()
    """The levels it accepts, lowest first. Without "off", thinking can't be turned off."""
    off: Literal["omit", "disabled", "between_tools"] = "omit"
    """How Anthropic models are told not to think, where they can be."""
    hides_thinking: bool = False
    """Thinking is shown only on request."""
    binds_prefix: bool = False
    """Thinking holds only for the exact conversation before it."""
    forced_tool: bool = True
    """A tool can be forced at all."""
    forced_tool_thinking: bool = True
    """A tool can be forced while it thinks."""
    needs_signatures: bool = False
    """Gemini 3 and later: a step's first call must carry its signature, or a dummy."""
    tools: bool = True
    tool_search: bool = False
    """The provider itself searches tools whose definitions are deferred."""
    images: bool = True
    documents: bool = False
    result_images: bool = True
    """Images inside tool results (else they follow in a user message)."""
    continues: bool = False
    """It continues a text as it is, with no chat around it."""
    structured: bool = True
    """The answer can be held to a JSON schema."""
    sampling: bool = False
    """A temperature is accepted."""
    logprobs: bool = False
    calibrated: bool = True
    """Its probabilities say something about whether it is right."""
    cache_marks: bool = False
    """Explicit cache marks are accepted."""
    output_field: Literal["max_completion_tokens", "max_tokens"] = "max_tokens"
    """How a Chat Completions server wants the output limit named."""
    usage_option: bool = True
    """A Chat Completions server knows stream_options.include_usage."""
    echoes_reasoning: bool = False
    """A Chat Completions server wants its reasoning_content back in a tool loop."""
    encrypted_reasoning: bool = True
    """A Responses server returns encrypted reasoning when asked."""


def snap(wanted: Effort, accepted: tuple[Effort, ...]) -> Effort | None:
    """The nearest accepted level at or above the wanted one, else the highest; None if none is."""
    ranked: list[Effort] = [level for level in EFFORTS if level in accepted]
    for level in ranked:
        if EFFORTS.index(level) >= EFFORTS.index(wanted):
            return level
    return ranked[-1] if ranked else None
