"""What error answers of all APIs have in common."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recto.llm import load_protocol
from recto.llm.error_answers import first_words, read_may_retry, read_retry_after
from recto.messages import FailureKind

DATE = "Wed, 11 Nov 2026 10:00:00 GMT"
LATER = "Wed, 11 Nov 2026 10:00:30 GMT"


@pytest.mark.parametrize(
    ("headers", "wait_s"),
    [
        ({"retry-after": "2"}, 2.0),
        ({"retry-after": "1.5"}, 1.5),
        ({"retry-after-ms": "250", "retry-after": "9"}, 0.25),
        ({"retry-after-ms": "soon", "retry-after": "9"}, 9.0),
        ({"retry-after": LATER, "date": DATE}, 30.0),
        ({"retry-after": DATE, "date": LATER}, 0.0),
        ({"retry-after": LATER}, None),
        ({"retry-after": LATER.removesuffix(" GMT"), "date": DATE}, None),
        ({"retry-after": "soon", "date": DATE}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "-1"}, None),
        ({}, None),
    ],
)
def test_the_wait_is_read_in_every_way_it_is_written(
    headers: dict[str, str], wait_s: float | None
) -> None:
    assert read_retry_after(headers) == wait_s


@given(st.text(), st.text())
def test_no_header_is_too_odd(one: str, other: str) -> None:
    headers = {"retry-after": one, "retry-after-ms": other, "date": one, "x-should-retry": other}
    wait = read_retry_after(headers)
    assert wait is None or wait >= 0
    assert read_may_retry(headers) in (True, False, None)


@pytest.mark.parametrize(
    ("told", "expected"), [("true", True), ("False", False), ("perhaps", None), ("", None)]
)
def test_a_provider_may_say_whether_to_try_again(told: str, expected: bool | None) -> None:
    assert read_may_retry({"x-should-retry": told}) is expected
    assert read_may_retry({}) is None


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b"  <h1>Bad Gateway</h1>\n", "<h1>Bad Gateway</h1>"),
        ("é".encode() * 999, "é" * 200),
        (b"a\xff", "a\ufffd"),
        (b"", ""),
    ],
)
def test_of_a_body_the_first_words_are_shown(body: bytes, words: str) -> None:
    assert first_words(body) == words


PROTOCOLS = ("anthropic-messages", "gemini", "openai-chat", "openai-responses")
WORDS_OF_A_FAULT = (
    {"type": "api_error", "message": "Words."},
    {"type": "server_error", "code": "server_error", "message": "Words."},
    {"code": 500, "status": "INTERNAL", "message": "Words."},
    {"type": "overloaded_error", "status": "UNAVAILABLE", "message": "Words."},
)


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("error", WORDS_OF_A_FAULT)
@pytest.mark.parametrize(
    ("status", "kind"),
    [(400, "invalid_request"), (401, "auth"), (402, "quota"), (403, "auth"), (404, "not_found")],
)
def test_a_status_that_blames_the_request_counts_before_words_that_blame_the_provider(
    protocol: str, error: dict[str, object], status: int, kind: FailureKind
) -> None:
    body = json.dumps({"type": "error", "error": error}).encode()
    failure = load_protocol(protocol).read_failure(status, {}, body)
    assert (failure.kind, failure.status, failure.retryable) == (kind, status, False)


@pytest.mark.parametrize(
    ("status", "code", "kind"),
    [
        (403, "insufficient_quota", "quota"),
        (403, "model_not_found", "not_found"),
        (429, "insufficient_quota", "quota"),
        (429, "invalid_api_key", "rate_limit"),
        (400, "context_length_exceeded", "context_length"),
        (401, "context_length_exceeded", "auth"),
        (500, "context_length_exceeded", "context_length"),
    ],
)
@pytest.mark.parametrize("protocol", ["openai-chat", "openai-responses"])
def test_words_may_say_more_exactly_what_a_status_means(
    protocol: str, status: int, code: str, kind: FailureKind
) -> None:
    body = json.dumps({"error": {"code": code, "message": "Words."}}).encode()
    assert load_protocol(protocol).read_failure(status, {}, body).kind == kind
