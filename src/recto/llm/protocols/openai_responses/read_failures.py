"""Reads what the provider says when it fails, and mends the requests that can be mended."""

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, cast

from recto.llm.error_answers import agreed_kind, first_words, read_may_retry, read_retry_after
from recto.llm.traits import Traits
from recto.messages import Failure, FailureKind, Message, Part, Request, Thinking, encodable

ID = "openai-responses"

KINDS_BY_CODE: dict[str, FailureKind] = {
    "insufficient_quota": "quota",
    "billing_hard_limit_reached": "quota",
    "billing_not_active": "quota",
    "credit_balance_exhausted": "quota",
    "organization_spend_limit_exceeded": "quota",
    "project_spend_limit_exceeded": "quota",
    "organization_usage_limit_exceeded": "quota",
    "rate_limit_exceeded": "rate_limit",
    "rate_limit_error": "rate_limit",
    "too_many_requests": "rate_limit",
    "slow_down": "rate_limit",
    "server_is_overloaded": "overloaded",
    "service_unavailable": "overloaded",
    "service_unavailable_error": "overloaded",
    "overloaded_error": "overloaded",
    "context_length_exceeded": "context_length",
    "invalid_api_key": "auth",
    "account_deactivated": "auth",
    "authentication_error": "auth",
    "permission_error": "auth",
    "model_not_found": "not_found",
    "not_found_error": "not_found",
    "invalid_encrypted_content": "invalid_request",
    "invalid_prompt": "invalid_request",
    "invalid_value": "invalid_request",
    "string_above_max_length": "invalid_request",
    "unsupported_parameter": "invalid_request",
    "unsupported_value": "invalid_request",
    "data_residency_mismatch": "invalid_request",
    "bio_policy": "invalid_request",
    "misalignment_policy_violation": "invalid_request",
    "server_error": "upstream",
    "budget_exceeded": "budget",
    "connection_error": "network",
    "timeout": "timeout",
    "cancelled": "cancelled",
    "vector_store_timeout": "upstream",
}
KINDS_BY_STATUS: dict[int, FailureKind] = {
    400: "invalid_request",
    401: "auth",
    402: "quota",
    403: "auth",
    404: "not_found",
    405: "not_found",
    408: "timeout",
    409: "upstream",
    413: "invalid_request",
    422: "invalid_request",
    429: "rate_limit",
    499: "cancelled",
    503: "overloaded",
    504: "timeout",
    529: "overloaded",
}
STATUS_IN_STREAM: dict[FailureKind, int] = {
    "rate_limit": 429,
    "quota": 429,
    "overloaded": 503,
    "context_length": 400,
    "invalid_request": 400,
    "not_found": 404,
    "auth": 401,
    "upstream": 500,
}
"""A failure inside a stream has no status: the one it would have had before the stream."""
TOO_LONG = ("maximum context length", "reduce the length of the messages", "context window")
NOT_ENCRYPTED = "encrypted content is not supported"


def read_failure(status: int, headers: Mapping[str, str], body: bytes) -> Failure:
    """Read an error answer. Header names are lower case."""
    problem = read_body(body)
    code = read_code(problem)
    message = text_of(problem.get("message")) or code or first_words(body) or f"HTTP {status}"
    return Failure(
        kind=kind_of(problem, status),
        message=message,
        status=status,
        code=code,
        request_id=headers.get("x-request-id"),
        retry_after_s=read_retry_after(headers),
        may_retry=read_may_retry(headers),
    )


def read_problem(found: object) -> Failure:
    """Read an error inside an answer: its code decides, its words may be missing."""
    problem = problem_of(found)
    kind = kind_of(problem, None)
    code = read_code(problem)
    message = text_of(problem.get("message")) or code or "The provider failed and did not say why."
    return Failure(kind, message, status=STATUS_IN_STREAM.get(kind), code=code)


def read_body(body: bytes) -> dict[str, Any]:
    """The error object of a body; empty if the body is no JSON."""
    try:
        found: Any = json.loads(body)
    except (ValueError, RecursionError):
        return {}
    if isinstance(found, dict):
        whole = cast(dict[str, Any], found)
        return problem_of(whole.get("error") or whole.get("detail") or whole)
    return problem_of(found)


def problem_of(found: object) -> dict[str, Any]:
    """An error object, also from servers that send only words."""
    if isinstance(found, dict):
        return cast(dict[str, Any], found)
    return {"message": found} if isinstance(found, str) else {}


def kind_of(problem: dict[str, Any], status: int | None) -> FailureKind:
    """What happened: by its status, and by what its body adds to that."""
    if status is None or status >= 500:
        # Gateways put a status where the code belongs.
        code = text_of(problem.get("code"))
        status = int(code) if code.isascii() and code.isdecimal() and len(code) == 3 else status
    by_type = "invalid_request" if problem.get("type") == "invalid_request_error" else "upstream"
    by_status = by_type if status is None else KINDS_BY_STATUS.get(status, "upstream")
    return agreed_kind(status, by_status, told_kind(problem))


def told_kind(problem: dict[str, Any]) -> FailureKind | None:
    """What the body names: the code says it best, then the type, then the words."""
    for word in (problem.get("code"), problem.get("type")):
        kind = KINDS_BY_CODE.get(text_of(word))
        if kind is not None:
            return kind
    message = text_of(problem.get("message")).lower()
    return "context_length" if any(words in message for words in TOO_LONG) else None


def read_code(problem: dict[str, Any]) -> str | None:
    """The provider's name for the failure."""
    return text_of(problem.get("code")) or text_of(problem.get("type")) or None


def text_of(found: object) -> str:
    """A word; numbers count as words, all else as none."""
    if isinstance(found, bool) or not isinstance(found, str | int):
        return ""
    return encodable(str(found))


def mend(failure: Failure, request: Request, traits: Traits) -> tuple[Request, Traits] | None:
    """Leave out sealed thoughts that the provider can't open, or does not seal at all."""
    # Another key or organisation sealed them: OpenAI can't open them here.
    if failure.code == "invalid_encrypted_content":
        bare = replace(request, messages=tuple(map(without_seals, request.messages)))
        return (bare, traits) if bare != request else None
    if NOT_ENCRYPTED in failure.message.lower() and traits.encrypted_reasoning:
        return request, replace(traits, encrypted_reasoning=False)
    return None


def without_seals(message: Message) -> Message:
    """A message whose thoughts stay here."""
    return replace(message, parts=tuple(map(unsealed, message.parts)))


def unsealed(part: Part) -> Part:
    """A thought without what only the provider can read."""
    if not isinstance(part, Thinking) or part.provider is None:
        return part
    return replace(part, provider=None) if part.provider.origin.protocol == ID else part
