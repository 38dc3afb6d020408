"""Reading streamed answers: words, calls, ends and counts."""

import json
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recto.llm.framing import Frame
from recto.llm.protocols.anthropic_messages import PROTOCOL
from recto.messages import (
    Failure,
    Finished,
    Started,
    Text,
    TextDelta,
    ToolCall,
    ToolCallDelta,
    ToolCallEnded,
    ToolCallStarted,
    Usage,
    UsageReported,
    assistant,
)
from tests.llm.anthropic_messages.requests import unhurried
from tests.llm.anthropic_messages.streams import (
    ORIGIN,
    PING,
    STARTED,
    STOPPED,
    answer,
    delta,
    end_of,
    json_delta,
    read,
    read_pieces,
    sse,
    start,
    stop,
    stopping,
    text_delta,
)

HELLO = [start(0, type="text", text=""), text_delta(0, "Hel"), text_delta(0, "lo"), stop(0)]
CALL: dict[str, Any] = {"type": "tool_use", "id": "toolu_1", "name": "read_file", "input": {}}
FINAL = Usage(input=9, output=5)
BROKE_OFF = Failure("network", "The answer broke off before its end.")


def test_A1_words_come_as_they_are_and_pings_are_nothing() -> None:
    mixed = [item for event in HELLO for item in (PING, event)]
    assert read(sse(PING, STARTED, *mixed, PING, stopping("end_turn"), PING, STOPPED)) == [
        Started("msg_1", "claude-test"),
        UsageReported(Usage(input=9, source="partial")),
        TextDelta("Hel"),
        TextDelta("lo"),
        UsageReported(FINAL),
        Finished("end_turn", assistant("Hello"), FINAL, raw_reason="end_turn"),
    ]


@pytest.mark.parametrize(
    ("pieces", "arguments"),
    [
        pytest.param([], {}, id="A3-no-arguments"),
        pytest.param(["", "{}"], {}, id="A4-empty-piece-first"),
        pytest.param(
            list('{"a": "say \\"hi\\" \\u00e9\\ud83d\\ude00", "b": [1, {"c": null}]}'),
            {"a": 'say "hi" é😀', "b": [1, {"c": None}]},
            id="A5-one-character-at-a-time",
        ),
    ],
)
def test_arguments_are_put_together(pieces: list[str], arguments: dict[str, Any]) -> None:
    stream = answer(
        start(0, **CALL), *(json_delta(0, piece) for piece in pieces), stop(0), reason="tool_use"
    )
    assert read(stream)[2:] == [
        ToolCallStarted(0, "toolu_1", "read_file"),
        *(ToolCallDelta(0, piece) for piece in pieces if piece),
        ToolCallEnded(0, arguments, "".join(pieces)),
        UsageReported(FINAL),
        Finished(
            "tool_use",
            assistant(ToolCall("toolu_1", "read_file", arguments)),
            FINAL,
            raw_reason="tool_use",
        ),
    ]


def test_A6_arguments_that_are_complete_at_the_start_count() -> None:
    call = {**CALL, "input": {"path": "a.md"}}
    end = end_of(answer(start(0, **call), stop(0), reason="tool_use"))
    assert end.message == assistant(ToolCall("toolu_1", "read_file", {"path": "a.md"}))


def test_A7_a_call_cut_off_by_the_limit_is_no_call() -> None:
    stream = answer(
        *HELLO, start(1, **CALL), json_delta(1, '{"a":"b'), stop(1), reason="max_tokens"
    )
    assert ToolCallEnded(0, None, '{"a":"b') in read(stream)
    assert end_of(stream) == Finished(
        "max_tokens", assistant("Hello"), FINAL, raw_reason="max_tokens"
    )


def test_A8_calls_that_come_mixed_are_kept_apart() -> None:
    stream = answer(
        start(0, **CALL),
        start(1, **{**CALL, "id": "toolu_2"}),
        json_delta(0, '{"a":'),
        json_delta(1, '{"b":'),
        json_delta(0, "1}"),
        json_delta(1, "2}"),
        stop(1),
        stop(0),
        reason="tool_use",
    )
    assert end_of(stream).message == assistant(
        ToolCall("toolu_1", "read_file", {"a": 1}), ToolCall("toolu_2", "read_file", {"b": 2})
    )


def test_A9_words_at_the_start_of_a_block_count() -> None:
    stream = answer(start(0, type="text", text="Hel"), text_delta(0, "lo"), stop(0))
    assert end_of(stream).message == assistant("Hello")


def test_A14_unknown_events_and_pieces_tell_nothing() -> None:
    unknown = [
        {"type": "surprise", "index": "not a number"},
        {"type": "surprise", "delta": 7},
        delta(0, type="surprise_delta", surprise={"text": 1}),
        delta(7, type="input_json_delta", partial_json="{}"),
        delta(7, type="signature_delta", signature="s"),
        delta(0, type="text_delta", text=["not words"]),
        stop(7),
    ]
    stream = answer(*HELLO[:2], *unknown, *HELLO[2:])
    assert read(stream) == read(answer(*HELLO))


def test_A16_words_before_an_error_are_kept() -> None:
    error = {"type": "error", "error": {"type": "api_error", "message": "Broken."}}
    assert end_of(sse(STARTED, *HELLO, error, STOPPED)) == Finished(
        "error",
        assistant("Hello"),
        Usage(input=9, source="partial"),
        Failure("upstream", "Broken.", status=500, code="api_error"),
    )


def test_A17_U4_an_end_without_a_reason_is_a_break_and_its_counts_are_partial() -> None:
    partial = Usage(input=9, source="partial")
    expected = Finished("error", assistant("Hello"), partial, BROKE_OFF)
    assert end_of(sse(STARTED, *HELLO)) == expected


def test_a_failure_of_the_connection_is_told_as_it_is() -> None:
    lost = Failure("timeout", "No answer in time.")
    reader = PROTOCOL.reader(ORIGIN)
    assert reader.end(lost) == [Finished("error", assistant(), failure=lost)]


def test_an_end_after_the_reason_is_an_end() -> None:
    assert end_of(sse(STARTED, *HELLO, stopping("end_turn"))) == end_of(answer(*HELLO))


def test_nothing_follows_the_end() -> None:
    assert read(answer(*HELLO) + answer(*HELLO)) == read(answer(*HELLO))


def test_A18_the_last_reason_and_the_last_count_win() -> None:
    stream = sse(STARTED, *HELLO, stopping("end_turn", 5), stopping("max_tokens", 8), STOPPED)
    assert end_of(stream) == Finished(
        "max_tokens", assistant("Hello"), Usage(input=9, output=8), raw_reason="max_tokens"
    )


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        pytest.param("refusal", "refusal", id="A19-refusal"),
        pytest.param("model_context_window_exceeded", "max_tokens", id="A22-context-full"),
        pytest.param("foo", "end_turn", id="A23-unknown"),
        pytest.param("pause_turn", "pause", id="A20-pause"),
    ],
)
def test_reasons_are_named_our_way_and_kept_in_theirs(raw: str, reason: str) -> None:
    details = {"type": "refusal", "category": None, "explanation": None}
    stream = sse(STARTED, *HELLO, stopping(raw, stop_details=details), STOPPED)
    end = end_of(stream)
    assert (end.reason, end.raw_reason, end.message) == (reason, raw, assistant("Hello"))


@pytest.mark.parametrize(
    ("details", "why"),
    [
        ({"category": "cyber", "explanation": "This could harm."}, "This could harm."),
        ({"category": "cyber", "explanation": None}, "category cyber"),
        ({"category": None, "explanation": None}, None),
        ({"category": None, "explanation": {"no": "words"}}, None),
        ("no object", None),
        (None, None),
    ],
)
def test_A19_a_refusal_says_its_explanation_streamed_or_whole(
    details: Any, why: str | None
) -> None:
    is_object = isinstance(details, dict)
    told: Any = {"type": "refusal", **cast(dict[str, Any], details)} if is_object else details
    streamed = end_of(sse(STARTED, *HELLO, stopping("refusal", stop_details=told), STOPPED))
    whole: dict[str, Any] = {"id": "msg_1", "type": "message", "stop_reason": "refusal"}
    content = [{"type": "text", "text": "Hello"}]
    body = json.dumps({**whole, "content": content, "stop_details": told}).encode()
    at_once = PROTOCOL.read_whole(body, ORIGIN)[-1]
    for end in (streamed, at_once):
        assert isinstance(end, Finished)
        assert (end.reason, end.message, end.explanation) == ("refusal", assistant("Hello"), why)


def test_A21_the_stop_sequence_is_told() -> None:
    end = end_of(sse(STARTED, *HELLO, stopping("stop_sequence", stop_sequence="END"), STOPPED))
    assert (end.reason, end.stop_sequence) == ("stop_sequence", "END")


def test_A24_sources_are_collected_beside_the_words() -> None:
    source = {"type": "char_location", "cited_text": "x", "document_index": 0}
    stream = answer(
        *HELLO,
        start(1, type="text", text="", citations=[]),
        text_delta(1, "Ci"),
        delta(1, type="citations_delta", citation=source),
        text_delta(1, "ted"),
        stop(1),
        start(2, type="text", text=""),
        text_delta(2, "."),
        stop(2),
    )
    message = end_of(stream).message
    assert message.text == "HelloCited."
    words = [part for part in message.parts if isinstance(part, Text)]
    assert [part.text for part in words] == ["Hello", "Cited", "."]
    assert [part.provider and part.provider.payload for part in words] == [
        None,
        {"citations": [source]},
        None,
    ]


@pytest.mark.parametrize(
    ("first", "last", "usage"),
    [
        pytest.param(
            {
                "input_tokens": 3,
                "cache_read_input_tokens": 100,
                "cache_creation_input_tokens": 50,
                "cache_creation": {
                    "ephemeral_5m_input_tokens": 20,
                    "ephemeral_1h_input_tokens": 30,
                },
                "output_tokens": 1,
            },
            {"output_tokens": 7, "input_tokens": None},
            Usage(3, 100, 50, 30, 7),
            id="A25-what-is-absent-stays",
        ),
        pytest.param(
            {"input_tokens": 3, "output_tokens": 1},
            {
                "input_tokens": 4,
                "output_tokens": 7,
                "output_tokens_details": {"thinking_tokens": 6},
            },
            Usage(4, output=7, reasoning=6),
            id="A26-what-is-there-replaces",
        ),
        pytest.param(
            {
                "input_tokens": 500,
                "cache_read_input_tokens": 10_000,
                "cache_creation_input_tokens": 1500,
            },
            {"output_tokens": 1},
            Usage(500, 10_000, 1500, output=1),
            id="U1-the-prompt-is-the-sum",
        ),
        pytest.param(
            {"input_tokens": -3, "cache_creation": {"ephemeral_1h_input_tokens": 5}},
            {"output_tokens": 2, "output_tokens_details": {"thinking_tokens": 9}},
            Usage(output=2, reasoning=2),
            id="U6-nonsense-is-clamped",
        ),
        pytest.param({"input_tokens": "many"}, {}, None, id="unreadable-is-unknown"),
    ],
)
def test_counts(first: dict[str, Any], last: dict[str, Any], usage: Usage | None) -> None:
    begun = {"type": "message_start", "message": {"id": "m", "model": "c", "usage": first}}
    ended = {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": last}
    assert end_of(sse(begun, ended, STOPPED)).usage == usage


def test_U1_the_neutral_total_of_a_cached_prompt() -> None:
    assert Usage(500, 10_000, 1500).prompt == 12_000


def test_counts_that_never_came_are_unknown() -> None:
    begun = {"type": "message_start", "message": {"id": "m", "model": "c"}}
    ended = {"type": "message_delta", "delta": {"stop_reason": "end_turn"}}
    assert end_of(sse(begun, ended, STOPPED)).usage is None


def test_A33_an_empty_answer_is_an_answer() -> None:
    empty = [start(0, type="text", text=""), stop(0)]
    expected = Finished("end_turn", assistant(), FINAL, raw_reason="end_turn")
    assert end_of(answer()) == end_of(answer(*empty)) == expected


def test_A34_a_second_call_of_the_same_id_gets_another() -> None:
    stream = answer(start(0, **CALL), stop(0), start(1, **CALL), stop(1), reason="tool_use")
    assert [call.id for call in end_of(stream).message.calls] == ["toolu_1", "toolu_1_2"]


def test_calls_make_the_end_of_a_turn_a_tool_use() -> None:
    assert end_of(answer(start(0, **CALL), stop(0), reason="end_turn")).reason == "tool_use"


def test_a_tool_use_without_calls_is_an_end() -> None:
    assert end_of(answer(*HELLO, reason="tool_use")).reason == "end_turn"


def test_a_call_whose_block_never_stops_ends_with_the_answer() -> None:
    stream = answer(start(0, **CALL), json_delta(0, '{"a":1}'), reason="tool_use")
    assert end_of(stream).message == assistant(ToolCall("toolu_1", "read_file", {"a": 1}))


def test_only_broken_calls_are_a_failure() -> None:
    stream = answer(*HELLO, start(1, **CALL), json_delta(1, "{nope"), stop(1), reason="tool_use")
    assert end_of(stream) == Finished(
        "error",
        assistant("Hello"),
        FINAL,
        Failure(
            "upstream",
            "The model wrote a tool call that is not valid JSON.",
            code="malformed_tool_call",
        ),
        raw_reason="tool_use",
    )


def test_an_event_cut_in_the_middle_is_a_break() -> None:
    cut = sse(STARTED, *HELLO) + b'event: message_delta\ndata: {"type":"mess'
    assert end_of(cut).failure == BROKE_OFF
    assert end_of(cut).message == assistant("Hello")


def test_an_event_that_is_not_json_ends_the_answer() -> None:
    broken = sse(STARTED, *HELLO) + b"data: <html>\n\n" + sse(stopping("end_turn"), STOPPED)
    wrong = Failure("upstream", "The provider sent something that is not JSON.")
    assert end_of(broken).failure == wrong


def test_a_character_cut_between_two_pieces_is_joined() -> None:
    halves = [text_delta(0, "\ud83d"), text_delta(0, "\ude00"), text_delta(0, "\ud83d")]
    end = end_of(answer(HELLO[0], *halves, stop(0)))
    assert end.message == assistant("😀\ufffd")


@unhurried
@given(st.lists(st.integers(0, 10_000), max_size=20))
def test_a_long_answer_is_the_same_wherever_it_is_cut(cuts: list[int]) -> None:
    words = ["Ünï\u2028cödé 😀 ", "\n", '"quoted" \\ ', "data: x\r\n"] * 8
    pieces = [text_delta(0, word) for word in words]
    arguments = json.dumps({"text": "".join(words)}, ensure_ascii=False)
    call = [json_delta(1, arguments[at : at + 7]) for at in range(0, len(arguments), 7)]
    stream = answer(HELLO[0], *pieces, stop(0), start(1, **CALL), *call, stop(1))
    places = [0, *sorted(cut % len(stream) for cut in cuts), len(stream)]
    told = read_pieces(stream[a:b] for a, b in zip(places, places[1:], strict=False))
    assert told == read_pieces([stream])


@unhurried
@given(st.binary() | st.recursive(st.none() | st.text(), st.lists).map(lambda v: repr(v).encode()))
def test_no_frame_can_make_the_reader_fail(data: bytes) -> None:
    reader = PROTOCOL.reader(ORIGIN)
    reader.feed(Frame("", data))
    reader.feed(Frame("", data))
    assert len(reader.end()) <= 1
