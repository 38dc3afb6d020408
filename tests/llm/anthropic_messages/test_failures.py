"""Error answers: what they mean, how long to wait, what one more try leaves out."""

import json
from dataclasses import replace
from typing import Any

import pytest

from recto.llm.protocols.anthropic_messages import PROTOCOL
from recto.llm.traits import Traits
from recto.messages import (
    Failure,
    FailureKind,
    Finished,
    Origin,
    ProviderData,
    Request,
    Thinking,
    assistant,
    user,
)
from tests.llm.anthropic_messages.streams import ORIGIN, STARTED, end_of, sse


def error(kind: str, message: str = "Words.", **more: Any) -> dict[str, Any]:
    return {"type": "error", "error": {"type": kind, "message": message, **more}}


def failure_of(status: int, body: dict[str, Any], **headers: str) -> Failure:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return PROTOCOL.read_failure(status, named, json.dumps(body).encode())


def test_A15_an_error_inside_a_stream_has_the_status_its_type_means() -> None:
    end = end_of(sse({**error("overloaded_error"), "request_id": "req_1"}))
    failure = Failure(
        "overloaded", "Words.", status=529, code="overloaded_error", request_id="req_1"
    )
    assert end == Finished("error", assistant(), failure=failure)
    assert failure.retryable


def test_an_error_that_explains_nothing_is_still_an_error() -> None:
    wordless = Failure("upstream", "The provider reported an error it did not explain.")
    assert end_of(sse(STARTED, {"type": "error"})).failure == wordless


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        pytest.param({"retry_after": "1.5"}, 1.5, id="A27-seconds"),
        pytest.param({"retry_after_ms": "250", "retry_after": "9"}, 0.25, id="A27-ms"),
        pytest.param(
            {
                "retry_after": "Sun, 15 Nov 2026 12:00:30 GMT",
                "date": "Sun, 15 Nov 2026 12:00:00 GMT",
            },
            30.0,
            id="A27-date",
        ),
        pytest.param({"retry_after": "Sun, 15 Nov 2026 12:00:30 GMT"}, None, id="A27-no-date"),
        pytest.param({"retry_after": "soon"}, None, id="words"),
        pytest.param({"retry_after": "nan"}, None, id="not-a-number"),
        pytest.param({}, None, id="nothing"),
    ],
)
def test_how_long_to_wait(headers: dict[str, str], seconds: float | None) -> None:
    assert failure_of(429, error("rate_limit_error"), request_id="req_1", **headers) == Failure(
        "rate_limit",
        "Words.",
        status=429,
        code="rate_limit_error",
        request_id="req_1",
        retry_after_s=seconds,
    )


@pytest.mark.parametrize(
    ("status", "body", "kind"),
    [
        pytest.param(
            400,
            error("invalid_request_error", "prompt is too long: 213462 tokens > 200000 maximum"),
            "context_length",
            id="A28",
        ),
        pytest.param(404, error("not_found_error", "model: x"), "not_found", id="A30"),
        pytest.param(529, error("overloaded_error"), "overloaded", id="A31"),
        (400, error("invalid_request_error"), "invalid_request"),
        (400, error("invalid_request_error", "Your credit balance is too low to …"), "quota"),
        (401, error("authentication_error"), "auth"),
        (402, error("billing_error"), "quota"),
        (403, error("permission_error"), "auth"),
        (408, error("new_error"), "timeout"),
        (409, error("conflict_error"), "upstream"),
        (413, error("request_too_large"), "context_length"),
        (418, error("new_error"), "invalid_request"),
        (
            429,
            error("rate_limit_error", details={"error_code": "enforced_spend_limit_reached"}),
            "quota",
        ),
        (
            429,
            error("rate_limit_error", details={"error_code": "ramp_limit_exceeded"}),
            "rate_limit",
        ),
        (500, error("api_error"), "upstream"),
        (502, error("new_error"), "upstream"),
        (503, error("new_error"), "overloaded"),
        (504, error("timeout_error"), "timeout"),
        (200, error("overloaded_error"), "overloaded"),
    ],
)
def test_what_happened(status: int, body: dict[str, Any], kind: FailureKind) -> None:
    assert failure_of(status, body).kind == kind


def test_A31_an_overload_is_worth_trying_again_and_a_quota_is_not() -> None:
    assert failure_of(529, error("overloaded_error")).retryable
    assert not failure_of(402, error("billing_error")).retryable


def test_A32_the_provider_has_the_last_word_on_trying_again() -> None:
    assert not failure_of(500, error("api_error"), x_should_retry="false").retryable
    assert failure_of(400, error("invalid_request_error"), x_should_retry="true").retryable


def test_a_page_instead_of_an_error_is_quoted_shortly() -> None:
    page = b"<html>" + b"x" * 1000
    failure = PROTOCOL.read_failure(502, {}, page)
    assert failure == Failure("upstream", page[:200].decode(), status=502)
    assert PROTOCOL.read_failure(401, {}, b"").message == "The provider answered 401."


def test_a_whole_answer_that_is_an_error_or_nonsense_fails() -> None:
    told = PROTOCOL.read_whole(json.dumps(error("api_error")).encode(), ORIGIN)
    failure = Failure("upstream", "Words.", status=500, code="api_error")
    assert told == [Finished("error", assistant(), failure=failure)]
    wrong = Failure("upstream", "The provider sent something that is not JSON.")
    for nonsense in (b"<html>", b"[]", b'{"content": 7}'):
        told = PROTOCOL.read_whole(nonsense, ORIGIN)
        assert told == [Finished("error", assistant(), failure=wrong)]


THOUGHT = Thinking("Hmm.", ProviderData(Origin("anthropic-messages", "a", "m"), {"signature": "s"}))
REQUEST = Request("m", (user("Hi"), assistant(THOUGHT, "Hello"), user("More")), 100)
BOUND = Failure(
    "invalid_request",
    "messages.1.content.0: This thinking block is bound to a different conversation.",
    status=400,
)


def test_A29_thoughts_of_another_conversation_are_left_out_once() -> None:
    mended = PROTOCOL.mend(BOUND, REQUEST, Traits())
    without = replace(REQUEST, messages=(user("Hi"), assistant("Hello"), user("More")))
    assert mended == (without, Traits())
    assert PROTOCOL.mend(BOUND, without, Traits()) is None


def test_A29_other_failures_are_not_mended() -> None:
    assert PROTOCOL.mend(Failure("invalid_request", "No."), REQUEST, Traits()) is None
    assert PROTOCOL.mend(replace(BOUND, kind="upstream"), REQUEST, Traits()) is None
