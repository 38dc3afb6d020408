"""Failures as the API itself tells them: the status, the type and the code, as ASCII."""

import json
from typing import Any

import msgspec

from recto.llm.protocols.openai_responses.read_failures import KINDS_BY_CODE
from recto.messages import Failure, FailureKind

CODES: dict[FailureKind, tuple[int, str, str]] = {
    "auth": (401, "invalid_request_error", "invalid_api_key"),
    "quota": (429, "insufficient_quota", "insufficient_quota"),
    "budget": (429, "insufficient_quota", "budget_exceeded"),
    "rate_limit": (429, "rate_limit_error", "rate_limit_exceeded"),
    "overloaded": (503, "service_unavailable_error", "server_is_overloaded"),
    "context_length": (400, "invalid_request_error", "context_length_exceeded"),
    "invalid_request": (400, "invalid_request_error", "invalid_value"),
    "not_found": (404, "invalid_request_error", "model_not_found"),
    "network": (502, "server_error", "connection_error"),
    "timeout": (504, "server_error", "timeout"),
    "upstream": (502, "server_error", "server_error"),
    "cancelled": (499, "server_error", "cancelled"),
}
"""The status, the type and the code of each kind of failure."""


def write_failure(failure: Failure) -> tuple[int, bytes]:
    """Write an error: the status and the body."""
    status, kind, _ = CODES[failure.kind]
    error = {**write_error(failure), "type": kind, "param": None}
    return status, encode({"error": error})


def write_error(failure: Failure) -> dict[str, Any]:
    """The code and the words of a failure; a code of another provider becomes one of ours."""
    is_known = KINDS_BY_CODE.get(failure.code or "") == failure.kind
    code = failure.code if is_known else CODES[failure.kind][2]
    return {"code": code, "message": failure.message}


def encode(value: dict[str, Any]) -> bytes:
    """JSON in ASCII."""
    data = msgspec.json.encode(value)
    return data if data.isascii() else json.dumps(value, separators=(",", ":")).encode()
