"""Error answers of Chat Completions servers as failures, and what to leave out after one."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, cast

from recto.llm.error_answers import (
    SHOWN_CHARACTERS,
    agreed_kind,
    first_words,
    read_may_retry,
    read_retry_after,
)
from recto.llm.traits import Traits
from recto.messages import Failure, FailureKind, Request

KINDS: dict[str, FailureKind] = {
    "invalid_api_key": "auth",
    "authentication_error": "auth",
    "permission_error": "auth",
    "unsupported_country_region_territory": "auth",
    "insufficient_quota": "quota",
    "billing_hard_limit_reached": "quota",
    "billing_not_active": "quota",
    "credit_balance_exhausted": "quota",
    "organization_spend_limit_exceeded": "quota",
    "project_spend_limit_exceeded": "quota",
    "organization_usage_limit_exceeded": "quota",
    "budget_exceeded": "budget",
    "rate_limit_exceeded": "rate_limit",
    "rate_limit_error": "rate_limit",
    "slow_down": "rate_limit",
    "server_is_overloaded": "overloaded",
    "service_unavailable_error": "overloaded",
    "overloaded_error": "overloaded",
    "context_length_exceeded": "context_length",
    "exceed_context_size_error": "context_length",
    "model_not_found": "not_found",
    "not_found_error": "not_found",
    "server_error": "upstream",
    "api_error": "upstream",
    "connection_error": "network",
    "timeout": "timeout",
    "cancelled": "cancelled",
}
STATUSES: dict[int, FailureKind] = {
    401: "auth",
    402: "quota",
    403: "auth",
    404: "not_found",
    408: "timeout",
    409: "upstream",
    429: "rate_limit",
    499: "cancelled",
    503: "overloaded",
    504: "timeout",
    529: "overloaded",
}
TOO_LONG = re.compile(
    r"maximum context length|reduce the length of the messages|context (window|size|length)", re.I
)
NEEDS_RESPONSES = re.compile(r"v1/responses|function tools with reasoning_effort", re.I)
RESPONSES_HINT = 'Set "protocol": "openai-responses" for this provider.'
REFUSES_FIELD = re.compile(
    r"unsupported|not supported|unrecogni[sz]ed|unknown|unexpected|not permitted|not allowed", re.I
)
HTTP_STATUS = re.compile(r"[45]\d\d")


@dataclass(frozen=True, slots=True)
class ErrorBody:
    """What an error says of itself."""

    message: str = ""
    type: str | None = None
    code: str | None = None


def read_failure(status: int, headers: Mapping[str, str], body: bytes) -> Failure:
    """Read an error answer."""
    return replace(
        as_failure(find_error(body), status, body),
        request_id=headers.get("x-request-id"),
        retry_after_s=read_retry_after(headers),
        may_retry=read_may_retry(headers),
    )


def read_error(data: bytes) -> Failure:
    """Read an error that came instead of an answer, under a status that promised one."""
    return as_failure(find_error(data), None, data)


def as_failure(error: ErrorBody, status: int | None, body: bytes) -> Failure:
    """The failure that an error is; a status where the code belongs counts where HTTP gave none."""
    if status is None and HTTP_STATUS.fullmatch(error.code or ""):
        status = int(error.code or "")
    text = error.message or first_words(body)
    if NEEDS_RESPONSES.search(error.message):
        text = f"{text} {RESPONSES_HINT}"
    kind = find_kind(error, status)
    code = error.code or error.type
    return Failure(kind, text or "The provider gave no reason.", status=status, code=code)


def find_kind(error: ErrorBody, status: int | None) -> FailureKind:
    """What kind of failure it is: by its status, and by what its body adds to that."""
    is_refusal = error.type == "invalid_request_error" if status is None else 400 <= status < 500
    plain: FailureKind = "invalid_request" if is_refusal else "upstream"
    by_status = plain if status is None else STATUSES.get(status, plain)
    return agreed_kind(status, by_status, told_kind(error))


def told_kind(error: ErrorBody) -> FailureKind | None:
    """What kind of failure its code, its type or its words name, if any."""
    for name in (error.code, error.type):
        if name in KINDS:
            return KINDS[name]
    return "context_length" if TOO_LONG.search(error.message) else None


def find_error(body: bytes) -> ErrorBody:
    """The error in a body, in any of the shapes that servers give it."""
    try:
        found: Any = json.loads(body.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return ErrorBody()
    if isinstance(found, list) and found:
        found = cast(list[Any], found)[0]
    if not isinstance(found, dict):
        return ErrorBody()
    whole = cast(dict[str, Any], found)
    error = whole.get("error") or whole
    if isinstance(error, str):
        return ErrorBody(error)
    if not isinstance(error, dict):
        return ErrorBody()
    error = cast(dict[str, Any], error)
    message = error.get("message") or error.get("detail") or ""
    return ErrorBody(
        message if isinstance(message, str) else json.dumps(message)[:SHOWN_CHARACTERS],
        as_name(error.get("type")),
        as_name(error.get("code")),
    )


def as_name(value: Any) -> str | None:
    """A code or type as text; some servers give a number."""
    return str(value) if isinstance(value, str | int) and value else None


def elsewhere(failure: Failure) -> str | None:
    """Responses, if this model takes such a request only there."""
    needs = failure.kind == "invalid_request" and NEEDS_RESPONSES.search(failure.message)
    return "openai-responses" if needs else None


def mend(failure: Failure, request: Request, traits: Traits) -> tuple[Request, Traits] | None:
    """The other name of the output limit, no wish for usage, or thoughts sent back or not.

    Whichever the server refused, or missed.
    """
    if failure.kind != "invalid_request":
        return None
    is_refused = REFUSES_FIELD.search(failure.message) is not None
    if "reasoning_content" in failure.message and is_refused == traits.echoes_reasoning:
        return request, replace(traits, echoes_reasoning=not traits.echoes_reasoning)
    if not is_refused:
        return None
    if traits.output_field in failure.message:
        other = "max_tokens" if traits.output_field != "max_tokens" else "max_completion_tokens"
        return request, replace(traits, output_field=other)
    if traits.usage_option and "stream_options" in failure.message:
        return request, replace(traits, usage_option=False)
    return None
