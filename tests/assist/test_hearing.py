"""Suggestions are heard in calls and in words, and words that have probabilities are as sure."""

import json
import math

from hypothesis import given
from hypothesis import strategies as st

from recto.assist.confidence import UNKNOWN, Confidence
from recto.assist.hearing import Heard, Hearing
from recto.messages import (
    Finished,
    Message,
    StreamEvent,
    TextDelta,
    TokenProbability,
    ToolCall,
    ToolCallDelta,
    ToolCallStarted,
    assistant,
)

ANSWER = json.dumps({"prefix_end": "", "suffix_start": "", "suggestions": ["one", "two"]})


def heard(*events: StreamEvent) -> list[Heard]:
    hearing = Hearing()
    return [one for event in events for one in hearing.hear(event)]


def end(message: Message) -> Finished:
    return Finished("end_turn", message)


def test_only_the_first_call_of_the_tool_counts() -> None:
    other = json.dumps({"suggestions": ["three"]})
    assert heard(
        TextDelta("I'll do that."),
        ToolCallStarted(0, "a", "something_else"),
        ToolCallStarted(1, "b", "suggest_completions"),
        ToolCallStarted(2, "c", "suggest_completions"),
        ToolCallDelta(0, other),
        ToolCallDelta(1, ANSWER[:50]),
        ToolCallDelta(2, other),
        ToolCallDelta(1, ANSWER[50:]),
        end(assistant(ToolCall("b", "suggest_completions", json.loads(ANSWER)))),
    ) == [Heard("one", UNKNOWN), Heard("two", UNKNOWN)]


def test_each_is_as_sure_as_its_own_tokens() -> None:
    likely = {"one": 0.5, "two": 0.25}
    tokens = [ANSWER[: ANSWER.index("one")], "one", '", "', "two", '"]}']
    assert "".join(tokens) == ANSWER
    deltas = [
        TextDelta(token, (TokenProbability(token, math.log(likely.get(token, 1.0))),))
        for token in tokens
    ]
    # The quotes around a word are in tokens of their own, and those are sure.
    share = 1 / 3
    assert heard(*deltas) == [
        Heard("one", Confidence(round(0.5**share, 4), "logprobs")),
        Heard("two", Confidence(round(0.25**share, 4), "logprobs")),
    ]


def test_tokens_that_are_not_what_was_said_tell_nothing() -> None:
    delta = TextDelta(ANSWER, (TokenProbability("something else", -0.1),))
    assert heard(delta) == [Heard("one", UNKNOWN), Heard("two", UNKNOWN)]


def test_an_odd_form_is_understood_at_the_end() -> None:
    told = '["one", "two"]'
    assert heard(TextDelta(told), end(assistant(told))) == [
        Heard("one", UNKNOWN),
        Heard("two", UNKNOWN),
    ]
    call = ToolCall("b", "suggest_completions", {"suggestions": [{"text": "one"}]})
    assert heard(end(assistant(call))) == [Heard("one", UNKNOWN)]


@given(st.lists(st.text(st.sampled_from('{}[]",:\\ aé\n'), max_size=20)), st.booleans())
def test_whatever_is_said_nothing_breaks(pieces: list[str], in_call: bool) -> None:
    begun: list[StreamEvent] = [ToolCallStarted(0, "a", "suggest_completions")] if in_call else []
    said = [ToolCallDelta(0, one) if in_call else TextDelta(one) for one in pieces]
    assert len(heard(*begun, *said, end(assistant("".join(pieces) or "x")))) <= 5
