"""Error answers as failures, there and back; the ids are those of the conformance table."""

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recto.llm.protocols.openai_responses import PROTOCOL
from recto.llm.traits import Traits
from recto.messages import (
    Failure,
    FailureKind,
    Origin,
    ProviderData,
    Request,
    Text,
    Thinking,
    assistant,
    user,
)
from tests.llm.openai_responses.streams import sealed


def refused(status: int, **error: Any) -> Failure:
    """An error answer of the API."""
    return PROTOCOL.read_failure(status, {}, json.dumps({"error": error}).encode())


@pytest.mark.parametrize(
    ("status", "error", "kind"),
    [
        (429, {"code": "insufficient_quota", "type": "insufficient_quota"}, "quota"),
        (429, {"code": None, "type": "insufficient_quota"}, "quota"),
        (429, {"code": "project_spend_limit_exceeded"}, "quota"),
        (429, {"code": "rate_limit_exceeded", "type": "tokens"}, "rate_limit"),
        (429, {"code": "slow_down"}, "rate_limit"),
        (429, {}, "rate_limit"),
        (401, {"code": "invalid_api_key", "type": "invalid_request_error"}, "auth"),
        (403, {}, "auth"),
        (402, {}, "quota"),
        (400, {"code": "model_not_found", "type": "invalid_request_error"}, "not_found"),
        (404, {}, "not_found"),
        (400, {"code": "context_length_exceeded"}, "context_length"),
        (400, {"message": "This model's maximum context length is 8"}, "context_length"),
        (400, {"code": "unsupported_parameter"}, "invalid_request"),
        (422, {}, "invalid_request"),
        (413, {}, "invalid_request"),
        (408, {}, "timeout"),
        (504, {}, "timeout"),
        (409, {}, "upstream"),
        (500, {"code": "server_error"}, "upstream"),
        (502, {}, "upstream"),
        (503, {"code": "server_is_overloaded"}, "overloaded"),
        (503, {}, "overloaded"),
        (500, {"code": 429}, "rate_limit"),
        (500, {"code": "401"}, "auth"),
        (418, {}, "upstream"),
    ],
)
def test_the_code_says_more_than_the_status(
    status: int, error: dict[str, Any], kind: FailureKind
) -> None:
    assert refused(status, **{"message": "No.", **error}).kind == kind


def test_R26_an_account_without_money_is_not_asked_again() -> None:
    failure = refused(
        429,
        message="You exceeded your quota.",
        type="insufficient_quota",
        code="insufficient_quota",
    )

    assert failure == Failure(
        "quota", "You exceeded your quota.", status=429, code="insufficient_quota"
    )
    assert not failure.retryable


def test_the_headers_say_how_long_to_wait() -> None:
    assert PROTOCOL.read_failure(429, {"retry-after": "2.5"}, b"{}").retry_after_s == 2.5


def test_the_headers_name_the_request_and_whether_to_try_again() -> None:
    headers = {"x-request-id": "req_7", "x-should-retry": "false"}

    failure = PROTOCOL.read_failure(500, headers, b'{"error":{"message":"Oh.","code":null}}')

    assert failure == Failure("upstream", "Oh.", status=500, request_id="req_7", may_retry=False)
    assert not failure.retryable


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b"<html>" + b"x" * 999, "<html>" + "x" * 194),
        (b"", "HTTP 502"),
        (b'{"error":"Just words."}', "Just words."),
        (b'{"detail":"Not here."}', "Not here."),
        (b'"Only a string."', "Only a string."),
        (b"[" * 100_000, "[" * 200),
        (b'{"error":{"message":"","code":"server_error"}}', "server_error"),
    ],
    ids=["X15-html", "empty", "words", "detail", "string", "deep", "code"],
)
def test_a_body_of_another_shape_still_says_something(body: bytes, message: str) -> None:
    failure = PROTOCOL.read_failure(502, {}, body)

    assert (failure.kind, failure.message) == ("upstream", message)


@given(st.integers(300, 600), st.binary(max_size=100))
def test_no_body_crashes_the_reading_of_a_failure(status: int, body: bytes) -> None:
    assert PROTOCOL.read_failure(status, {}, body).status == status


SEAL = sealed(id="rs_1", encrypted_content="s", summary=[])
FOREIGN = ProviderData(Origin("anthropic-messages", "acct", "claude"), {"signature": "s"})
TRAITS = Traits(thinking="effort")


def asked(*thoughts: Thinking) -> Request:
    """A conversation in which the model thought."""
    return Request("gpt-6-sol", (user("Hi"), assistant(*thoughts, Text("Hello"))), 100)


def test_R24_thoughts_the_provider_cannot_open_are_left_out_once() -> None:
    failure = refused(400, code="invalid_encrypted_content", message="Could not be verified.")
    request = asked(Thinking("Hm", SEAL), Thinking("Oh", FOREIGN))

    mended = asked(Thinking("Hm"), Thinking("Oh", FOREIGN))

    assert PROTOCOL.mend(failure, request, TRAITS) == (mended, TRAITS)
    assert PROTOCOL.mend(failure, mended, TRAITS) is None


def test_R25_a_model_that_seals_nothing_is_not_asked_for_it_again() -> None:
    failure = refused(400, message="Encrypted content is not supported with this model.")
    mended = replace(TRAITS, encrypted_reasoning=False)

    assert PROTOCOL.mend(failure, asked(), TRAITS) == (asked(), mended)
    assert PROTOCOL.mend(failure, asked(), mended) is None


def test_other_failures_are_not_mended() -> None:
    assert PROTOCOL.mend(refused(400, message="No."), asked(), TRAITS) is None


KINDS: list[FailureKind] = [
    "auth", "quota", "budget", "rate_limit", "overloaded", "context_length", "invalid_request",
    "not_found", "network", "timeout", "upstream", "cancelled",
]  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_a_failure_told_to_a_client_reads_back_as_the_same_kind(kind: FailureKind) -> None:
    status, body = PROTOCOL.write_failure(Failure(kind, "Nö.", code="foreign_code"))

    failure = PROTOCOL.read_failure(status, {}, body)

    assert (failure.kind, failure.message) == (kind, "Nö.")


def test_a_failure_keeps_a_code_of_this_api() -> None:
    failure = Failure("rate_limit", "Slow down.", status=429, code="slow_down")

    status, body = PROTOCOL.write_failure(failure)

    error = {
        "code": "slow_down",
        "message": "Slow down.",
        "type": "rate_limit_error",
        "param": None,
    }
    assert (status, json.loads(body)) == (429, {"error": error})
