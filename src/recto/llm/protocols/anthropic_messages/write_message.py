"""A finished answer or a failure as the API's own message or error, for a foreign client."""

import json
from typing import Any

from recto.llm.carrier import carry
from recto.llm.names import wire_name
from recto.messages import (
    Failure,
    FailureKind,
    Finished,
    Json,
    Native,
    Part,
    ProviderData,
    StopReason,
    StreamEvent,
    Text,
    Thinking,
    ToolCall,
    Usage,
)

PROTOCOL_ID = "anthropic-messages"
REASONS: dict[StopReason, str] = {
    "end_turn": "end_turn",
    "tool_use": "tool_use",
    "max_tokens": "max_tokens",
    "stop_sequence": "stop_sequence",
    "refusal": "refusal",
    "pause": "pause_turn",
    "error": "end_turn",
}
ANSWERS: dict[FailureKind, tuple[int, str]] = {
    "auth": (401, "authentication_error"),
    "quota": (402, "billing_error"),
    "budget": (402, "billing_error"),
    "rate_limit": (429, "rate_limit_error"),
    "overloaded": (529, "overloaded_error"),
    "context_length": (400, "invalid_request_error"),
    "invalid_request": (400, "invalid_request_error"),
    "not_found": (404, "not_found_error"),
    "network": (502, "api_error"),
    "timeout": (504, "timeout_error"),
    "upstream": (500, "api_error"),
    "cancelled": (500, "api_error"),
}
SAME_KIND = {403: (403, "permission_error"), 413: (413, "request_too_large")}
TOO_LONG = "prompt is too long"
CONTEXT_FULL = "model_context_window_exceeded"


def write_whole(events: list[StreamEvent], answer_id: str, model: str) -> bytes:
    """Write an answer that is not streamed; the body of an error if it failed."""
    finished = events[-1]
    assert isinstance(finished, Finished)
    if finished.failure is not None or finished.reason == "error":
        words = "The answer could not be completed."
        return write_failure(finished.failure or Failure("upstream", words))[1]
    message = {
        "id": answer_id,
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": [block for part in finished.message.parts for block in blocks_of(part)],
        **write_stop(finished),
        "usage": write_usage(finished.usage, is_whole=True),
    }
    return json.dumps(message, separators=(",", ":")).encode()


def write_stop(event: Finished) -> dict[str, Any]:
    """Why it stopped. A full context window and a full answer are one reason to us, not to it."""
    reason = REASONS[event.reason]
    if event.reason == "max_tokens" and event.raw_reason == CONTEXT_FULL:
        reason = CONTEXT_FULL
    stop: dict[str, Any] = {"stop_reason": reason, "stop_sequence": event.stop_sequence}
    if event.reason == "refusal":
        why = event.explanation
        stop["stop_details"] = {"type": "refusal", "category": None, "explanation": why}
    return stop


def write_usage(usage: Usage | None, *, is_whole: bool = False) -> dict[str, Any]:
    """The counts; the API has no way to say that it doesn't know them."""
    known = usage or Usage()
    counts: dict[str, Any] = {
        "input_tokens": known.input,
        "cache_creation_input_tokens": known.cache_write,
        "cache_read_input_tokens": known.cache_read,
        "output_tokens": known.output,
    }
    if known.reasoning:
        counts["output_tokens_details"] = {"thinking_tokens": known.reasoning}
    if is_whole and known.cache_write:
        counts["cache_creation"] = {
            "ephemeral_5m_input_tokens": known.cache_write - known.cache_write_long,
            "ephemeral_1h_input_tokens": known.cache_write_long,
        }
    return counts


def blocks_of(part: Part) -> list[dict[str, Any]]:
    """A part as blocks: itself, and what another provider gave with a call."""
    match part:
        case Text():
            citations = part.provider.payload.get("citations") if part.provider else None
            return [{"type": "text", "text": part.text, "citations": citations}]
        case Thinking():
            return [block_of_thinking(part)]
        case ToolCall():
            name, data = wire_name(part.name), part.provider
            call = {"type": "tool_use", "id": part.id, "name": name, "input": dict(part.arguments)}
            if data is None:
                return [call]
            if is_own(data):
                return [{**call, **data.payload}]
            return [call, {"type": "redacted_thinking", "data": carry(data, part.id)}]
        case Native():
            return [block_of_native(part)]
        case _:
            return []


def block_of_thinking(part: Thinking) -> dict[str, Any]:
    """Thoughts with a signature: the API's own, or one that carries another provider's."""
    data = part.provider
    payload: Json = data.payload if data and is_own(data) else {}
    if "redacted" in payload:
        return {"type": "redacted_thinking", "data": payload["redacted"]}
    foreign = carry(data) if data and not is_own(data) else ""
    signature = payload.get("signature", foreign)
    return {"type": "thinking", "thinking": part.text, "signature": signature}


def block_of_native(part: Native) -> dict[str, Any]:
    """A block of the API's own as it was; another provider's inside a redacted one."""
    if is_own(part.provider):
        return dict(part.provider.payload["block"])
    return {"type": "redacted_thinking", "data": carry(part.provider)}


def is_own(data: ProviderData) -> bool:
    """Whether provider data came over this very protocol."""
    return data.origin.protocol == PROTOCOL_ID


def write_failure(failure: Failure) -> tuple[int, bytes]:
    """Write an error for a foreign client: the status and the body."""
    status, _ = answer_of(failure)
    return status, json.dumps(error_body(failure), separators=(",", ":")).encode()


def error_body(failure: Failure) -> dict[str, Any]:
    """The body, which is also what an error inside a stream holds."""
    _, kind = answer_of(failure)
    message = failure.message
    if failure.kind == "context_length" and TOO_LONG not in message:
        # Clients know an overflow by these words only.
        message = f"{TOO_LONG}: {message}"
    error = {"type": kind, "message": message}
    return {"type": "error", "error": error, "request_id": failure.request_id}


def answer_of(failure: Failure) -> tuple[int, str]:
    """The status and the API's name for it."""
    if failure.kind in ("auth", "context_length") and failure.status in SAME_KIND:
        return SAME_KIND[failure.status]
    return ANSWERS[failure.kind]
