"""Suggestions are heard in calls and in words, and words that have probabilities are as sure."""

import json
import math
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from recto.assist.confidence import NO_WORDS, NOT_IN_A_CALL, Confidence, unknown
from recto.assist.suggestion_parser import ParsedSuggestion, SuggestionParser
from recto.llm import Traits
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
from tests.access.world import access

CALLED = unknown(NOT_IN_A_CALL)
WORDS = unknown(NO_WORDS)
TOLD = replace(access(), traits=Traits(logprobs=True))
ANSWER = json.dumps({"prefix_end": "", "suffix_start": "", "suggestions": ["one", "two"]})


def heard(*events: StreamEvent) -> list[ParsedSuggestion]:
    hearing = SuggestionParser(TOLD)
    return [item for event in events for item in hearing.hear(event)]


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
    ) == [ParsedSuggestion("one", CALLED), ParsedSuggestion("two", CALLED)]


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
        ParsedSuggestion("one", Confidence(round(0.5**share, 4), "logprobs")),
        ParsedSuggestion("two", Confidence(round(0.25**share, 4), "logprobs")),
    ]


def test_tokens_that_are_not_what_was_said_tell_nothing() -> None:
    delta = TextDelta(ANSWER, (TokenProbability("something else", -0.1),))
    assert heard(delta) == [ParsedSuggestion("one", WORDS), ParsedSuggestion("two", WORDS)]


def test_an_odd_form_is_understood_at_the_end() -> None:
    told = '["one", "two"]'
    assert heard(TextDelta(told), end(assistant(told))) == [
        ParsedSuggestion("one", WORDS),
        ParsedSuggestion("two", WORDS),
    ]
    call = ToolCall("b", "suggest_completions", {"suggestions": [{"text": "one"}]})
    assert heard(end(assistant(call))) == [ParsedSuggestion("one", CALLED)]


@given(st.lists(st.text(st.sampled_from('{}[]",:\\ aé\n'), max_size=20)), st.booleans())
def test_whatever_is_said_nothing_breaks(pieces: list[str], in_call: bool) -> None:
    begun: list[StreamEvent] = [ToolCallStarted(0, "a", "suggest_completions")] if in_call else []
    said = [ToolCallDelta(0, piece) if in_call else TextDelta(piece) for piece in pieces]
    assert len(heard(*begun, *said, end(assistant("".join(pieces) or "x")))) <= 5
