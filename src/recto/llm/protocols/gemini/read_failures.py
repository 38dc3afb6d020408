"""Gemini's errors as failures: error answers, errors inside a stream, and what to try once more.

A body is `{"error": {code, message, status, details}}`, at times inside a list. The status word is
trusted before the HTTP status, and a reason in the details before both.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from email.utils import parsedate_to_datetime
from typing import Any, cast

import msgspec

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

MAX_QUOTE = 200

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
        words = body.decode("utf-8", "replace").strip()[:MAX_QUOTE]
        failure = Failure(kind_of(status), words or f"HTTP status {status}", status=status)
    else:
        failure = error_failure(error, status)
    waits = read_wait(headers)
    should_retry = headers.get("x-should-retry")
    return replace(
        failure,
        request_id=headers.get("x-request-id") or headers.get("x-goog-request-id"),
        retry_after_s=failure.retry_after_s if waits is None else waits,
        may_retry=None if should_retry is None else should_retry.lower() == "true",
    )


def read_error_body(body: bytes) -> ErrorBody | None:
    """The error in a body, if it is one."""
    try:
        found: Any = json.loads(body)
        if isinstance(found, list) and found:
            found = cast(list[Any], found)[0]
        return msgspec.convert(found, ErrorAnswer, strict=False).error
    except (ValueError, RecursionError):
        return None


def error_failure(error: ErrorBody, status: int | None = None) -> Failure:
    """An error as a failure."""
    details = [found for found in map(read_detail, error.details) if found is not None]
    reasons = [one.reason for one in details if one.reason]
    delays = [wait for one in details if (wait := DELAY.fullmatch(one.retry_delay))]
    quotas = [violation.quota_id for one in details for violation in one.violations]
    return Failure(
        kind=error_kind(error, reasons, quotas, status or error.code),
        message=error.message or error.status or f"HTTP status {status or error.code}",
        status=status or error.code or None,
        code=next((one for one in reasons if one in KINDS), error.status or None),
        retry_after_s=float(delays[0][1]) if delays else None,
    )


def read_detail(detail: dict[str, Any]) -> Detail | None:
    """A detail, if it is of a shape we know."""
    try:
        return msgspec.convert(detail, Detail)
    except msgspec.ValidationError:
        return None


def error_kind(error: ErrorBody, reasons: list[str], quotas: list[str], status: int) -> FailureKind:
    """What happened, from the most telling word to the least."""
    for reason in reasons:
        if reason in KINDS:
            return KINDS[reason]
    if TOO_LONG.search(error.message):
        return "context_length"
    if NO_MONEY.search(error.message) or any("PerDay" in quota for quota in quotas):
        return "quota"
    return KINDS.get(error.status) or kind_of(status)


def kind_of(status: int) -> FailureKind:
    """What an HTTP status alone tells."""
    fallback: FailureKind = "invalid_request" if 400 <= status < 500 else "upstream"
    return STATUSES.get(status, fallback)


def read_wait(headers: Mapping[str, str]) -> float | None:
    """How long the headers ask to wait. A date needs the answer's own date to tell."""
    if (milliseconds := read_number(headers.get("retry-after-ms"))) is not None:
        return milliseconds / 1000
    after = headers.get("retry-after", "")
    if (seconds := read_number(after)) is not None:
        return seconds
    try:
        until, now = parsedate_to_datetime(after), parsedate_to_datetime(headers.get("date", ""))
        return max(0.0, (until - now).total_seconds())
    except (ValueError, TypeError):
        # No date, or one of the two without a time zone.
        return None


def read_number(text: str | None) -> float | None:
    """A number of at least nothing."""
    try:
        found = float(text or "")
    except ValueError:
        return None
    return found if 0 <= found < float("inf") else None


def mend(failure: Failure, request: Request, traits: Traits) -> tuple[Request, Traits] | None:
    """When a thought signature is missing or refused: the same with the dummy in every step."""
    words = failure.message.lower().replace("_", " ")
    if failure.kind != "invalid_request" or "thought signature" not in words:
        return None
    messages = tuple(unsigned(message) for message in request.messages)
    mended = (replace(request, messages=messages), replace(traits, needs_signatures=True))
    return mended if mended != (request, traits) else None


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
