"""The settings that a request was really sent with, read off its bytes, whatever the protocol."""

from dataclasses import dataclass

import msgspec


@dataclass(frozen=True, slots=True)
class SentParameters:
    """What the model was told about how to answer; None is what it was not told."""

    temperature: float | None = None
    max_output: int | None = None
    effort: str | None = None
    """How hard to think, in the provider's own word or as a number of tokens."""


class _Effort(msgspec.Struct):
    effort: str | None = None


class _Thinking(msgspec.Struct):
    type: str | None = None
    budget_tokens: int | None = None


class _ThinkingConfig(msgspec.Struct, rename="camel"):
    thinking_level: str | None = None
    thinking_budget: int | None = None


class _GenerationConfig(msgspec.Struct, rename="camel"):
    temperature: float | None = None
    max_output_tokens: int | None = None
    thinking_config: _ThinkingConfig | None = None


class _Body(msgspec.Struct):
    """The fields of all protocols; each has some of them."""

    temperature: float | None = None
    max_tokens: int | None = None
    max_completion_tokens: int | None = None
    max_output_tokens: int | None = None
    reasoning_effort: str | None = None
    reasoning: _Effort | None = None
    output_config: _Effort | None = None
    thinking: _Thinking | None = None
    generation: _GenerationConfig | None = msgspec.field(default=None, name="generationConfig")


_BODIES = msgspec.json.Decoder(_Body)


def read_sent(body: bytes) -> SentParameters:
    """The settings in the body of a request, as one of our protocols wrote it."""
    sent = _BODIES.decode(body)
    made = sent.generation or _GenerationConfig()
    temperature = made.temperature if sent.temperature is None else sent.temperature
    limits = (
        sent.max_tokens,
        sent.max_completion_tokens,
        sent.max_output_tokens,
        made.max_output_tokens,
    )
    limit = next((item for item in limits if item is not None), None)
    return SentParameters(temperature, limit, _effort(sent, made))


def _effort(sent: _Body, made: _GenerationConfig) -> str | None:
    gemini = made.thinking_config or _ThinkingConfig()
    thinking = sent.thinking or _Thinking()
    budgets = (thinking.budget_tokens, gemini.thinking_budget)
    words = (
        sent.reasoning_effort,
        sent.reasoning and sent.reasoning.effort,
        sent.output_config and sent.output_config.effort,
        gemini.thinking_level,
        *(f"{budget:,} tokens" for budget in budgets if budget is not None),
        # Last, for it says only whether to think.
        thinking.type,
    )
    return next((word for word in words if word), None)
