"""What the official SDK makes of an answer, without any network."""

from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

import anthropic
import httpx2

HI: anthropic.types.MessageParam = {"role": "user", "content": "Hi"}


@contextmanager
def answered_with(content: bytes, media_type: str) -> Generator[anthropic.Anthropic]:
    """A client that gets this answer to every request."""

    def reply(_: httpx2.Request) -> httpx2.Response:
        return httpx2.Response(200, headers={"content-type": media_type}, content=content)

    with (
        httpx2.Client(transport=httpx2.MockTransport(reply)) as http,
        anthropic.Anthropic(api_key="k", http_client=http, max_retries=0) as client,
    ):
        yield client


def seen_by_sdk(stream: bytes) -> dict[str, Any]:
    """The message it makes of a stream."""
    with (
        answered_with(stream, "text/event-stream") as client,
        client.messages.stream(model="alias", max_tokens=9, messages=[HI]) as events,
    ):
        return events.get_final_message().to_dict(mode="json")


def whole_seen_by_sdk(body: bytes) -> dict[str, Any]:
    """The message it makes of a whole answer."""
    with answered_with(body, "application/json") as client:
        message = client.messages.create(model="alias", max_tokens=9, messages=[HI])
        return message.to_dict(mode="json")


def content_seen(stream: bytes) -> list[dict[str, Any]]:
    """The blocks it makes of a stream, without the fields that are empty."""
    return without_none(seen_by_sdk(stream)["content"])


def without_none(blocks: Any) -> list[dict[str, Any]]:
    """Blocks without the fields that are empty."""
    return [{key: value for key, value in block.items() if value is not None} for block in blocks]
