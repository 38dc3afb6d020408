"""Odd and broken streams of the Responses API; the ids are those of the conformance table."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recto.llm.framing import Frame
from recto.llm.protocols.openai_responses import PROTOCOL
from recto.messages import (
    Failure,
    Finished,
    Native,
    TextDelta,
    Thinking,
    ToolCall,
    assistant,
)
from tests.llm.openai_responses.streams import (
    CREATED,
    ORIGIN,
    added,
    arguments_delta,
    call,
    cut,
    done,
    ended,
    last,
    read_frames,
    sealed,
    sse,
    summary_delta,
    text_delta,
    told,
)


def test_thoughts_in_the_open_are_told() -> None:
    events = told(
        {"type": "response.reasoning_text.delta", "content_index": 0, "delta": "Hm"},
        {"type": "response.reasoning_text.done", "content_index": 0, "text": "Hm"},
        {"type": "response.reasoning_text.done", "content_index": 1, "text": "Well"},
        done(0, type="reasoning", id="rs_0", summary=[]),
        text_delta("Yes", 1),
        ended(),
    )

    assert last(events).message == assistant(Thinking("Hm\n\nWell"), "Yes")


def test_thoughts_that_only_come_whole_are_told_whole() -> None:
    summary = [{"type": "summary_text", "text": text} for text in ("A", "B")]
    raw = [{"type": "reasoning_text", "text": "C"}]
    item = {"type": "reasoning", "id": "rs_0", "summary": summary, "content": raw}

    events = told(
        {"type": "response.reasoning_summary_text.done", "summary_index": 0, "text": "A"},
        {"type": "response.reasoning_summary_text.done", "summary_index": 1, "text": "B"},
        done(0, **item),
        done(1, **item, encrypted_content="sealed"),
        ended(),
    )

    seal = sealed(id="rs_0", encrypted_content="sealed", summary=["A", "B"], content=["C"])
    assert last(events).message == assistant(Thinking("A\n\nB"), Thinking("A\n\nB\n\nC", seal))


def test_an_item_of_an_unknown_kind_is_kept_whole() -> None:
    search = {"type": "web_search_call", "id": "ws_1", "action": {"query": "q"}, "content": "odd"}

    events = told(added(0, **search), done(0, **search), text_delta("Found.", 1), ended())

    assert last(events).message == assistant(Native(sealed(**search)), "Found.")


def test_a_name_that_was_escaped_comes_back_as_it_was() -> None:
    events = told(done(0, **call(0, "{}", name="esc-files-2eread")), ended())

    assert last(events).message.calls == (ToolCall("call_0", "files.read", {}),)


def test_a_call_without_an_id_gets_one() -> None:
    nameless = call(0, "{}", call_id=None, id=None)

    events = told(CREATED, done(0, **nameless), ended())

    assert last(events).message.calls == (ToolCall("resp_1_0", "read_file", {}),)


def test_an_answer_without_anything_is_a_failure() -> None:
    end = last(told(CREATED, ended(output=[])))

    assert end.failure == Failure("upstream", "The model answered nothing.", code="empty_answer")


def test_an_answer_cancelled_at_the_provider_is_cancelled() -> None:
    end = last(told(CREATED, ended("cancelled")))

    assert end.failure == Failure("cancelled", "The answer was cancelled at the provider.")


@pytest.mark.parametrize(
    ("tail", "where"),
    [
        (b"", "before its end"),
        (sse(text_delta("lost"))[:-9], "before its end"),
        (sse('{"type":"response.output_text.delta","del'), "in the middle of an event"),
        (sse(text_delta("x", delta=7)), "in the middle of an event"),
        (sse("[1]"), "in the middle of an event"),
    ],
    ids=["eof", "X12", "X12-complete-frame", "wrong-type", "no-object"],
)
def test_a_stream_that_breaks_off_keeps_what_came(tail: bytes, where: str) -> None:
    end = last(read_frames(cut(sse(CREATED, text_delta("Hi")) + tail)))

    failure = Failure("network", f"The answer broke off {where}.")
    assert end == Finished("error", assistant("Hi"), None, failure)


def test_U4_a_failure_of_the_connection_ends_the_stream_with_unknown_usage() -> None:
    reader = PROTOCOL.reader(ORIGIN)
    failure = Failure("timeout", "Silence for 90 s.")
    [frame] = cut(sse(text_delta("Hi")))

    events = [*reader.feed(frame), *reader.end(failure), *reader.end()]

    assert events == [TextDelta("Hi"), Finished("error", assistant("Hi"), None, failure)]


def test_X20_a_pair_of_surrogates_in_two_events_is_one_character() -> None:
    halves = [json.dumps(text_delta(half)) for half in ("a\ud83d", "\ude00b")]

    end = last(told(*halves, ended()))

    assert end.message == assistant("a😀b")


def test_X21_half_a_pair_is_replaced() -> None:
    assert last(told(json.dumps(text_delta("a\ud83d")), ended())).message == assistant("a\ufffd")


def test_deep_nesting_does_not_crash_the_reader() -> None:
    deep = b'{"type":"response.created","response":' + b"[" * 100_000

    assert last(read_frames([Frame("", deep)])).reason == "error"


LONG = sse(
    CREATED,
    added(0, type="reasoning", id="rs_0", summary=[]),
    *(summary_delta(f"Thought {number} – ") for number in range(20)),
    done(0, type="reasoning", id="rs_0", summary=[], encrypted_content="sealed" * 50),
    added(1, **call(1)),
    *(arguments_delta(piece, 1) for piece in ['{"text":"', *"Größe 😀 \u2028", '"}']),
    done(1, **call(1, '{"text":"Größe 😀 \u2028"}')),
    *(text_delta(f"Wort {number} ✓", 2) for number in range(40)),
    ended(),
)


@given(st.lists(st.integers(0, len(LONG)), max_size=30).map(sorted))
def test_where_bytes_are_cut_changes_nothing(places: list[int]) -> None:
    bounds = [0, *places, len(LONG)]
    pieces = [LONG[start:end] for start, end in zip(bounds, bounds[1:], strict=False)]

    assert read_frames(cut(*pieces)) == read_frames(cut(LONG))


@given(st.binary(max_size=200), st.sampled_from(["", "response.output_item.done", "error"]))
def test_no_bytes_crash_the_reader(data: bytes, event: str) -> None:
    assert isinstance(read_frames([Frame(event, data)])[-1], Finished)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=8,
)
KNOWN = ["delta", "item", "response", "output_index", "text", "error", "code", "message", "usage"]
KINDS = [
    "response.created",
    "response.completed",
    "response.failed",
    "response.output_item.added",
    "response.output_item.done",
    "response.output_text.delta",
    "response.function_call_arguments.done",
    "error",
]


@given(st.sampled_from(KINDS), st.dictionaries(st.sampled_from(KNOWN), JSON))
def test_no_event_of_a_wrong_shape_crashes_the_reader(kind: str, fields: dict[str, Any]) -> None:
    data = json.dumps({**fields, "type": kind}).encode()

    assert isinstance(read_frames([Frame(kind, data)])[-1], Finished)
