"""Events that were lost on the way: the complete answer is what the later ones say it is."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recto.llm.framing import Frame
from recto.messages import Text, TextDelta, Thinking, ToolCall, ToolCallEnded, assistant
from tests.llm.openai_responses.streams import (
    CREATED,
    added,
    arguments_delta,
    arguments_done,
    call,
    cut,
    done,
    ended,
    last,
    message,
    read_frames,
    sealed,
    sse,
    summary_delta,
    text_delta,
    told,
)

Json = dict[str, Any]
words = st.text(st.sampled_from("ab é😀\n"), min_size=1, max_size=8)
DELTAS = frozenset(
    {
        "response.output_text.delta",
        "response.reasoning_summary_text.delta",
        "response.function_call_arguments.delta",
        "response.refusal.delta",
    }
)
DONE = frozenset(
    {
        "response.output_text.done",
        "response.reasoning_summary_text.done",
        "response.function_call_arguments.done",
        "response.refusal.done",
    }
)
ITEM_DONE = frozenset({"response.output_item.done"})


def thinking(index: int, texts: list[str]) -> list[Json]:
    summary = [{"type": "summary_text", "text": text} for text in texts]
    events = [added(index, type="reasoning", id=f"rs_{index}", summary=[])]
    for part, text in enumerate(texts):
        events += [summary_delta(character, part, index) for character in text]
        whole = {"type": "response.reasoning_summary_text.done", "output_index": index}
        events.append({**whole, "summary_index": part, "text": text})
    seal = {"id": f"rs_{index}", "encrypted_content": "sealed", "summary": summary}
    return [*events, done(index, type="reasoning", **seal)]


def said(index: int, texts: list[str], phase: str | None) -> list[Json]:
    parts = [{"type": "output_text", "text": text} for text in texts]
    events = [added(index, **message("", index, content=[]))]
    for part, text in enumerate(texts):
        events += [text_delta(character, index, content_index=part) for character in text]
        whole = {"type": "response.output_text.done", "output_index": index}
        events.append({**whole, "content_index": part, "text": text})
    return [*events, done(index, **message("", index, content=parts, phase=phase))]


def called(index: int, text: str) -> list[Json]:
    pieces = [arguments_delta(text[at : at + 3], index) for at in range(0, len(text), 3)]
    whole = call(index, text)
    return [added(index, **call(index)), *pieces, arguments_done(text, index), done(index, **whole)]


@st.composite
def recordings(draw: st.DrawFn) -> list[Json]:
    events: list[Json] = [CREATED]
    for index in range(draw(st.integers(1, 4))):
        match draw(st.sampled_from(["thinking", "message", "call"])):
            case "thinking":
                events += thinking(index, draw(st.lists(words, max_size=2)))
            case "message":
                phase = draw(st.sampled_from([None, "commentary"]))
                events += said(index, draw(st.lists(words, min_size=1, max_size=2)), phase)
            case _:
                events += called(index, f'{{"path": "{draw(st.integers(1, 999))}"}}')
    output = [event["item"] for event in events if event["type"] in ITEM_DONE]
    return [*events, ended(output=output)]


def left(
    events: list[Json], kinds: frozenset[str], keeps: st.SearchStrategy[bool], data: st.DataObject
) -> list[Frame]:
    """The recording without some of the events of these kinds."""
    kept = [event for event in events if event["type"] not in kinds or data.draw(keeps)]
    return cut(sse(*kept))


@pytest.mark.parametrize(
    "kinds", [DELTAS, DELTAS | DONE, DELTAS | ITEM_DONE, DELTAS | DONE | ITEM_DONE]
)
@settings(deadline=None)
@given(recordings(), st.data())
def test_what_was_lost_is_completed_from_what_comes_whole(
    kinds: frozenset[str], events: list[Json], data: st.DataObject
) -> None:
    whole = last(read_frames(cut(sse(*events))))
    found = last(read_frames(left(events, kinds, st.booleans(), data)))
    assert found == whole


@pytest.mark.parametrize("kinds", [DELTAS, DELTAS | DONE, DELTAS | DONE | ITEM_DONE])
@given(recordings(), st.data())
def test_a_recording_that_lost_every_such_event_is_complete_too(
    kinds: frozenset[str], events: list[Json], data: st.DataObject
) -> None:
    whole = last(read_frames(cut(sse(*events))))
    assert last(read_frames(left(events, kinds, st.just(False), data))) == whole


def test_a_lost_end_is_told_late_and_a_lost_middle_stands_in_the_answer() -> None:
    whole = {"type": "response.output_text.done", "output_index": 0, "text": "Hello, world"}
    end_lost = told(CREATED, text_delta("Hello"), whole, ended())
    assert [item.text for item in end_lost if isinstance(item, TextDelta)] == ["Hello", ", world"]
    assert last(end_lost).message == assistant("Hello, world")
    middle_lost = told(CREATED, text_delta("Hel"), text_delta("world"), whole, ended())
    assert [item.text for item in middle_lost if isinstance(item, TextDelta)] == ["Hel", "world"]
    assert last(middle_lost).message == assistant("Hello, world")


@pytest.mark.parametrize("has_end", [True, False])
def test_a_call_runs_with_the_arguments_that_came_whole(has_end: bool) -> None:
    arguments = '{"path": "notes/a.md"}'
    events = told(
        CREATED,
        added(0, **call()),
        arguments_delta('{"path": "'),
        arguments_delta('a.md"}'),
        arguments_done(arguments),
        ended(output=[call(0, arguments)] if has_end else []),
    )
    [closed] = [event for event in events if isinstance(event, ToolCallEnded)]
    assert closed == ToolCallEnded(0, {"path": "notes/a.md"}, arguments)
    assert last(events).message.calls == (ToolCall("call_0", "read_file", closed.arguments or {}),)


def test_a_seal_that_only_the_end_brings_stands_with_its_thoughts() -> None:
    events = [*thinking(0, ["Hm."])[:-1], *said(1, ["Yes."], None)]
    seal = thinking(0, ["Hm."])[-1]["item"]
    found = last(told(CREATED, *events, ended(output=[seal, message("Yes.", 1)]))).message
    data = sealed(id="rs_0", encrypted_content="sealed", summary=["Hm."])
    assert found.parts == (Thinking("Hm.", data), Text("Yes."))


def test_items_that_stand_elsewhere_at_the_end_are_not_told_twice() -> None:
    events = [CREATED, text_delta("Yes.", 1), ended(output=[message("Yes.")])]
    assert last(told(*events)).message == assistant("Yes.")


def test_a_refusal_that_lost_a_piece_is_the_one_that_came_whole() -> None:
    piece = {"type": "response.refusal.delta", "output_index": 0, "content_index": 0}
    whole = {"type": "response.refusal.done", "output_index": 0, "refusal": "I won't do that."}
    end = last(told(CREATED, {**piece, "delta": "I won't "}, whole, ended()))
    assert end.explanation == "I won't do that."
