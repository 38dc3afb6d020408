"""How many tokens something takes, before it is sent: a real tokenizer, corrected per model.

The vocabulary lies in an installed package; nothing is downloaded. Other models cut text
differently, so what they report corrects the count for them.
"""

from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from json import dumps
from typing import Protocol, cast

from recto.messages import (
    Document,
    Image,
    Json,
    Message,
    Native,
    Part,
    Request,
    Text,
    Thinking,
    Tool,
    ToolCall,
    ToolResult,
)

MESSAGE_TOKENS = 4
IMAGE_TOKENS = 1600
BYTES_A_DOCUMENT_TOKEN = 20
WEIGHT = 0.2


class Encoding(Protocol):
    """A tokenizer's vocabulary."""

    def count(self, text: str) -> int:
        """How many tokens a text takes."""
        ...


@cache
def encoding() -> Encoding:
    """The vocabulary, loaded when first needed."""
    rs_bpe = import_module("rs_bpe.bpe")
    return cast(Encoding, rs_bpe.openai.o200k_base())


@dataclass(slots=True)
class Calibration:
    """How far each model's own count lies from ours, learned from what it reported."""

    factors: dict[str, float] = field(default_factory=dict[str, float])

    def factor(self, model: str) -> float:
        """What our count is multiplied by."""
        return self.factors.get(model, 1.0)

    def learn(self, model: str, *, counted: int, reported: int) -> None:
        """Take in one report. Short prompts say little about text, so they are left out."""
        if counted < 50 or reported < 50:
            return
        found = min(max(reported / counted, 0.25), 4.0)
        known = self.factors.get(model)
        self.factors[model] = found if known is None else known + WEIGHT * (found - known)


@dataclass(frozen=True, slots=True)
class TokenCounter:
    """Counts texts and whole requests."""

    calibration: Calibration

    def text(self, text: str, model: str = "") -> int:
        """The tokens of a text, as `model` would count them."""
        return round(encoding().count(text) * self.calibration.factor(model))

    def request(self, request: Request, model: str = "") -> int:
        """The tokens of everything a request sends."""
        return round(raw_request(request) * self.calibration.factor(model))

    def learn(self, model: str, request: Request, reported: int) -> None:
        """Take in what a model said a request was."""
        self.calibration.learn(model, counted=raw_request(request), reported=reported)


def raw_request(request: Request) -> int:
    """The tokens of a request by our own vocabulary."""
    texts = [request.system, *(tool_text(tool) for tool in request.tools)]
    total = sum(encoding().count(text) for text in texts)
    return total + sum(message_tokens(message) for message in request.messages)


def message_tokens(message: Message) -> int:
    """The tokens of one message."""
    return MESSAGE_TOKENS + sum(part_tokens(part) for part in message.parts)


def part_tokens(part: Part) -> int:
    """The tokens of one part. What only a provider can read counts by its size."""
    match part:
        case Text() | Thinking():
            return encoding().count(part.text) + opaque_tokens(part)
        case Image():
            return IMAGE_TOKENS
        case Document():
            return len(part.data) // BYTES_A_DOCUMENT_TOKEN + 1
        case ToolCall():
            return encoding().count(part.name + dumps(dict(part.arguments), default=str))
        case ToolResult():
            return sum(part_tokens(one) for one in part.content) + MESSAGE_TOKENS
        case Native():
            return opaque_tokens(part)


def opaque_tokens(part: Text | Thinking | Native) -> int:
    """A rough size of provider data: signatures are sent, but hardly read."""
    return 0 if part.provider is None else len(payload_text(part.provider.payload)) // 8


def payload_text(payload: Json) -> str:
    """Provider data as JSON."""
    return dumps(dict(payload), default=str)


def tool_text(tool: Tool) -> str:
    """A tool as a model reads it."""
    return f"{tool.name} {tool.description} {dumps(dict(tool.parameters), default=str)}"
