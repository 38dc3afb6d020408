"""Streams of the Responses API as neutral events; the ids are those of the conformance table."""

from typing import Any

import pytest

from recto.messages import (
    Failure,
    Finished,
    Started,
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
from tests.llm.openai_responses.streams import (
    CREATED,
    added,
    arguments_delta,
    arguments_done,
    call,
    done,
    ended,
    last,
    message,
    sealed,
    summary_delta,
    text_delta,
    told,
)

STARTED = Started("resp_1", "gpt-6-sol-2026")
COUNTED = Usage(input=30, cache_read=60, cache_write=10, output=30, reasoning=20)


def test_R1_a_plain_answer_is_told_as_it_comes() -> None:
    events = told(
        CREATED,
        {"type": "response.in_progress", "response": CREATED["response"]},
        added(0, **message("", status="in_progress", content=[])),
        {"type": "response.content_part.added", "output_index": 0, "part": {"type": "output_text"}},
        text_delta("Hello, "),
        text_delta("wörld"),
        {"type": "response.output_text.done", "output_index": 0, "text": "Hello, wörld"},
        {"type": "response.content_part.done", "output_index": 0, "part": {"type": "output_text"}},
        done(0, **message("Hello, wörld")),
        ended(output=[message("Hello, wörld")]),
    )

    assert events == [
        STARTED,
        TextDelta("Hello, "),
        TextDelta("wörld"),
        UsageReported(COUNTED),
        Finished("end_turn", assistant("Hello, wörld"), COUNTED, raw_reason="completed"),
    ]


def test_R2_two_parts_of_a_summary_are_one_thought_with_a_blank_line_between() -> None:
    summary = [{"type": "summary_text", "text": text} for text in ("First.", "Then.")]
    part_added = {"type": "response.reasoning_summary_part.added", "output_index": 0}
    seal = sealed(id="rs_0", encrypted_content="sealed", summary=["First.", "Then."])

    events = told(
        added(0, type="reasoning", id="rs_0", summary=[]),
        {**part_added, "summary_index": 0},
        summary_delta("First."),
        {**part_added, "summary_index": 1},
        summary_delta("The", 1),
        summary_delta("n.", 1),
        {"type": "response.reasoning_summary_text.done", "summary_index": 1, "text": "Then."},
        done(0, type="reasoning", id="rs_0", summary=summary, encrypted_content="sealed"),
        text_delta("So.", 1),
        done(1, **message("So.", 1)),
        ended(),
    )

    assert events[:6] == [
        ThinkingStarted(),
        ThinkingDelta("First."),
        ThinkingDelta("\n\nThe"),
        ThinkingDelta("n."),
        ThinkingEnded(seal),
        TextDelta("So."),
    ]
    assert last(events).message == assistant(Thinking("First.\n\nThen.", seal), "So.")


def test_R3_the_seal_of_the_complete_item_counts() -> None:
    events = told(
        added(0, type="reasoning", id="rs_0", summary=[], encrypted_content="half"),
        done(0, type="reasoning", id="rs_0", summary=[], encrypted_content="whole"),
        done(1, **message("Yes.", 1)),
        ended(),
    )

    seal = sealed(id="rs_0", encrypted_content="whole", summary=[])
    assert last(events).message == assistant(Thinking("", seal), "Yes.")


def test_R4_thoughts_without_a_summary_show_nothing_but_go_back() -> None:
    events = told(
        added(0, type="reasoning", id="rs_0", summary=[]),
        done(0, type="reasoning", id="rs_0", summary=[], encrypted_content="sealed"),
        ended(),
    )

    seal = sealed(id="rs_0", encrypted_content="sealed", summary=[])
    assert events[:2] == [ThinkingStarted(), ThinkingEnded(seal)]
    assert last(events).message == assistant(Thinking("", seal))


def test_R5_arguments_that_come_three_times_are_told_once() -> None:
    events = told(
        added(0, **call()),
        arguments_delta('{"path":'),
        arguments_delta('"a.md"}'),
        arguments_done('{"path":"a.md"}'),
        done(0, **call(0, '{"path":"a.md"}', status="completed")),
        ended(),
    )

    assert events[:4] == [
        ToolCallStarted(0, "call_0", "read_file"),
        ToolCallDelta(0, '{"path":'),
        ToolCallDelta(0, '"a.md"}'),
        ToolCallEnded(0, {"path": "a.md"}, '{"path":"a.md"}'),
    ]
    assert last(events).message == assistant(ToolCall("call_0", "read_file", {"path": "a.md"}))


@pytest.mark.parametrize(
    "stream",
    [
        [added(0, **call()), arguments_done('{"a":1}'), done(0, **call(0, '{"a":1}'))],
        [added(0, **call()), done(0, **call(0, '{"a":1}'))],
        [done(0, **call(0, '{"a":1}'))],
        [added(0, **call()), arguments_delta('{"a'), arguments_done('{"a":1}')],
        [arguments_delta('{"a":1}'), done(0, **call(0, '{"a":1}'))],
        [],
    ],
    ids=["R6-both-done", "R6-item-done", "R6-only-item", "R6-suffix", "R6-no-added", "R6-only-end"],
)
def test_R6_arguments_that_only_come_whole_are_told_whole(stream: list[dict[str, Any]]) -> None:
    events = told(*stream, ended(output=[call(0, '{"a":1}')]))

    assert last(events).message == assistant(ToolCall("call_0", "read_file", {"a": 1}))
    assert last(events).reason == "tool_use"


def test_R7_no_arguments_are_an_empty_object() -> None:
    events = told(added(0, **call()), arguments_done(""), done(0, **call()), ended())

    assert last(events).message == assistant(ToolCall("call_0", "read_file", {}))


def test_R8_two_calls_whose_pieces_come_mixed_stay_apart() -> None:
    events = told(
        added(1, **call(1)),
        added(2, **call(2)),
        arguments_delta('{"a"', 2),
        arguments_delta('{"b"', 1),
        arguments_delta(":2}", 2),
        arguments_delta(":1}", 1),
        done(2, **call(2, '{"a":2}')),
        done(1, **call(1, '{"b":1}')),
        ended(),
    )

    assert last(events).message == assistant(
        ToolCall("call_1", "read_file", {"b": 1}), ToolCall("call_2", "read_file", {"a": 2})
    )


def test_R9_the_phases_of_messages_are_kept() -> None:
    events = told(
        text_delta("I look."),
        done(0, **message("I look.", phase="commentary")),
        done(1, **call(1, "{}")),
        text_delta("Done.", 2),
        done(2, **message("Done.", 2, phase="final_answer")),
        ended(),
    )

    assert last(events).message == assistant(
        Text("I look.", sealed(phase="commentary")),
        ToolCall("call_1", "read_file", {}),
        Text("Done.", sealed(phase="final_answer")),
    )


def test_R9_messages_in_a_row_stay_apart() -> None:
    events = told(
        text_delta("One."), done(0, **message("One.")), done(1, **message("Two.", 1)), ended()
    )

    assert last(events).message == assistant("One.", "Two.")


@pytest.mark.parametrize(
    "stream",
    [
        [
            {"type": "response.refusal.delta", "delta": "I "},
            {"type": "response.refusal.delta", "delta": "won't."},
            {"type": "response.refusal.done", "refusal": "I won't."},
            done(0, **message("", content=[{"type": "refusal", "refusal": "I won't."}])),
        ],
        [{"type": "response.refusal.done", "refusal": "I won't."}],
        [],
    ],
    ids=["R10", "R10-done", "R10-only-end"],
)
def test_R10_a_refusal_is_no_answer(stream: list[dict[str, Any]]) -> None:
    refusal = message("", content=[{"type": "refusal", "refusal": "I won't."}])

    events = told(*stream, ended(output=[refusal]))

    assert events[-1] == Finished(
        "refusal",
        assistant(),
        COUNTED,
        raw_reason="refusal: I won't.",
        explanation="I won't.",
    )


@pytest.mark.parametrize(
    ("reason", "expected"),
    [
        ("max_output_tokens", "max_tokens"),
        ("content_filter", "refusal"),
        ("steered", "pause"),
        ("max_messages", "pause"),
        ("something_new", "end_turn"),
    ],
    ids=["R11", "R12", "steered", "max_messages", "unknown"],
)
def test_an_incomplete_answer_says_why(reason: str, expected: str) -> None:
    events = told(
        done(0, type="reasoning", id="rs_0", summary=[], encrypted_content="sealed"),
        ended("incomplete", incomplete_details={"reason": reason}),
    )

    seal = sealed(id="rs_0", encrypted_content="sealed", summary=[])
    end = last(events)
    assert (end.reason, end.raw_reason) == (expected, reason)
    assert end.message == assistant(Thinking("", seal))


@pytest.mark.parametrize(
    "cut_off",
    [[], [done(0, **call(0, '{"a":1}', status="incomplete"))]],
    ids=["R11-without-item", "R11-incomplete-item"],
)
def test_R11_a_call_that_was_cut_off_is_never_run(cut_off: list[dict[str, Any]]) -> None:
    events = told(
        added(0, **call()),
        arguments_delta('{"a":1}'),
        *cut_off,
        ended("incomplete", incomplete_details={"reason": "max_output_tokens"}),
    )

    assert last(events).message == assistant()
    assert last(events).reason == "max_tokens"


LIMITED = Failure("rate_limit", "Slow down.", status=429, code="rate_limit_exceeded")


@pytest.mark.parametrize(
    "stream",
    [
        [
            {
                "type": "error",
                "error": {"type": "x", "code": "rate_limit_exceeded", "message": "Slow down."},
            },
            ended("failed", error={"code": "rate_limit_exceeded", "message": "Slow down."}),
        ],
        [{"type": "error", "code": "rate_limit_exceeded", "message": "Slow down.", "param": None}],
        [
            ended(
                "failed", error={"code": "rate_limit_exceeded", "message": "Slow down."}, usage=None
            )
        ],
    ],
    ids=["R13", "R14", "R13-failed-only"],
)
def test_an_error_inside_a_stream_ends_it_once(stream: list[dict[str, Any]]) -> None:
    events = told(CREATED, *stream)

    assert last(events).failure == LIMITED
    assert last(events).reason == "error"
    assert LIMITED.retryable


def test_R15_a_failure_without_words_says_its_code() -> None:
    events = told(
        CREATED, text_delta("Hel"), ended("failed", error={"code": "server_error", "message": ""})
    )

    assert events[-1] == Finished(
        "error",
        assistant("Hel"),
        COUNTED,
        Failure("upstream", "server_error", status=500, code="server_error"),
        raw_reason="failed",
    )


@pytest.mark.parametrize(
    "noise",
    [
        {"type": "keepalive"},
        {"type": "response.foo.bar", "delta": {"not": "words"}, "item": 7},
        {"type": "response.output_text.annotation.added", "annotation": {}},
        "[DONE]",
        '{"type":"response.foo.bar","delta":{"not":"words"}}',
        '{"no_type":true}',
    ],
    ids=["R16", "R18", "annotation", "R20-early", "R18-without-event-line", "no-type"],
)
def test_what_is_not_known_tells_nothing(noise: dict[str, Any] | str) -> None:
    plain = [CREATED, text_delta("Hi"), done(0, **message("Hi")), ended()]

    assert told(plain[0], noise, plain[1], noise, *plain[2:], noise) == told(*plain)


def test_R17_obfuscation_is_no_content() -> None:
    events = told(text_delta("Hi", obfuscation="x7Hq"), ended())

    assert last(events).message == assistant("Hi")


def test_R19_an_empty_output_at_the_end_takes_nothing_away() -> None:
    events = told(text_delta("Hi"), done(0, **message("Hi")), ended(output=[]))

    assert last(events).message == assistant("Hi")


def test_R20_done_after_the_end_tells_nothing() -> None:
    assert told(text_delta("Hi"), ended(), "[DONE]") == told(text_delta("Hi"), ended())


def test_R21_items_are_told_apart_by_their_index_not_their_id() -> None:
    events = told(
        added(0, **call(0, id="fc_a")),
        {**arguments_delta('{"a":'), "item_id": "fc_b"},
        {**arguments_delta("1}"), "item_id": "fc_c"},
        done(0, **call(0, '{"a":1}', id="fc_d")),
        ended(),
    )

    assert last(events).message == assistant(ToolCall("call_0", "read_file", {"a": 1}))


def test_R22_a_completed_answer_with_a_call_wants_a_tool() -> None:
    assert last(told(done(0, **call(0, "{}")), ended())).reason == "tool_use"


def test_R23_no_usage_is_unknown_and_not_zero() -> None:
    assert last(told(text_delta("Hi"), ended(usage=None))).usage is None


def test_R27_probabilities_of_tokens_are_told() -> None:
    logprobs = [{"token": "Hi", "logprob": -0.25, "top_logprobs": [], "bytes": [72, 105]}]

    events = told(text_delta("Hi", logprobs=logprobs), ended())

    assert events[0] == TextDelta("Hi", (TokenProbability("Hi", -0.25),))
