"""Neutral events as a Chat Completions answer for a foreign client: the inverse of `read`.

JSON is written in ASCII, so that no client mistakes a character of the text for the end of a line.
"""

import json
from typing import Any

from recto.llm.names import wire_name
from recto.llm.protocols.openai_chat.lower_messages import write_arguments
from recto.llm.protocols.openai_chat.usage import write_usage
from recto.messages import (
    Failure,
    FailureKind,
    Finished,
    Started,
    StopReason,
    StreamEvent,
    TextDelta,
    Thinking,
    ThinkingDelta,
    TokenProbability,
    ToolCall,
    ToolCallDelta,
    ToolCallEnded,
    ToolCallStarted,
    Usage,
)

DONE = b"data: [DONE]\n\n"
COMMENT = b": keep-alive\n\n"
REASONS: dict[StopReason, str] = {
    "end_turn": "stop",
    "tool_use": "tool_calls",
    "max_tokens": "length",
    "stop_sequence": "stop",
    "refusal": "content_filter",
    "pause": "stop",
    "error": "stop",
}
ERRORS: dict[FailureKind, tuple[int, str, str | None]] = {
    "auth": (401, "invalid_request_error", "invalid_api_key"),
    "quota": (429, "insufficient_quota", "insufficient_quota"),
    # Not 429: official clients try that again by themselves.
    "budget": (402, "invalid_request_error", "budget_exceeded"),
    "rate_limit": (429, "rate_limit_error", "rate_limit_exceeded"),
    "overloaded": (503, "service_unavailable_error", "server_is_overloaded"),
    "context_length": (400, "invalid_request_error", "context_length_exceeded"),
    "invalid_request": (400, "invalid_request_error", None),
    "not_found": (404, "invalid_request_error", "model_not_found"),
    "network": (502, "server_error", "connection_error"),
    "timeout": (504, "server_error", "timeout"),
    "upstream": (502, "server_error", "server_error"),
    "cancelled": (499, "invalid_request_error", "cancelled"),
}


class ChatWriter:
    """Writes one answer as chunks."""

    def __init__(
        self, answer_id: str, model: str, *, created: int = 0, include_usage: bool = True
    ) -> None:
        self._head = {
            "id": answer_id,
            "object": "chat.completion.chunk",
            "created": created,
            "model": model,
        }
        self._include_usage = include_usage
        self._is_begun = False
        self._indices: dict[int, int] = {}
        self._has_arguments: set[int] = set()

    def write_metadata(self, metadata: dict[str, Any]) -> bytes:
        """What Recto tells besides the answer: a chunk like any other, with no choice in it."""
        return frame({**self._head, "choices": [], "metadata": metadata})

    def write(self, event: StreamEvent) -> bytes:
        """The frames an event becomes."""
        match event:
            case Started():
                return self._begin()
            case TextDelta():
                logprobs = write_logprobs(event.logprobs)
                return self._delta({"content": event.text}, logprobs=logprobs)
            case ThinkingDelta():
                return self._delta({"reasoning_content": event.text})
            case ToolCallStarted():
                return self._on_call(event)
            case ToolCallDelta():
                return self._arguments(event.slot, event.text)
            case ToolCallEnded():
                missing = event.slot not in self._has_arguments
                return self._arguments(event.slot, event.raw.strip() or "{}") if missing else b""
            case Finished():
                return self._on_finished(event)
            case _:
                return b""

    def keep_alive(self) -> bytes:
        """A comment: this API has no frame that tells nothing."""
        return self._begin() + COMMENT

    def _begin(self) -> bytes:
        if self._is_begun:
            return b""
        self._is_begun = True
        return self._chunk({"role": "assistant", "content": "", "refusal": None})

    def _on_call(self, event: ToolCallStarted) -> bytes:
        index = self._indices.setdefault(event.slot, len(self._indices))
        function = {"name": wire_name(event.name), "arguments": ""}
        call = {"index": index, "id": event.id, "type": "function", "function": function}
        return self._delta({"tool_calls": [call]})

    def _arguments(self, slot: int, text: str) -> bytes:
        self._has_arguments.add(slot)
        call = {"index": self._indices[slot], "function": {"arguments": text}}
        return self._delta({"tool_calls": [call]})

    def _on_finished(self, event: Finished) -> bytes:
        if event.failure is not None:
            return frame({"error": write_error(event.failure)})
        end = self._begin() + self._chunk({}, finish_reason=REASONS[event.reason])
        return end + self._usage(event.usage) + DONE

    def _usage(self, usage: Usage | None) -> bytes:
        if usage is None or not self._include_usage:
            return b""
        return frame({**self._head, "choices": [], "usage": write_usage(usage)})

    def _delta(self, delta: dict[str, Any], *, logprobs: Any = None) -> bytes:
        return self._begin() + self._chunk(delta, logprobs=logprobs)

    def _chunk(
        self, delta: dict[str, Any], *, logprobs: Any = None, finish_reason: str | None = None
    ) -> bytes:
        choice = {
            "index": 0,
            "delta": delta,
            "logprobs": logprobs,
            "finish_reason": finish_reason,
        }
        usage = {"usage": None} if self._include_usage else {}
        return frame({**self._head, "choices": [choice], **usage})


def frame(data: dict[str, Any]) -> bytes:
    """One event of the stream."""
    return b"data: " + write_json(data) + b"\n\n"


def write_json(data: dict[str, Any]) -> bytes:
    """JSON in ASCII."""
    return json.dumps(data, separators=(",", ":")).encode("ascii")


def write_logprobs(logprobs: tuple[TokenProbability, ...]) -> dict[str, Any] | None:
    """How likely the tokens were."""
    if not logprobs:
        return None
    content = [
        {
            "token": logprob.token,
            "logprob": logprob.logprob,
            "bytes": list(logprob.token.encode("utf-8", "replace")),
            "top_logprobs": [],
        }
        for logprob in logprobs
    ]
    return {"content": content, "refusal": None}


def write_whole(
    events: list[StreamEvent], answer_id: str, model: str, *, created: int = 0
) -> bytes:
    """Write an answer that is not streamed; one that failed is its error."""
    finished = next(event for event in events if isinstance(event, Finished))
    if finished.failure is not None:
        return write_json({"error": write_error(finished.failure)})
    told = [event.logprobs for event in events if isinstance(event, TextDelta)]
    choice = {
        "index": 0,
        "message": write_message(finished),
        "logprobs": write_logprobs(tuple(logprob for logprobs in told for logprob in logprobs)),
        "finish_reason": REASONS[finished.reason],
    }
    answer: dict[str, Any] = {
        "id": answer_id,
        "object": "chat.completion",
        "created": created,
        "model": model,
        "choices": [choice],
    }
    if finished.usage is not None:
        answer["usage"] = write_usage(finished.usage)
    return write_json(answer)


def write_message(finished: Finished) -> dict[str, Any]:
    """The message of a whole answer."""
    message = finished.message
    thoughts = "".join(part.text for part in message.parts if isinstance(part, Thinking))
    written: dict[str, Any] = {
        "role": "assistant",
        "content": message.text or None,
        "refusal": None,
    }
    if thoughts:
        written["reasoning_content"] = thoughts
    if message.calls:
        written["tool_calls"] = [write_call(call) for call in message.calls]
    return written


def write_call(call: ToolCall) -> dict[str, Any]:
    """A call of a whole answer."""
    function = {"name": wire_name(call.name), "arguments": write_arguments(call.arguments)}
    return {"id": call.id, "type": "function", "function": function}


def write_failure(failure: Failure) -> tuple[int, bytes]:
    """Write an error: the status and the body."""
    status, _, _ = ERRORS[failure.kind]
    return status, write_json({"error": write_error(failure)})


def write_error(failure: Failure) -> dict[str, Any]:
    """An error in the API's own words."""
    _, kind, code = ERRORS[failure.kind]
    return {"message": failure.message, "type": kind, "param": None, "code": code}
