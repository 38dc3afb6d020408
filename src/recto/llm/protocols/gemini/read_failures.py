"""Gemini's errors as failures: error answers, errors inside a stream, and what to try once more.

A body is `{"error": {code, message, status, details}}`, at times inside a list. The HTTP status
says whose fault it is; a reason in the details, then the status word, says more exactly what.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, cast

import msgspec

from recto.llm.encoding import convert
from recto.llm.error_answers import agreed_kind, first_words, read_may_retry, read_retry_after
from recto.llm.traits import Traits
from recto.messages import (
    Failure,
    FailureKind,
    Message,
    Native,
    Part,
    ProviderData,
    Request,
    Text,
    Thinking,
    ToolCall,
)

KINDS: dict[str, FailureKind] = {
    "API_KEY_INVALID": "auth",
    "API_KEY_EXPIRED": "auth",
    "API_KEY_SERVICE_BLOCKED": "auth",
    "BILLING_DISABLED": "quota",
    "UNAUTHENTICATED": "auth",
    "PERMISSION_DENIED": "auth",
    "NOT_FOUND": "not_found",
    "RESOURCE_EXHAUSTED": "rate_limit",
    "UNAVAILABLE": "overloaded",
    "DEADLINE_EXCEEDED": "timeout",
    "CANCELLED": "cancelled",
    "INVALID_ARGUMENT": "invalid_request",
    "FAILED_PRECONDITION": "invalid_request",
    "OUT_OF_RANGE": "invalid_request",
    "UNIMPLEMENTED": "invalid_request",
    "INTERNAL": "upstream",
    "UNKNOWN": "upstream",
    "DATA_LOSS": "upstream",
    "ABORTED": "upstream",
}
STATUSES: dict[int, FailureKind] = {
    401: "auth",
    402: "quota",
    403: "auth",
    404: "not_found",
    408: "timeout",
    429: "rate_limit",
    499: "cancelled",
    503: "overloaded",
    504: "timeout",
    529: "overloaded",
}
TOO_LONG = re.compile(r"token count.*exceeds the maximum", re.IGNORECASE | re.DOTALL)
NO_MONEY = re.compile(r"credits are depleted|spending cap|enable billing", re.IGNORECASE)
DELAY = re.compile(r"(\d+(?:\.\d+)?)s")


class Violation(msgspec.Struct, rename="camel"):
    """A quota that was passed."""

    quota_id: str = ""


class Detail(msgspec.Struct, rename="camel"):
    """One of the details of an error, whichever kind."""

    retry_delay: str = ""
    reason: str = ""
    violations: list[Violation] = msgspec.field(default_factory=list[Violation])


class ErrorBody(msgspec.Struct):
    """What Gemini says went wrong."""

    code: int = 0
    message: str = ""
    status: str = ""
    details: list[dict[str, Any]] = msgspec.field(default_factory=list[dict[str, Any]])


class ErrorAnswer(msgspec.Struct):
    """An error answer."""

    error: ErrorBody


def read_failure(status: int, headers: Mapping[str, str], body: bytes) -> Failure:
    """Read an error answer. Header names are lower case."""
    error = read_error_body(body)
    if error is None:
        words = first_words(body) or f"HTTP status {status}"
        failure = Failure(kind_of(status), words, status=status)
    else:
        failure = error_failure(error, status)
    wait_s = read_retry_after(headers)
    return replace(
        failure,
        request_id=headers.get("x-request-id") or headers.get("x-goog-request-id"),
        retry_after_s=failure.retry_after_s if wait_s is None else wait_s,
        may_retry=read_may_retry(headers),
    )


def read_error_body(body: bytes) -> ErrorBody | None:
    """The error in a body, if it is one."""
    try:
        found: object = json.loads(body)
        listed = cast("list[object]", found) if isinstance(found, list) else [found]
        return convert(listed[0] if listed else None, ErrorAnswer, strict=False).error
    except (ValueError, RecursionError):
        return None


def error_failure(error: ErrorBody, status: int | None = None) -> Failure:
    """An error as a failure."""
    details = [found for found in map(read_detail, error.details) if found is not None]
    reasons = [detail.reason for detail in details if detail.reason]
    delays = [wait for detail in details if (wait := DELAY.fullmatch(detail.retry_delay))]
    quotas = [violation.quota_id for detail in details for violation in detail.violations]
    return Failure(
        kind=error_kind(error, reasons, quotas, status or error.code or None),
        message=error.message or error.status or f"HTTP status {status or error.code}",
        status=status or error.code or None,
        code=next((reason for reason in reasons if reason in KINDS), error.status or None),
        retry_after_s=float(delays[0][1]) if delays else None,
    )


def read_detail(detail: dict[str, Any]) -> Detail | None:
    """A detail, if it is of a shape we know."""
    try:
        return convert(detail, Detail)
    except msgspec.ValidationError:
        return None


def error_kind(
    error: ErrorBody, reasons: list[str], quotas: list[str], status: int | None
) -> FailureKind:
    """What happened: by its status, and by what its body adds to that."""
    return agreed_kind(status, kind_of(status or 500), told_kind(error, reasons, quotas))


def told_kind(error: ErrorBody, reasons: list[str], quotas: list[str]) -> FailureKind | None:
    """What the body names, from the most telling word to the least."""
    for reason in reasons:
        if reason in KINDS:
            return KINDS[reason]
    if TOO_LONG.search(error.message):
        return "context_length"
    # Both come as 429, but trying again in a moment is of no use.
    if NO_MONEY.search(error.message) or any("PerDay" in quota for quota in quotas):
        return "quota"
    return KINDS.get(error.status)


def kind_of(status: int) -> FailureKind:
    """What an HTTP status alone tells."""
    fallback: FailureKind = "invalid_request" if 400 <= status < 500 else "upstream"
    return STATUSES.get(status, fallback)


def mend(failure: Failure, request: Request, traits: Traits) -> tuple[Request, Traits] | None:
    """When a thought signature is missing or refused: the same with the dummy in every step.

    When a token to continue by is refused: without it, so that the answer is asked for in words.
    """
    words = failure.message.lower().replace("_", " ")
    if failure.kind != "invalid_request":
        return None
    if "continuation" in words and "token" in words:
        bare = replace(request, messages=tuple(map(without_token, request.messages)))
        return (bare, traits) if bare != request else None
    if "thought signature" not in words:
        return None
    messages = tuple(unsigned(message) for message in request.messages)
    mended = (replace(request, messages=messages), replace(traits, needs_signatures=True))
    return mended if mended != (request, traits) else None


def without_token(message: Message) -> Message:
    """A message that can't be continued by a token."""
    kept = tuple(
        part
        for part in message.parts
        if not isinstance(part, Native) or "continuation" not in part.provider.payload
    )
    return replace(message, parts=kept)


def unsigned(message: Message) -> Message:
    """A message without its signatures."""
    return replace(message, parts=tuple(unsigned_part(part) for part in message.parts))


def unsigned_part(part: Part) -> Part:
    """A part without its signature; a token to continue by is none."""
    match part:
        case Text() | Thinking() | ToolCall():
            return replace(part, provider=None)
        case Native(provider=ProviderData(origin=origin, payload={"part": raw})):
            part_data = cast(dict[str, Any], raw)
            kept = {key: part_data[key] for key in part_data if key != "thoughtSignature"}
            return Native(ProviderData(origin, {"part": kept}))
        case _:
            return part
