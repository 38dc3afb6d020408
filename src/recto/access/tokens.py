"""How many tokens a request can be at most, and about how many something is.

A token stands for at least one byte of text, so bytes are a safe bound for whatever tokenizer. What
providers add by themselves (roles, tool preambles) and what is no text gets a fixed amount each.
"""

import json
from collections.abc import Iterable, Mapping
from typing import Any, Protocol

from recto.messages import (
    Document,
    Image,
    Message,
    Native,
    Part,
    Request,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
    fold_all,
)

REQUEST_TOKENS = 1_000
MESSAGE_TOKENS = 16
TOOL_TOKENS = 64
IMAGE_TOKENS = 6_000
DOCUMENT_TOKENS = 10_000
"""At least: a document counts with its bytes, but a short file may have many pages."""


class TokenEstimate(Protocol):
    """Counts tokens as well as one can without asking the provider."""

    def request(self, request: Request, model: str, /) -> int:
        """About how many tokens a prompt is for a model."""
        ...

    def text(self, text: str, model: str, /) -> int:
        """About how many tokens some words of a model are."""
        ...


class ByteEstimate:
    """Counts by bytes, for whoever has no tokenizer: rather too many than too few."""

    def request(self, request: Request, model: str, /) -> int:
        """As many as it can be."""
        return most_tokens(request)

    def text(self, text: str, model: str, /) -> int:
        """Three bytes a token."""
        # Rounded up.
        return -(-_bytes(text) // 3)


def most_tokens(request: Request) -> int:
    """More tokens than the prompt of a request can have."""
    schema = request.output_schema
    return (
        REQUEST_TOKENS
        + _bytes(request.system)
        + fold_all(request.messages, "most tokens", _MostTokens).count
        + sum(TOOL_TOKENS + _json(tool.parameters) for tool in request.tools)
        + sum(_bytes(tool.name) + _bytes(tool.description) for tool in request.tools)
        + (_json(schema.schema) if schema is not None else 0)
    )


class _MostTokens:
    """The most that the messages so far can be."""

    def __init__(self, count: int = 0) -> None:
        self.count = count

    def take(self, message: Message) -> None:
        self.count += MESSAGE_TOKENS + _all(message.parts)

    def copy(self) -> "_MostTokens":
        return _MostTokens(self.count)


def _part(part: Part) -> int:
    match part:
        case Text() | Thinking():
            return _bytes(part.text) + _payload(part.provider and part.provider.payload)
        case Image():
            return IMAGE_TOKENS
        case Document():
            return max(len(part.data), DOCUMENT_TOKENS)
        case ToolCall():
            data = part.provider and part.provider.payload
            return TOOL_TOKENS + _bytes(part.name) + _json(part.arguments) + _payload(data)
        case ToolResult():
            return TOOL_TOKENS + _bytes(part.name) + _all(part.content)
        case Native():
            return _json(part.provider.payload)


def _all(parts: Iterable[Part]) -> int:
    return sum(_part(part) for part in parts)


def _payload(payload: Mapping[str, Any] | None) -> int:
    return 0 if payload is None else _json(payload)


def _json(value: object) -> int:
    return len(json.dumps(value, default=repr))


def _bytes(text: str) -> int:
    return len(text.encode(errors="surrogatepass"))
