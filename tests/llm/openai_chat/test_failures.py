"""Reading errors, and what to try once more with."""

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recto.llm.protocols.openai_chat import PROTOCOL
from recto.llm.traits import Traits
from recto.messages import Failure, FailureKind, Request, user

REQUEST = Request("llama", (user("Hi"),), 100)


def error(message: str = "No.", **more: Any) -> bytes:
    return json.dumps({"error": {"message": message, "param": None, **more}}).encode()


@pytest.mark.parametrize(
    ("status", "body", "kind"),
    [
        (401, error(type="invalid_request_error", code="invalid_api_key"), "auth"),
        (401, error(), "auth"),
        (403, error(code="unsupported_country_region_territory"), "auth"),
        (402, error(), "quota"),
        (429, error(type="insufficient_quota", code="insufficient_quota"), "quota"),
        (429, error(code="billing_hard_limit_reached"), "quota"),
        (429, error(code="credit_balance_exhausted"), "quota"),
        (429, error(code="organization_spend_limit_exceeded"), "quota"),
        (429, error(code="project_spend_limit_exceeded"), "quota"),
        (429, error(code="organization_usage_limit_exceeded"), "quota"),
        (429, error(type="tokens", code="rate_limit_exceeded"), "rate_limit"),
        (429, error(code="slow_down"), "rate_limit"),
        (429, error(), "rate_limit"),
        (
            400,
            error(type="invalid_request_error", code="context_length_exceeded"),
            "context_length",
        ),
        (400, error("This model's maximum context length is 8192 tokens."), "context_length"),
        (400, error("Please reduce the length of the messages."), "context_length"),
        (400, error(type="exceed_context_size_error", code=400), "context_length"),
        (400, error(type="invalid_request_error", code="invalid_value"), "invalid_request"),
        (413, error(), "invalid_request"),
        (422, b'{"detail": [{"loc": ["body"], "msg": "Extra inputs"}]}', "invalid_request"),
        (404, error(code="model_not_found"), "not_found"),
        (400, error(code="model_not_found"), "not_found"),
        (404, b'{"error": "model \\"x\\" not found"}', "not_found"),
        (408, error(), "timeout"),
        (409, error(), "upstream"),
        (500, error(type="server_error"), "upstream"),
        (502, b"<html>Bad gateway</html>", "upstream"),
        (503, error(), "overloaded"),
        (503, error(type="service_unavailable_error", code="server_is_overloaded"), "overloaded"),
        (504, b"", "timeout"),
        (529, error(), "overloaded"),
        (200, b"<html>Sign in</html>", "upstream"),
        (400, b'[{"error": {"code": 400, "message": "Bad"}}]', "invalid_request"),
        (500, b"[]", "upstream"),
        (500, b'{"error": 5}', "upstream"),
    ],
)
def test_the_kind_is_read_from_code_words_and_status(
    status: int, body: bytes, kind: FailureKind
) -> None:
    failure = PROTOCOL.read_failure(status, {}, body)
    assert (failure.kind, failure.status) == (kind, status)


def test_a_failure_keeps_the_providers_words_code_and_request_id() -> None:
    body = error("Rate limit reached.", type="requests", code="rate_limit_exceeded")
    headers = {"x-request-id": "req_1", "retry-after": "1.5", "x-should-retry": "true"}
    assert PROTOCOL.read_failure(429, headers, body) == Failure(
        "rate_limit",
        "Rate limit reached.",
        status=429,
        code="rate_limit_exceeded",
        request_id="req_1",
        retry_after_s=1.5,
        may_retry=True,
    )


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b"<html>" + b"x" * 500, "<html>" + "x" * 194),
        (b"", "The provider gave no reason."),
        (b"\xff\xfe", "\ufffd\ufffd"),
        (b'{"detail": "Not here"}', "Not here"),
        (b'{"error": "Out of memory"}', "Out of memory"),
    ],
)
def test_the_message_is_what_the_body_says(body: bytes, message: str) -> None:
    assert PROTOCOL.read_failure(500, {}, body).message == message


def test_the_wait_is_read() -> None:
    assert PROTOCOL.read_failure(429, {"retry-after": "1.5"}, error()).retry_after_s == 1.5


def test_a_provider_may_forbid_another_try() -> None:
    failure = PROTOCOL.read_failure(500, {"x-should-retry": "false"}, error())
    assert not failure.retryable


def test_C26_tools_with_reasoning_are_refused_with_the_way_out() -> None:
    message = (
        "Function tools with reasoning_effort are not supported for gpt-5.4 in "
        "/v1/chat/completions. Please use /v1/responses instead."
    )
    failure = PROTOCOL.read_failure(400, {}, error(message, type="invalid_request_error"))
    assert failure.kind == "invalid_request"
    assert failure.message == f'{message} Set "protocol": "openai-responses" for this provider.'
    assert PROTOCOL.mend(failure, REQUEST, Traits()) is None
    assert PROTOCOL.elsewhere(failure) == "openai-responses"
    assert PROTOCOL.elsewhere(replace(failure, kind="upstream")) is None
    assert PROTOCOL.elsewhere(replace(failure, message="No.")) is None


OLD = Traits(output_field="max_tokens")
NEW = Traits(output_field="max_completion_tokens")


@pytest.mark.parametrize(
    ("message", "traits", "mended"),
    [
        pytest.param(
            "Unsupported parameter: 'max_tokens' is not supported with this model. "
            "Use 'max_completion_tokens' instead.",
            OLD,
            NEW,
            id="C27",
        ),
        pytest.param("Unrecognized argument: max_completion_tokens", NEW, OLD, id="C27-reverse"),
        pytest.param(
            "Unknown parameter: 'stream_options'.", OLD, replace(OLD, usage_option=False), id="C28"
        ),
        pytest.param(
            "stream_options: Extra inputs are not permitted",
            NEW,
            replace(NEW, usage_option=False),
            id="C28-strict",
        ),
    ],
)
def test_a_refused_field_is_left_out_once(message: str, traits: Traits, mended: Traits) -> None:
    failure = PROTOCOL.read_failure(400, {}, error(message, code="unsupported_parameter"))
    assert PROTOCOL.mend(failure, REQUEST, traits) == (REQUEST, mended)


@pytest.mark.parametrize(
    "failure",
    [
        Failure("invalid_request", "max_tokens is too large: 100000."),
        Failure("invalid_request", "Unsupported value: 'temperature'."),
        Failure("upstream", "max_tokens is not supported"),
    ],
)
def test_nothing_else_is_mended(failure: Failure) -> None:
    assert PROTOCOL.mend(failure, REQUEST, Traits()) is None


MISSED = "Missing `reasoning_content` field in the assistant message at message index 1."
UNWANTED = "Unknown field: reasoning_content"


@pytest.mark.parametrize(
    ("message", "before", "after"),
    [(MISSED, False, True), (UNWANTED, True, False), (MISSED, True, None), (UNWANTED, False, None)],
    ids=["missed", "unwanted", "missed-though-sent", "unwanted-though-not-sent"],
)
def test_whether_thoughts_go_back_is_learned_from_a_refusal(
    message: str, before: bool, after: bool | None
) -> None:
    failure = PROTOCOL.read_failure(400, {}, error(message, type="invalid_request_error"))
    traits = Traits(echoes_reasoning=before)
    mended = None if after is None else (REQUEST, replace(traits, echoes_reasoning=after))
    assert PROTOCOL.mend(failure, REQUEST, traits) == mended


def test_a_field_that_was_not_sent_is_not_mended() -> None:
    failure = Failure("invalid_request", "Unknown parameter: 'stream_options'.")
    assert PROTOCOL.mend(failure, REQUEST, Traits(usage_option=False)) is None


@given(st.integers(100, 599), st.binary(max_size=300))
def test_any_body_is_read(status: int, body: bytes) -> None:
    failure = PROTOCOL.read_failure(status, {}, body)
    assert failure.status == status
    assert failure.message


@given(
    st.integers(100, 599),
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=5),
        lambda inner: (
            st.lists(inner, max_size=2)
            | st.dictionaries(
                st.sampled_from(["error", "message", "type", "code", "detail"]), inner, max_size=4
            )
        ),
    ),
)
def test_any_json_is_read(status: int, body: Any) -> None:
    assert PROTOCOL.read_failure(status, {}, json.dumps(body).encode()).message
