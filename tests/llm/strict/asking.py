"""How the tests of the strict servers ask: a body in, the judgement out, without a socket."""

import json
from dataclasses import dataclass
from typing import Any

from tests.fakes.providers import Exchange, Incoming, Provider

PNG = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk"
    "+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
WEATHER: dict[str, Any] = {
    "type": "object",
    "properties": {"city": {"type": "string"}},
    "required": ["city"],
    "additionalProperties": False,
}
HEADERS = {
    "anthropic": {"x-api-key": "test-key", "anthropic-version": "2026-10-21"},
    "openai": {"authorization": "Bearer test-key"},
    "gemini": {"x-goog-api-key": "test-key"},
}


@dataclass(frozen=True, slots=True)
class Case:
    """A request that must be refused, and how."""

    name: str
    body: Any
    words: str
    status: int = 400
    code: str | None = None
    headers: dict[str, str] | None = None


def ask(
    provider: Provider,
    path: str,
    body: Any,
    headers: dict[str, str],
    query: dict[str, str] | None = None,
) -> Exchange:
    """Send a body; bytes go as they are."""
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    return provider.reply(Incoming("POST", path, headers, raw, query or {}))


def told(exchange: Exchange) -> Any:
    """The JSON of an answer that was not streamed."""
    return json.loads(exchange.reply.body)
