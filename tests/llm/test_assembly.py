"""Answers put together from pieces: what is told, what is kept, and what is never kept."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recto.llm.assembly import Assembly
from recto.llm.open_parts import Pieces
from recto.llm.tool_arguments import read_arguments
from recto.messages import (
    Failure,
    Finished,
    Native,
    Origin,
    ProviderData,
    StreamEvent,
    Text,
    TextDelta,
    Thinking,
    ThinkingDelta,
    ThinkingEnded,
    ThinkingStarted,
    ToolCall,
    ToolCallDelta,
    ToolCallEnded,
    ToolCallStarted,
    Usage,
    UsageReported,
    assistant,
    encodable,
)

ORIGIN = Origin("test", "account", "model")
LOST = Failure("network", "Lost.")
SIGNS = st.sampled_from("ab\ud83d\ude00é😀\u2028\ufeff\x00")


def data(payload: dict[str, str]) -> ProviderData:
    return ProviderData(ORIGIN, payload)


def test_words_thoughts_and_calls_are_told_and_kept_in_order() -> None:
    answer = Assembly(ORIGIN)
    events = [
        *answer.add_thinking("Hm"),
        *answer.add_thinking("."),
        *answer.add_text("Yes"),
        *answer.add_text("."),
        *answer.open_call(0, "c1", "read"),
        *answer.add_arguments(0, '{"path":'),
        *answer.add_arguments(0, '"a"}'),
        *answer.close_call(0),
        *answer.report_usage(Usage(input=1, output=2)),
        *answer.finish("tool_use", raw_reason="tools"),
    ]
    call = ToolCall("c1", "read", {"path": "a"})
    assert events == [
        ThinkingStarted(),
        ThinkingDelta("Hm"),
        ThinkingDelta("."),
        ThinkingEnded(),
        TextDelta("Yes"),
        TextDelta("."),
        ToolCallStarted(0, "c1", "read"),
        ToolCallDelta(0, '{"path":'),
        ToolCallDelta(0, '"a"}'),
        ToolCallEnded(0, {"path": "a"}, '{"path":"a"}'),
        UsageReported(Usage(input=1, output=2)),
        Finished(
            "tool_use",
            assistant(Thinking("Hm."), "Yes.", call),
            Usage(input=1, output=2),
            raw_reason="tools",
        ),
    ]


def test_empty_words_neither_end_thoughts_nor_begin_a_text() -> None:
    answer = Assembly(ORIGIN)
    events = [
        *answer.add_thinking("a"),
        *answer.add_text(""),
        *answer.add_thinking("b"),
        *answer.finish("end_turn"),
    ]
    assert events == [
        ThinkingStarted(),
        ThinkingDelta("a"),
        ThinkingDelta("b"),
        ThinkingEnded(),
        Finished("end_turn", assistant(Thinking("ab"))),
    ]


def test_thoughts_with_neither_words_nor_data_are_not_kept() -> None:
    answer = Assembly(ORIGIN)
    assert answer.add_thinking("") == [ThinkingStarted()]
    assert answer.finish("end_turn") == [ThinkingEnded(), Finished("end_turn", assistant())]


def test_a_signature_without_words_is_kept() -> None:
    answer = Assembly(ORIGIN)
    kept = data({"signature": "s"})
    assert answer.end_thinking({"signature": "s"}) == [ThinkingStarted(), ThinkingEnded(kept)]
    assert answer.finish("end_turn") == [Finished("end_turn", assistant(Thinking("", kept)))]


def test_signed_words_end_their_part() -> None:
    answer = Assembly(ORIGIN)
    answer.add_text("a")
    answer.sign_text({"signature": "s"})
    answer.add_text("b")
    (end,) = answer.finish("end_turn")
    assert isinstance(end, Finished)
    assert end.message == assistant(Text("a", data({"signature": "s"})), "b")


def test_a_block_that_only_its_provider_knows_stands_in_its_place() -> None:
    answer = Assembly(ORIGIN)
    answer.add_text("a")
    answer.add_native({"type": "search"})
    answer.add_text("b")
    (end,) = answer.finish("end_turn")
    assert isinstance(end, Finished)
    assert end.message == assistant("a", Native(data({"type": "search"})), "b")


def test_X20_a_pair_of_surrogates_cut_in_two_is_one_character() -> None:
    answer = Assembly(ORIGIN)
    events = [*answer.add_text("a\ud83d"), *answer.add_text("\ude00b")]
    assert events == [TextDelta("a"), TextDelta("😀b")]
    assert answer.finish("end_turn") == [Finished("end_turn", assistant("a😀b"))]


def test_X21_half_a_pair_before_plain_words_is_replaced_and_told() -> None:
    answer = Assembly(ORIGIN)
    pieces = ("a", "\ud83d", "b", "c")
    assert [event for piece in pieces for event in answer.add_text(piece)] == [
        TextDelta("a"),
        TextDelta("\ufffdb"),
        TextDelta("c"),
    ]


def test_X21_half_a_pair_is_replaced_in_words_and_thoughts_and_told() -> None:
    answer = Assembly(ORIGIN)
    events = [
        *answer.add_thinking("a\ud83d"),
        *answer.add_text("b\ud83d"),
        *answer.add_text("c\ude00"),
        *answer.add_text("\ud83d"),
        *answer.finish("end_turn"),
    ]
    assert events == [
        ThinkingStarted(),
        ThinkingDelta("a"),
        ThinkingDelta("\ufffd"),
        ThinkingEnded(),
        TextDelta("b"),
        TextDelta("\ufffdc\ufffd"),
        TextDelta("\ufffd"),
        Finished("end_turn", assistant(Thinking("a\ufffd"), "b\ufffdc\ufffd\ufffd")),
    ]


@given(st.lists(st.text(SIGNS), max_size=8))
def test_what_is_told_is_what_is_kept_and_can_be_encoded(texts: list[str]) -> None:
    answer = Assembly(ORIGIN)
    events = [event for text in texts for event in answer.add_text(text)]
    events += answer.finish("end_turn")
    told = "".join(event.text for event in events if isinstance(event, TextDelta))
    end = events[-1]
    assert isinstance(end, Finished)
    assert end.message.text == told == encodable("".join(texts))
    assert told.encode().decode() == told


@given(st.text(SIGNS), st.lists(st.integers(min_value=0, max_value=5), max_size=10))
def test_pieces_are_the_same_whatever_the_cuts(text: str, sizes: list[int]) -> None:
    pieces = Pieces()
    rest = text
    for size in sizes:
        pieces.add(rest[:size])
        rest = rest[size:]
    pieces.add(rest)
    assert pieces.all() == encodable(text)


@pytest.mark.parametrize("text", ['{"path":', "[1]", '"a"', "1", "null", '{"a":1}}', '{"a":NaN}'])
def test_a_call_without_a_complete_object_is_never_a_part(text: str) -> None:
    answer = Assembly(ORIGIN)
    answer.open_call(0, "c1", "read")
    answer.add_arguments(0, text)
    assert answer.close_call(0) == [ToolCallEnded(0, None, text)]
    assert answer.finish("tool_use") == [Finished("tool_use", assistant())]


@pytest.mark.parametrize("text", ["", " ", "\n"])
def test_a_call_without_arguments_needs_none(text: str) -> None:
    answer = Assembly(ORIGIN)
    answer.open_call(0, "c1", "now")
    answer.add_arguments(0, text)
    assert answer.finish("tool_use") == [
        ToolCallEnded(0, {}, text),
        Finished("tool_use", assistant(ToolCall("c1", "now", {}))),
    ]


def test_a_call_cut_off_by_the_output_limit_is_not_kept_even_if_it_looks_whole() -> None:
    answer = Assembly(ORIGIN)
    answer.open_call(0, "c1", "write")
    answer.add_arguments(0, "{}")
    assert answer.finish("max_tokens") == [Finished("max_tokens", assistant())]


def test_a_failure_keeps_complete_calls_and_drops_open_ones() -> None:
    answer = Assembly(ORIGIN)
    answer.add_text("Well")
    answer.open_call(0, "c1", "read")
    answer.add_arguments(0, "{}")
    answer.close_call(0)
    answer.open_call(1, "c2", "write")
    answer.add_arguments(1, "{}")
    kept = assistant("Well", ToolCall("c1", "read", {}))
    assert answer.finish("error", failure=LOST) == [Finished("error", kept, failure=LOST)]


def test_calls_written_at_the_same_time_keep_to_themselves() -> None:
    answer = Assembly(ORIGIN)
    answer.open_call(0, "c1", "a")
    answer.open_call(1, "c2", "b")
    answer.add_arguments(1, '{"n":')
    answer.add_arguments(0, '{"n":1}')
    answer.add_arguments(1, "2}")
    *_, end = answer.finish("tool_use")
    assert isinstance(end, Finished)
    assert end.message.calls == (ToolCall("c1", "a", {"n": 1}), ToolCall("c2", "b", {"n": 2}))


def test_a_slot_used_again_ends_the_call_it_held() -> None:
    answer = Assembly(ORIGIN)
    answer.open_call(0, "c1", "a")
    assert answer.open_call(0, "c2", "b") == [
        ToolCallEnded(0, {}, ""),
        ToolCallStarted(0, "c2", "b"),
    ]
    *_, end = answer.finish("tool_use")
    assert isinstance(end, Finished)
    assert end.message.calls == (ToolCall("c1", "a", {}), ToolCall("c2", "b", {}))


def test_calls_that_were_given_one_id_are_told_and_kept_under_two() -> None:
    answer = Assembly(ORIGIN)
    events = answer.open_call(0, "x", "read") + answer.open_call(1, "x", "write")
    *_, end = answer.finish("tool_use")
    assert isinstance(end, Finished)
    assert [call.id for call in end.message.calls] == ["x", "x_2"]
    assert [event.id for event in events if isinstance(event, ToolCallStarted)] == ["x", "x_2"]


def test_arguments_after_the_end_of_a_call_change_nothing() -> None:
    answer = Assembly(ORIGIN)
    answer.open_call(0, "c1", "a")
    answer.add_arguments(0, '{"n":1}')
    answer.close_call(0)
    assert answer.add_arguments(0, "junk") == []
    assert answer.close_call(0) == []
    assert answer.finish("tool_use") == [
        Finished("tool_use", assistant(ToolCall("c1", "a", {"n": 1})))
    ]


def test_there_is_one_end() -> None:
    # I3: a second end is no end.
    answer = Assembly(ORIGIN)
    ends: list[StreamEvent] = [*answer.finish("end_turn"), *answer.finish("error", failure=LOST)]
    assert ends == [Finished("end_turn", assistant())]


def test_the_same_usage_is_told_once() -> None:
    answer = Assembly(ORIGIN)
    events = [*answer.report_usage(Usage(input=1)), *answer.report_usage(Usage(input=1))]
    assert events == [UsageReported(Usage(input=1))]


def test_a_text_that_was_opened_and_stayed_empty_is_no_content() -> None:
    answer = Assembly(ORIGIN)
    answer.open_text()
    assert not answer.has_content
    answer.add_text("a")
    assert answer.has_content


def test_X22_control_characters_in_arguments_are_kept() -> None:
    assert read_arguments('{"a":"\\u0000\\u001b"}') == {"a": "\x00\x1b"}


def test_halves_of_pairs_in_arguments_are_replaced_and_pairs_are_kept() -> None:
    text = '{"\\ud83d":["\\ude00",{"a":"\\ud83d\\ude00"}],"n":1}'
    assert read_arguments(text) == {"\ufffd": ["\ufffd", {"a": "😀"}], "n": 1}


@pytest.mark.parametrize("depth", [201, 10_000])
def test_arguments_nested_too_deeply_are_refused(depth: int) -> None:
    assert read_arguments('{"a":' + "[" * depth + "]" * depth + "}") is None


def test_many_brackets_side_by_side_are_not_deep() -> None:
    found = read_arguments('{"a":[' + ",".join(["[]"] * 500) + "]}")
    assert found == {"a": [[]] * 500}


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(SIGNS),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(SIGNS), inner),
    max_leaves=20,
)


@given(st.dictionaries(st.text(), VALUES), st.booleans())
def test_arguments_can_always_be_written_again(found: dict[str, object], ascii_only: bool) -> None:
    text = json.dumps(found, ensure_ascii=ascii_only)
    arguments = read_arguments(text)
    assert arguments is not None
    json.dumps(arguments, ensure_ascii=False, allow_nan=False).encode()
