"""Answers for foreign clients, checked by the official SDK."""

import json
from typing import Any

import anthropic
import pytest

from recto.llm.protocols.anthropic_messages import PROTOCOL
from recto.messages import (
    Failure,
    FailureKind,
    Finished,
    Message,
    Native,
    Origin,
    Part,
    ProviderData,
    Started,
    StreamEvent,
    TextDelta,
    Thinking,
    ThinkingDelta,
    ThinkingEnded,
    ThinkingStarted,
    ToolCall,
    ToolCallDelta,
    ToolCallEnded,
    ToolCallStarted,
    ToolResult,
    Usage,
    UsageReported,
    assistant,
    user,
)
from tests.llm.anthropic_messages.sdk import (
    content_seen,
    seen_by_sdk,
    whole_seen_by_sdk,
    without_none,
)
from tests.llm.anthropic_messages.streams import ORIGIN

GEMINI = Origin("gemini", "account", "gemini-test")
USAGE = Usage(input=7, cache_read=100, cache_write=20, output=5, reasoning=2)
STARTED = Started("upstream-id", "upstream-model")


def written(*events: StreamEvent) -> bytes:
    writer = PROTOCOL.writer("msg_1", "alias")
    return b"".join(writer.write(event) for event in events)


def frames(stream: bytes) -> list[dict[str, Any]]:
    """The events of a stream, each of which is one frame under its own name."""
    found: list[dict[str, Any]] = []
    for frame in stream.decode("ascii").removesuffix("\n\n").split("\n\n"):
        name, data = frame.split("\n")
        found.append(json.loads(data.removeprefix("data: ")))
        assert name == f"event: {found[-1]['type']}"
    return found


def done(*parts: Part | str, reason: Any = "end_turn", **more: Any) -> Finished:
    return Finished(reason, assistant(*parts), more.pop("usage", USAGE), **more)


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


def call(call_id: str, name: str, **arguments: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": call_id, "name": name, "input": arguments}


def test_W1_W7_W17_words_are_written_as_the_api_would() -> None:
    stream = written(
        STARTED, TextDelta("Hel"), UsageReported(USAGE), TextDelta("lo"), done("Hello")
    )
    zeros = {
        "input_tokens": 0,
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": 0,
        "output_tokens": 0,
    }
    assert frames(stream) == [
        {
            "type": "message_start",
            "message": {
                "id": "msg_1",
                "type": "message",
                "role": "assistant",
                "model": "alias",
                "content": [],
                "stop_reason": None,
                "stop_sequence": None,
                "usage": zeros,
            },
        },
        {"type": "content_block_start", "index": 0, "content_block": text("")},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Hel"}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "lo"}},
        {"type": "content_block_stop", "index": 0},
        {
            "type": "message_delta",
            "delta": {"stop_reason": "end_turn", "stop_sequence": None},
            "usage": {
                "input_tokens": 7,
                "cache_creation_input_tokens": 20,
                "cache_read_input_tokens": 100,
                "output_tokens": 5,
                "output_tokens_details": {"thinking_tokens": 2},
            },
        },
        {"type": "message_stop"},
    ]
    seen = seen_by_sdk(stream)
    assert (seen["id"], seen["model"], seen["stop_reason"]) == ("msg_1", "alias", "end_turn")
    assert content_seen(stream) == [text("Hello")]
    assert {key: seen["usage"][key] for key in zeros} == {
        "input_tokens": 7,
        "cache_creation_input_tokens": 20,
        "cache_read_input_tokens": 100,
        "output_tokens": 5,
    }


def test_W2_calls_that_come_mixed_go_out_one_after_the_other() -> None:
    stream = written(
        STARTED,
        ToolCallStarted(0, "t1", "one"),
        ToolCallDelta(0, '{"a":'),
        ToolCallStarted(1, "t2", "fs.two"),
        ToolCallDelta(1, '{"b":'),
        ToolCallDelta(0, "1}"),
        ToolCallDelta(1, "2}"),
        ToolCallEnded(1, {"b": 2}, '{"b":2}'),
        ToolCallEnded(0, {"a": 1}, '{"a":1}'),
        done(
            ToolCall("t1", "one", {"a": 1}), ToolCall("t2", "fs.two", {"b": 2}), reason="tool_use"
        ),
    )
    indexes = [frame["index"] for frame in frames(stream) if "index" in frame]
    assert indexes == sorted(indexes)
    assert content_seen(stream) == [call("t1", "one", a=1), call("t2", "esc-fs-2etwo", b=2)]
    assert seen_by_sdk(stream)["stop_reason"] == "tool_use"


@pytest.mark.parametrize(
    ("raw", "sent"), [pytest.param('{"a":1}', '{"a":1}', id="W3"), pytest.param("", "{}", id="W3-")]
)
def test_W3_W4_a_call_that_comes_whole_is_one_piece(raw: str, sent: str) -> None:
    arguments = json.loads(sent)
    stream = written(
        STARTED,
        ToolCallStarted(0, "t1", "one"),
        *([ToolCallDelta(0, raw)] if raw else []),
        ToolCallEnded(0, arguments, raw),
        done(ToolCall("t1", "one", arguments), reason="tool_use", raw_reason="STOP"),
    )
    pieces = [frame["delta"] for frame in frames(stream) if frame["type"] == "content_block_delta"]
    assert pieces == [{"type": "input_json_delta", "partial_json": sent}]
    assert content_seen(stream) == [call("t1", "one", **arguments)]
    assert seen_by_sdk(stream)["stop_reason"] == "tool_use"


def round_trip(stream: bytes) -> Message:
    """What comes back when a client sends an answer as part of its next request."""
    content = seen_by_sdk(stream)["content"]
    messages = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": content}]
    body = {"model": "alias", "max_tokens": 9, "messages": messages}
    return PROTOCOL.serve(json.dumps(body).encode()).messages[1]


def test_W5_W6_thoughts_of_others_and_what_came_with_calls_are_there_in_the_next_turn() -> None:
    thought = Thinking("Hmm.", ProviderData(GEMINI, {"signature": "sig/1"}))
    asked = ToolCall("t1", "one", {"a": 1}, ProviderData(GEMINI, {"signature": "sig/2"}))
    native = Native(ProviderData(GEMINI, {"part": {"x": 1}}))
    stream = written(
        STARTED,
        ThinkingStarted(),
        ThinkingDelta("Hmm."),
        ThinkingEnded(thought.provider),
        ToolCallStarted(0, "t1", "one"),
        ToolCallDelta(0, '{"a":1}'),
        ToolCallEnded(0, {"a": 1}, '{"a":1}'),
        done(thought, asked, native, reason="tool_use"),
    )
    kinds = [block["type"] for block in content_seen(stream)]
    assert kinds == ["thinking", "tool_use", "redacted_thinking", "redacted_thinking"]
    assert round_trip(stream) == assistant(thought, asked, native)


def test_W6_thoughts_without_words_carry_their_data() -> None:
    thought = Thinking("", ProviderData(GEMINI, {"encrypted": "x"}))
    stream = written(
        STARTED,
        ThinkingStarted(),
        ThinkingEnded(thought.provider),
        TextDelta("a"),
        done(thought, "a"),
    )
    assert round_trip(stream) == assistant(thought, "a")


def test_thoughts_of_the_api_itself_are_written_as_its_own() -> None:
    data = [ProviderData(ORIGIN, item) for item in ({"signature": "s"}, {"redacted": "r"})]
    native = Native(ProviderData(ORIGIN, {"block": {"type": "container_upload", "file_id": "f"}}))
    stream = written(
        STARTED,
        ThinkingStarted(),
        ThinkingDelta("Hmm."),
        ThinkingEnded(data[0]),
        ThinkingStarted(),
        ThinkingEnded(data[1]),
        ThinkingStarted(),
        ThinkingEnded(),
        ThinkingStarted(),
        ThinkingDelta("Unsigned."),
        ThinkingEnded(),
        done(Thinking("Hmm.", data[0]), Thinking("", data[1]), Thinking("Unsigned."), native),
    )
    assert content_seen(stream) == [
        {"type": "thinking", "thinking": "Hmm.", "signature": "s"},
        {"type": "redacted_thinking", "data": "r"},
        {"type": "thinking", "thinking": "Unsigned.", "signature": ""},
        {"type": "container_upload", "file_id": "f"},
    ]


@pytest.mark.parametrize(
    ("failure", "status", "kind"),
    [
        pytest.param(Failure("rate_limit", "Slow down."), 429, "rate_limit_error", id="W8"),
        (Failure("auth", "No."), 401, "authentication_error"),
        (Failure("auth", "No.", status=403), 403, "permission_error"),
        (Failure("quota", "No."), 402, "billing_error"),
        (Failure("budget", "No."), 402, "billing_error"),
        (Failure("overloaded", "No.", status=503), 529, "overloaded_error"),
        (Failure("invalid_request", "No."), 400, "invalid_request_error"),
        (Failure("not_found", "No."), 404, "not_found_error"),
        (Failure("timeout", "No."), 504, "timeout_error"),
        (Failure("network", "No."), 502, "api_error"),
        (Failure("upstream", "No.", status=502), 500, "api_error"),
        (Failure("cancelled", "No."), 500, "api_error"),
    ],
)
def test_W8_failures_are_errors_of_the_api(failure: Failure, status: int, kind: str) -> None:
    found, body = PROTOCOL.write_failure(failure)
    error = {"type": kind, "message": failure.message}
    assert (found, json.loads(body)) == (
        status,
        {"type": "error", "error": error, "request_id": None},
    )


@pytest.mark.parametrize(
    "kind", ["auth", "quota", "rate_limit", "overloaded", "context_length", "not_found", "timeout"]
)
def test_W8_a_written_failure_is_read_as_the_same_kind(kind: FailureKind) -> None:
    status, body = PROTOCOL.write_failure(Failure(kind, "Words."))
    assert PROTOCOL.read_failure(status, {}, body).kind == kind


def test_W9_a_failure_before_anything_else_is_only_an_error() -> None:
    failure = Failure("overloaded", "Later.")
    stream = written(Finished("error", assistant(), failure=failure))
    status, body = PROTOCOL.write_failure(failure)
    assert (status, frames(stream)) == (529, [json.loads(body)])


def test_W10_an_error_in_the_middle_closes_nothing_and_is_the_end() -> None:
    failure = Failure("upstream", "Broken.")
    broken = Finished("error", assistant("Hel"), failure=failure)
    stream = written(STARTED, TextDelta("Hel"), broken)
    assert [frame["type"] for frame in frames(stream)] == [
        "message_start",
        "content_block_start",
        "content_block_delta",
        "error",
    ]
    with pytest.raises(anthropic.APIStatusError, match=r"Broken\."):
        seen_by_sdk(stream)


def test_W11_an_empty_answer_has_no_content() -> None:
    stream = written(STARTED, TextDelta(""), done(usage=None))
    assert [frame["type"] for frame in frames(stream)] == [
        "message_start",
        "message_delta",
        "message_stop",
    ]
    assert content_seen(stream) == []


def test_W12_white_space_is_passed_on() -> None:
    stream = written(STARTED, TextDelta(" \n"), done(" \n"))
    assert content_seen(stream) == [text(" \n")]


EVENTS: list[StreamEvent] = [
    STARTED,
    ThinkingStarted(),
    ThinkingDelta("Hmm."),
    ThinkingEnded(ProviderData(GEMINI, {"signature": "s"})),
    TextDelta("Hello"),
    ToolCallStarted(0, "t1", "one"),
    ToolCallDelta(0, '{"a":1}'),
    ToolCallEnded(0, {"a": 1}, '{"a":1}'),
    done(
        Thinking("Hmm.", ProviderData(GEMINI, {"signature": "s"})),
        "Hello",
        ToolCall("t1", "one", {"a": 1}, ProviderData(GEMINI, {"signature": "c"})),
        reason="tool_use",
    ),
]


def test_W18_an_answer_that_is_not_streamed_has_the_same_content() -> None:
    whole = PROTOCOL.write_whole(EVENTS, "msg_1", "alias")
    message = whole_seen_by_sdk(whole)
    streamed = seen_by_sdk(written(*EVENTS))
    assert without_none(message["content"]) == without_none(streamed["content"])
    for key in ("id", "model", "role", "stop_reason", "stop_sequence"):
        assert message[key] == streamed[key]


def test_W18_a_failed_answer_that_is_not_streamed_is_an_error() -> None:
    failure = Failure("upstream", "Broken.")
    end = Finished("error", assistant(), failure=failure)
    assert PROTOCOL.write_whole([end], "msg_1", "m") == PROTOCOL.write_failure(failure)[1]


def test_W18_parts_that_no_model_writes_are_left_out() -> None:
    call_part = ToolCall("t1", "x", {}, ProviderData(ORIGIN, {}))
    odd = Finished("end_turn", user("Hi", call_part, ToolResult("t1", "x", ())))
    whole = json.loads(PROTOCOL.write_whole([odd], "msg_1", "m"))
    assert whole["content"] == [{**text("Hi"), "citations": None}, call("t1", "x")]


def test_W21_a_refusal_has_its_details() -> None:
    end = done("I", reason="refusal", raw_reason="SAFETY", explanation="It harms.")
    seen = seen_by_sdk(written(STARTED, TextDelta("I"), end))
    assert seen["stop_reason"] == "refusal"
    assert seen["stop_details"] == {"type": "refusal", "category": None, "explanation": "It harms."}


@pytest.mark.parametrize(
    ("end", "reason", "sequence"),
    [
        (done(reason="pause"), "pause_turn", None),
        (done(reason="stop_sequence", stop_sequence="END"), "stop_sequence", "END"),
        (
            done(reason="max_tokens", raw_reason="model_context_window_exceeded"),
            "model_context_window_exceeded",
            None,
        ),
    ],
)
def test_reasons_are_named_the_way_of_the_api(
    end: Finished, reason: str, sequence: str | None
) -> None:
    seen = seen_by_sdk(written(STARTED, end))
    assert (seen["stop_reason"], seen["stop_sequence"]) == (reason, sequence)


def test_W22_no_character_can_cut_a_frame() -> None:
    words = "a\u2028b\u2029c\u0085d\r\ne\x00f😀"
    stream = written(STARTED, TextDelta(words), done(words))
    assert stream.isascii()
    assert content_seen(stream) == [text(words)]


def test_W24_words_after_a_call_are_a_block_of_their_own_after_it() -> None:
    stream = written(
        STARTED,
        TextDelta("a"),
        ToolCallStarted(0, "t1", "one"),
        TextDelta("b"),
        ToolCallEnded(0, {}, ""),
        TextDelta("c"),
        done("a", ToolCall("t1", "one", {}), "bc", reason="tool_use"),
    )
    assert content_seen(stream) == [text("a"), call("t1", "one"), text("bc")]


def test_W25_a_call_cut_off_by_the_limit_is_closed_with_what_there_is() -> None:
    stream = written(
        STARTED,
        ToolCallStarted(0, "t1", "one"),
        ToolCallDelta(0, '{"a":"b'),
        done(reason="max_tokens"),
    )
    assert [frame["type"] for frame in frames(stream)][2:] == [
        "content_block_delta",
        "content_block_stop",
        "message_delta",
        "message_stop",
    ]
    assert seen_by_sdk(stream)["stop_reason"] == "max_tokens"
