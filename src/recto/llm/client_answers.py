"""Answers for foreign clients, by the protocol they speak and what they asked for."""

import json
from collections.abc import Callable

from recto.llm.protocol_loader import load_protocol
from recto.llm.protocols.openai_chat.serve import wants_usage
from recto.llm.protocols.openai_chat.serve_answer import ChatWriter
from recto.llm.protocols.openai_chat.serve_answer import write_whole as write_whole_chat
from recto.llm.protocols.openai_responses.offered_tools import client_tools
from recto.llm.protocols.openai_responses.write import ResponsesWriter
from recto.llm.wire import WireWriter
from recto.messages import Failure, StreamEvent

ID_PREFIXES = {
    "anthropic-messages": "msg_",
    "openai-responses": "resp_",
    "openai-chat": "chatcmpl-",
    "gemini": "",
}


def client_writer(
    protocol: str, body: bytes, *, answer_id: str, model: str, created: int
) -> WireWriter:
    """Writes the streamed answer to a request; `created` is in seconds since 1970."""
    name = ID_PREFIXES[protocol] + answer_id
    if protocol == "openai-chat":
        return ChatWriter(name, model, created=created, include_usage=wants_usage(body))
    if protocol == "openai-responses":
        return ResponsesWriter(name, model, created=created, tools=client_tools(body))
    return load_protocol(protocol).writer(name, model)


def write_answer(
    protocol: str,
    body: bytes,
    events: list[StreamEvent],
    *,
    answer_id: str,
    model: str,
    created: int,
) -> bytes:
    """A whole answer that is not streamed, to a request."""
    name = ID_PREFIXES[protocol] + answer_id
    if protocol == "openai-chat":
        return write_whole_chat(events, name, model, created=created)
    if protocol == "openai-responses":
        writer = ResponsesWriter(name, model, created=created, tools=client_tools(body))
        for event in events:
            writer.write(event)
        return writer.whole()
    return load_protocol(protocol).write_whole(events, name, model)


def error_frame(protocol: str, failure: Failure) -> bytes:
    """A failure inside a stream whose beginning somebody else wrote."""
    body = load_protocol(protocol).write_failure(failure)[1]
    return _ERROR_FRAMES[protocol](body)


def _responses_error(body: bytes) -> bytes:
    error = json.loads(body)["error"]
    told = {"type": "error", "sequence_number": 0, **{key: error[key] for key in _TOLD}}
    return b"event: error\ndata: %b\n\n" % json.dumps(told).encode()


_TOLD = ("code", "message", "param")
_ERROR_FRAMES: dict[str, Callable[[bytes], bytes]] = {
    "anthropic-messages": lambda body: b"event: error\ndata: %b\n\n" % body,
    "openai-responses": _responses_error,
    "openai-chat": lambda body: b"data: %b\n\n" % body,
    "gemini": lambda body: b"data: %b\r\n\r\n" % body,
}


def write_client_failure(
    protocol: str, failure: Failure, status: int | None = None
) -> tuple[int, bytes]:
    """An error, with another status than its kind would have, if one is given."""
    usual, body = load_protocol(protocol).write_failure(failure)
    if status is None or status == usual:
        return usual, body
    told = json.loads(body)
    name = _NAMES_BY_STATUS[protocol].get(status)
    if protocol == "gemini":
        told["error"]["code"] = status
        told["error"]["status"] = name or told["error"]["status"]
    elif name is not None:
        told["error"]["type"] = name
    return status, json.dumps(told, separators=(",", ":")).encode()


_OPENAI = {403: "permission_error", 404: "not_found_error", 405: "invalid_request_error"}
_NAMES_BY_STATUS: dict[str, dict[int, str]] = {
    "anthropic-messages": {
        401: "authentication_error",
        402: "billing_error",
        403: "permission_error",
        404: "not_found_error",
        405: "invalid_request_error",
        413: "request_too_large",
        429: "rate_limit_error",
    },
    "openai-responses": _OPENAI,
    "openai-chat": _OPENAI,
    "gemini": {
        401: "UNAUTHENTICATED",
        402: "FAILED_PRECONDITION",
        403: "PERMISSION_DENIED",
        404: "NOT_FOUND",
        405: "INVALID_ARGUMENT",
        413: "INVALID_ARGUMENT",
        429: "RESOURCE_EXHAUSTED",
    },
}
"""What the APIs call errors that our kinds of failures don't tell apart."""
