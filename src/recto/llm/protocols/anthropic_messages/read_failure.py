"""Error answers of the API, before a stream and inside one, and what one more try may leave out."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import msgspec

from recto.llm.encoding import convert
from recto.llm.error_answers import agreed_kind, first_words, read_may_retry, read_retry_after
from recto.llm.traits import Traits
from recto.messages import Failure, FailureKind, Request, Thinking

STATUS_OF_TYPE = {
    "invalid_request_error": 400,
    "authentication_error": 401,
    "billing_error": 402,
    "permission_error": 403,
    "not_found_error": 404,
    "conflict_error": 409,
    "request_too_large": 413,
    "rate_limit_error": 429,
    "api_error": 500,
    "timeout_error": 504,
    "overloaded_error": 529,
}
KIND_OF_STATUS: dict[int, FailureKind] = {
    400: "invalid_request",
    401: "auth",
    402: "quota",
    403: "auth",
    404: "not_found",
    408: "timeout",
    409: "upstream",
    413: "context_length",
    429: "rate_limit",
    503: "overloaded",
    504: "timeout",
    529: "overloaded",
}
KIND_OF_CODE: dict[str, FailureKind] = {
    "enforced_spend_limit_reached": "quota",
    "ramp_limit_exceeded": "rate_limit",
}
# The API has no types of their own for these two.
KIND_OF_WORDS: dict[str, FailureKind] = {
    "prompt is too long": "context_length",
    "exceed context limit": "context_length",
    "credit balance is too low": "quota",
}
UNREADABLE_THOUGHTS = ("bound to a different conversation", "`signature` in `thinking` block")


class ErrorDetails(msgspec.Struct):
    """More about an error."""

    error_code: str | None = None


class ErrorBody(msgspec.Struct):
    """The error itself."""

    type: str = ""
    message: str = ""
    details: ErrorDetails | None = None


class ErrorAnswer(msgspec.Struct):
    """An error answer, or an error inside a stream."""

    error: ErrorBody
    request_id: str | None = None


def read_failure(status: int, headers: Mapping[str, str], body: bytes) -> Failure:
    """Read an error answer. Header names are lower case."""
    try:
        answer = msgspec.json.decode(body, type=ErrorAnswer)
    except msgspec.DecodeError:
        words = first_words(body) or f"The provider answered {status}."
        answer = ErrorAnswer(ErrorBody(message=words))
    return replace(
        _failure(answer, status),
        request_id=answer.request_id or headers.get("request-id"),
        retry_after_s=read_retry_after(headers),
        may_retry=read_may_retry(headers),
    )


def read_stream_error(frame: Any) -> Failure:
    """Read an error inside a stream: it has no status, but its type means one."""
    try:
        answer = convert(frame, ErrorAnswer)
    except msgspec.ValidationError:
        return Failure("upstream", "The provider reported an error it did not explain.")
    return _failure(answer, STATUS_OF_TYPE.get(answer.error.type))


def _failure(answer: ErrorAnswer, status: int | None) -> Failure:
    error = answer.error
    code = error.details.error_code if error.details else None
    kind = read_kind(error, code, status)
    message = error.message or f"The provider answered {error.type or status}."
    return Failure(
        kind, message, status=status, code=code or error.type or None, request_id=answer.request_id
    )


def read_kind(error: ErrorBody, code: str | None, status: int | None) -> FailureKind:
    """What happened: by its status, and by what its body adds to that."""
    return agreed_kind(status, kind_of(status or 500), told_kind(error, code))


def told_kind(error: ErrorBody, code: str | None) -> FailureKind | None:
    """What its code names, its words where the type is too wide, or its type, if any does."""
    if code in KIND_OF_CODE:
        return KIND_OF_CODE[code]
    # Only there: another type is more exact than any words.
    if error.type in ("invalid_request_error", ""):
        for words, kind in KIND_OF_WORDS.items():
            if words in error.message:
                return kind
    meant = STATUS_OF_TYPE.get(error.type)
    return None if meant is None else kind_of(meant)


def kind_of(status: int) -> FailureKind:
    """What an HTTP status alone tells."""
    fallback: FailureKind = "invalid_request" if 400 <= status < 500 else "upstream"
    return KIND_OF_STATUS.get(status, fallback)


def mend(failure: Failure, request: Request, traits: Traits) -> tuple[Request, Traits] | None:
    """Without thoughts, if the provider can't verify those we sent."""
    has_thoughts = any(
        isinstance(part, Thinking) for message in request.messages for part in message.parts
    )
    refused = any(words in failure.message for words in UNREADABLE_THOUGHTS)
    if failure.kind != "invalid_request" or not refused or not has_thoughts:
        return None
    messages = tuple(
        replace(
            message, parts=tuple(part for part in message.parts if not isinstance(part, Thinking))
        )
        for message in request.messages
    )
    return replace(request, messages=messages), traits
