"""Answers that are not streamed, and usage; the ids are those of the conformance table."""

import json
from typing import Any

import pytest

from recto.llm.protocols.openai_responses import PROTOCOL
from recto.messages import (
    Failure,
    Finished,
    Started,
    StreamEvent,
    Text,
    TextDelta,
    Thinking,
    ThinkingDelta,
    ThinkingEnded,
    ThinkingStarted,
    TokenProbability,
    ToolCall,
    ToolCallDelta,
    ToolCallEnded,
    ToolCallStarted,
    Usage,
    UsageReported,
    assistant,
)
from tests.llm.openai_responses.streams import ORIGIN, USAGE, call, ended, last, message, sealed


def whole(**response: Any) -> list[StreamEvent]:
    """What an answer that is not streamed tells."""
    body = json.dumps({**ended()["response"], **response}).encode()
    return PROTOCOL.read_whole(body, ORIGIN)


def test_a_whole_answer_tells_what_a_stream_would_have_told() -> None:
    logprobs = [{"token": "Yes", "logprob": -0.5, "bytes": [89]}]
    words: dict[str, Any] = {
        "type": "output_text",
        "text": "Yes",
        "annotations": [],
        "logprobs": logprobs,
    }
    summary = [{"type": "summary_text", "text": "Hm."}]
    thoughts = {"type": "reasoning", "id": "rs_0", "summary": summary, "encrypted_content": "s"}

    events = whole(
        output=[thoughts, message("", content=[words], phase="commentary"), call(2, '{"a":1}')]
    )

    seal = sealed(id="rs_0", encrypted_content="s", summary=["Hm."])
    usage = Usage(input=30, cache_read=60, cache_write=10, output=30, reasoning=20)
    said = Text("Yes", sealed(phase="commentary"))
    answer = assistant(Thinking("Hm.", seal), said, ToolCall("call_2", "read_file", {"a": 1}))
    assert events == [
        Started("resp_1", "gpt-6-sol-2026"),
        ThinkingStarted(),
        ThinkingDelta("Hm."),
        ThinkingEnded(seal),
        TextDelta("Yes", (TokenProbability("Yes", -0.5),)),
        ToolCallStarted(0, "call_2", "read_file"),
        ToolCallDelta(0, '{"a":1}'),
        ToolCallEnded(0, {"a": 1}, '{"a":1}'),
        UsageReported(usage),
        Finished("tool_use", answer, usage, raw_reason="completed"),
    ]


def test_a_whole_answer_that_failed_is_a_failure() -> None:
    end = last(whole(status="failed", error={"code": "server_error", "message": "Oh."}))

    assert end.failure == Failure("upstream", "Oh.", status=500, code="server_error")


def test_a_server_that_gives_no_status_has_completed() -> None:
    assert last(whole(status=None, output=[message("Hi")])).reason == "end_turn"


def test_half_a_pair_of_surrogates_in_a_whole_answer_is_replaced() -> None:
    assert last(whole(output=[message("a\ud83d")])).message == assistant("a\ufffd")


@pytest.mark.parametrize(
    ("body", "failure"),
    [
        (
            b"<html>Bad gateway</html>",
            Failure("upstream", "The provider sent no answer but: <html>Bad gateway</html>"),
        ),
        (b"[]", Failure("upstream", "The provider sent no answer but: []")),
        (
            b'{"error":{"code":"insufficient_quota","message":"No money."}}',
            Failure("quota", "No money.", status=429, code="insufficient_quota"),
        ),
    ],
    ids=["X15", "no-object", "error"],
)
def test_what_is_no_answer_is_a_failure(body: bytes, failure: Failure) -> None:
    assert PROTOCOL.read_whole(body, ORIGIN) == [Finished("error", assistant(), failure=failure)]


def details(cached: Any = 0, **more: Any) -> dict[str, Any]:
    """What of the input came from the cache or went into it."""
    return {"input_tokens_details": {"cached_tokens": cached, **more}}


@pytest.mark.parametrize(
    ("usage", "expected"),
    [
        (
            {"input_tokens": 12_000, "output_tokens": 5, **details(10_000)},
            Usage(input=2000, cache_read=10_000, output=5),
        ),
        (
            {"input_tokens": 100, "output_tokens": 5, **details(900)},
            Usage(input=0, cache_read=100, output=5),
        ),
        (
            {"input_tokens": -5, "output_tokens": -1, **details(-2, cache_write_tokens=-3)},
            Usage(),
        ),
        (
            {
                "input_tokens": 100,
                "output_tokens": 1,
                **details(
                    20, cache_write_tokens=30, cache_write_tokens_details={"ttl_12h_tokens": 10}
                ),
            },
            Usage(input=50, cache_read=20, cache_write=30, cache_write_long=10, output=1),
        ),
        (
            {
                "input_tokens": 1,
                "output_tokens": 5,
                "output_tokens_details": {"reasoning_tokens": 9},
            },
            Usage(input=1, output=5, reasoning=5),
        ),
        ({"input_tokens": 7, "output_tokens": None}, Usage(input=7)),
        (USAGE, Usage(input=30, cache_read=60, cache_write=10, output=30, reasoning=20)),
        ({}, None),
        (None, None),
        ({"input_tokens": "many"}, None),
        ("none", None),
    ],
    ids=[
        "U2",
        "U6",
        "U6-negative",
        "writes",
        "U6-reasoning",
        "half",
        "all",
        "empty",
        "R23",
        "odd",
        "word",
    ],
)
def test_usage_is_counted_without_what_is_cached(usage: Any, expected: Usage | None) -> None:
    assert last(whole(output=[message("Hi")], usage=usage)).usage == expected
