"""Gemini's errors as failures, failures as Gemini's errors, and what is worth one more try."""

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recto.llm.protocols.gemini import PROTOCOL
from recto.llm.traits import Traits
from recto.messages import (
    Failure,
    FailureKind,
    Native,
    ProviderData,
    Request,
    Text,
    Thinking,
    ToolCall,
    assistant,
    user,
)
from tests.llm.gemini.streams import ORIGIN, signed

RPC = "type.googleapis.com/google.rpc."


def body(code: int, status: str, message: str, *details: dict[str, Any]) -> bytes:
    error = {"code": code, "message": message, "status": status, "details": list(details)}
    return json.dumps({"error": error}).encode()


def info(reason: str) -> dict[str, Any]:
    return {"@type": f"{RPC}ErrorInfo", "reason": reason, "domain": "googleapis.com"}


def retry(delay: str) -> dict[str, Any]:
    return {"@type": f"{RPC}RetryInfo", "retryDelay": delay}


def quota(quota_id: str) -> dict[str, Any]:
    return {"@type": f"{RPC}QuotaFailure", "violations": [{"quotaId": quota_id}]}


def test_G23_an_error_inside_a_list_is_read() -> None:
    data = b"[" + body(400, "INVALID_ARGUMENT", "Bad.") + b"]"
    failure = Failure("invalid_request", "Bad.", status=400, code="INVALID_ARGUMENT")
    assert PROTOCOL.read_failure(400, {}, data) == failure


@pytest.mark.parametrize(("delay", "seconds"), [("34s", 34.0), ("0.5s", 0.5), ("soon", None)])
def test_G24_a_rate_limit_says_how_long_to_wait(delay: str, seconds: float | None) -> None:
    data = body(429, "RESOURCE_EXHAUSTED", "Slow down.", retry(delay))
    assert PROTOCOL.read_failure(429, {}, data) == Failure(
        "rate_limit",
        "Slow down.",
        status=429,
        code="RESOURCE_EXHAUSTED",
        retry_after_s=seconds,
    )


def test_G25_a_bad_key_is_told_by_its_reason() -> None:
    data = body(400, "INVALID_ARGUMENT", "API key not valid.", info("API_KEY_INVALID"))
    assert PROTOCOL.read_failure(400, {}, data) == Failure(
        "auth", "API key not valid.", status=400, code="API_KEY_INVALID"
    )


def test_G26_a_prompt_that_does_not_fit_is_told_by_its_words() -> None:
    words = (
        "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576)."
    )
    failure = PROTOCOL.read_failure(400, {}, body(400, "INVALID_ARGUMENT", words))
    assert failure.kind == "context_length"


@pytest.mark.parametrize(
    ("status", "word", "details", "kind"),
    [
        (400, "INVALID_ARGUMENT", [], "invalid_request"),
        (400, "FAILED_PRECONDITION", [], "invalid_request"),
        (400, "FAILED_PRECONDITION", [info("BILLING_DISABLED")], "quota"),
        (401, "UNAUTHENTICATED", [], "auth"),
        (403, "PERMISSION_DENIED", [info("UNHEARD_OF")], "auth"),
        (404, "NOT_FOUND", [], "not_found"),
        (429, "RESOURCE_EXHAUSTED", [quota("RequestsPerMinutePerModel")], "rate_limit"),
        (429, "RESOURCE_EXHAUSTED", [quota("RequestsPerDayPerModel"), retry("9s")], "quota"),
        (499, "CANCELLED", [], "cancelled"),
        (500, "INTERNAL", [{"reason": 3}], "upstream"),
        (503, "UNAVAILABLE", [], "overloaded"),
        (504, "DEADLINE_EXCEEDED", [], "timeout"),
        (418, "TEAPOT", [], "invalid_request"),
        (599, "", [], "upstream"),
    ],
)
def test_the_kind_of_a_failure_comes_from_its_reason_then_its_word_then_its_status(
    status: int, word: str, details: list[dict[str, Any]], kind: FailureKind
) -> None:
    assert PROTOCOL.read_failure(status, {}, body(status, word, "No.", *details)).kind == kind


def test_no_money_left_is_told_by_its_words() -> None:
    data = body(429, "RESOURCE_EXHAUSTED", "Your prepayment credits are depleted.")
    assert PROTOCOL.read_failure(429, {}, data).kind == "quota"


@pytest.mark.parametrize(
    ("status", "data", "failure"),
    [
        (502, b"<html>Bad gateway</html>", Failure("upstream", "<html>Bad gateway</html>")),
        (429, b"", Failure("rate_limit", "HTTP status 429")),
        (403, b"x" * 1000, Failure("auth", "x" * 200)),
        (500, b'{"error": "plain words"}', Failure("upstream", '{"error": "plain words"}')),
    ],
)
def test_a_body_that_is_no_error_of_Gemini_is_quoted(
    status: int, data: bytes, failure: Failure
) -> None:
    assert PROTOCOL.read_failure(status, {}, data) == replace(failure, status=status)


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after-ms": "1500", "retry-after": "9"}, 1.5),
        ({"retry-after": "2.5"}, 2.5),
        (
            {
                "retry-after": "Sun, 15 Nov 2026 10:00:30 GMT",
                "date": "Sun, 15 Nov 2026 10:00:00 GMT",
            },
            30.0,
        ),
        ({"retry-after": "Sun, 15 Nov 2026 10:00:30 GMT"}, 34.0),
        ({"retry-after": "-3"}, 34.0),
        ({}, 34.0),
    ],
)
def test_headers_that_say_how_long_to_wait_come_first(
    headers: dict[str, str], seconds: float
) -> None:
    data = body(429, "RESOURCE_EXHAUSTED", "Slow down.", retry("34s"))
    assert PROTOCOL.read_failure(429, headers, data).retry_after_s == seconds


@pytest.mark.parametrize(("header", "may"), [("true", True), ("false", False), (None, None)])
def test_the_provider_has_the_word_on_trying_again(header: str | None, may: bool | None) -> None:
    headers = {"x-request-id": "q1"} | ({} if header is None else {"x-should-retry": header})
    failure = PROTOCOL.read_failure(500, headers, b"")
    assert (failure.may_retry, failure.request_id) == (may, "q1")


MISSING = Failure(
    "invalid_request", "Function call is missing a thought_signature in functionCall parts."
)
HISTORY = Request(
    model="gemini-3.8-flash",
    messages=(
        user("Look."),
        assistant(
            Thinking("Hm.", signed("S")),
            Text("Yes.", signed("S")),
            ToolCall("c1", "look", {}, signed("S")),
            Native(ProviderData(ORIGIN, {"part": {"toolCall": {}, "thoughtSignature": "S"}})),
            Native(ProviderData(ORIGIN, {"continuation": "T"})),
        ),
    ),
    max_output=100,
)


@pytest.mark.parametrize("words", [MISSING.message, "Corrupted thought signature."])
def test_G27_a_refused_signature_is_tried_once_more_with_the_dummy(words: str) -> None:
    mended = PROTOCOL.mend(replace(MISSING, message=words), HISTORY, Traits())
    bare = assistant(
        Thinking("Hm."),
        Text("Yes."),
        ToolCall("c1", "look", {}),
        Native(ProviderData(ORIGIN, {"part": {"toolCall": {}}})),
        Native(ProviderData(ORIGIN, {"continuation": "T"})),
    )
    request = replace(HISTORY, messages=(user("Look."), bare))
    traits = Traits(needs_signatures=True)
    assert mended == (request, traits)
    assert PROTOCOL.mend(MISSING, request, traits) is None


def test_G21_a_token_that_is_refused_is_left_out_once() -> None:
    refused = Failure("invalid_request", "The continuation token is not one of this request.")
    token = Native(ProviderData(ORIGIN, {"continuation": "T"}))
    request = replace(HISTORY, messages=(user("Count."), assistant("One, ", token)))
    bare = replace(HISTORY, messages=(user("Count."), assistant("One, ")))
    assert PROTOCOL.mend(refused, request, Traits()) == (bare, Traits())
    assert PROTOCOL.mend(refused, bare, Traits()) is None


@pytest.mark.parametrize(
    "failure",
    [Failure("invalid_request", "Bad."), Failure("overloaded", "No thought_signature today.")],
)
def test_other_failures_are_not_mended(failure: Failure) -> None:
    assert PROTOCOL.mend(failure, HISTORY, Traits()) is None


@pytest.mark.parametrize(
    ("kind", "status", "comes_back_as"),
    [
        ("auth", 401, "auth"),
        ("quota", 400, "quota"),
        ("budget", 400, "quota"),
        ("rate_limit", 429, "rate_limit"),
        ("overloaded", 503, "overloaded"),
        ("context_length", 400, "context_length"),
        ("invalid_request", 400, "invalid_request"),
        ("not_found", 404, "not_found"),
        ("network", 503, "overloaded"),
        ("timeout", 504, "timeout"),
        ("upstream", 500, "upstream"),
        ("cancelled", 499, "cancelled"),
    ],
)
def test_a_written_failure_reads_as_what_it_was(
    kind: FailureKind, status: int, comes_back_as: FailureKind
) -> None:
    written, data = PROTOCOL.write_failure(Failure(kind, "No.", retry_after_s=1.5))
    failure = PROTOCOL.read_failure(written, {}, data)
    assert (written, failure.kind, failure.retry_after_s) == (status, comes_back_as, 1.5)


def test_a_written_failure_looks_like_Gemini() -> None:
    status, data = PROTOCOL.write_failure(Failure("rate_limit", "Wait.", retry_after_s=34))
    assert status == 429
    assert json.loads(data) == {
        "error": {
            "code": 429,
            "message": "Wait.",
            "status": "RESOURCE_EXHAUSTED",
            "details": [retry("34s")],
        }
    }


@settings(deadline=None)
@given(st.binary(max_size=300), st.integers(400, 599))
def test_no_body_breaks_the_reading_of_a_failure(data: bytes, status: int) -> None:
    failure = PROTOCOL.read_failure(status, {}, data)
    assert failure.status == status
    assert failure.message
