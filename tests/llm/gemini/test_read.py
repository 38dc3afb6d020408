"""Gemini's streams as neutral events; G numbers are the cases of the conformance table."""

import json
from typing import Any

import pytest

from recto.llm.framing import Frame
from recto.llm.protocols.gemini import PROTOCOL
from recto.messages import (
    Failure,
    Finished,
    Native,
    ProviderData,
    Started,
    StopReason,
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
)
from tests.llm.gemini.streams import (
    COUNTS,
    ORIGIN,
    call,
    chunk,
    finished,
    message,
    read,
    signed,
    sse,
)

STARTED = Started("r1", "gemini-3.8-flash")


def test_G1_text_streams_and_ends_with_usage() -> None:
    stream = sse(
        chunk({"text": "Hel"}) | {"usageMetadata": {"promptTokenCount": 10}},
        chunk({"text": "lo."}, finish="STOP") | {"usageMetadata": COUNTS},
    )
    last = Usage(input=10, output=4, source="final")
    assert read(stream) == [
        STARTED,
        TextDelta("Hel"),
        UsageReported(Usage(input=10, source="partial")),
        TextDelta("lo."),
        UsageReported(last),
        Finished("end_turn", message(Text("Hello.")), last, raw_reason="STOP"),
    ]


def test_G2_a_call_with_STOP_is_tool_use() -> None:
    part = {"functionCall": {"id": "c1", "name": "look", "args": {"at": "café"}}}
    assert read(sse(chunk(part, finish="STOP"))) == [
        STARTED,
        ToolCallStarted(0, "c1", "look"),
        ToolCallDelta(0, '{"at": "café"}'),
        ToolCallEnded(0, {"at": "café"}, '{"at": "café"}'),
        Finished("tool_use", message(ToolCall("c1", "look", {"at": "café"})), raw_reason="STOP"),
    ]


def test_G3_STOP_alone_after_a_call_is_tool_use() -> None:
    end = finished(read(sse(chunk(call("look", {})), chunk(finish="STOP"))))
    assert (end.reason, end.message.calls) == ("tool_use", (ToolCall("gem_r1_0", "look", {}),))


def test_G4_a_signature_stays_on_the_first_of_two_calls() -> None:
    parts = call("a", {"n": 1}, thoughtSignature="AAA="), call("b", {"n": 2})
    end = finished(read(sse(chunk(*parts, finish="STOP"))))
    assert end.message.parts == (
        ToolCall("gem_r1_0", "a", {"n": 1}, signed("AAA=")),
        ToolCall("gem_r1_1", "b", {"n": 2}),
    )


def test_G5_calls_of_separate_chunks_keep_their_order() -> None:
    end = finished(read(sse(chunk(call("b", {})), chunk(call("a", {})), chunk(finish="STOP"))))
    assert [item.name for item in end.message.calls] == ["b", "a"]


def test_G6_missing_args_are_an_empty_object() -> None:
    end = finished(read(sse(chunk(call("look"), finish="STOP"))))
    assert end.message.calls == (ToolCall("gem_r1_0", "look", {}),)


def test_G7_the_same_name_twice_without_ids_gets_two_ids() -> None:
    end = finished(read(sse(chunk(call("look", {}), call("look", {}), finish="STOP"))))
    assert [item.id for item in end.message.calls] == ["gem_r1_0", "gem_r1_1"]


def test_G7_an_id_that_comes_twice_is_kept_once() -> None:
    twice: dict[str, Any] = {"functionCall": {"id": "c1", "name": "look", "args": {}}}
    end = finished(read(sse(chunk(twice, twice, finish="STOP"))))
    assert [item.id for item in end.message.calls] == ["c1", "gem_r1_1"]


def test_G7_without_a_response_id_the_call_itself_names_it() -> None:
    stream = sse({"candidates": [{"content": {"parts": [call("look", {"n": 1})]}}]})
    first, again = finished(read(stream)), finished(read(stream))
    assert first.message.calls[0].id == again.message.calls[0].id
    assert first.message.calls[0].id.startswith("gem_")


def test_G9_a_thought_a_word_and_a_call_in_one_chunk_are_three_parts() -> None:
    parts = {"text": "Hm.", "thought": True}, {"text": "Look:"}, call("look", {})
    assert read(sse(chunk(*parts, finish="STOP"))) == [
        STARTED,
        ThinkingStarted(),
        ThinkingDelta("Hm."),
        ThinkingEnded(),
        TextDelta("Look:"),
        ToolCallStarted(0, "gem_r1_0", "look"),
        ToolCallDelta(0, "{}"),
        ToolCallEnded(0, {}, "{}"),
        Finished(
            "tool_use",
            message(Thinking("Hm."), Text("Look:"), ToolCall("gem_r1_0", "look", {})),
            raw_reason="STOP",
        ),
    ]


def test_G10_thoughts_nobody_asked_for_are_read_and_joined() -> None:
    thoughts = [chunk({"text": text, "thought": True}) for text in ("Hm, ", "so.")]
    end = finished(read(sse(*thoughts, chunk({"text": "Yes."}, finish="STOP"))))
    assert end.message == message(Thinking("Hm, so."), Text("Yes."))


def test_G10_a_signed_thought_is_a_part_of_its_own() -> None:
    part = {"text": "Hm.", "thought": True, "thoughtSignature": "S"}
    end = finished(read(sse(chunk(part, {"text": "Yes."}, finish="STOP"))))
    assert end.message == message(Thinking("Hm.", signed("S")), Text("Yes."))


def test_G11_a_last_empty_text_keeps_its_signature_and_shows_nothing() -> None:
    last = chunk({"text": "", "thoughtSignature": "S=="}, finish="STOP")
    events = read(sse(chunk({"text": "Yes."}), last))
    assert [event for event in events if isinstance(event, TextDelta)] == [TextDelta("Yes.")]
    assert finished(events).message == message(Text("Yes."), Text("", signed("S==")))


def test_G11_signed_words_are_joined_to_none_around_them() -> None:
    parts = {"text": "a"}, {"text": "b", "thoughtSignature": "S"}, {"text": "c"}, {"text": "d"}
    end = finished(read(sse(chunk(*parts, finish="STOP"))))
    assert end.message == message(Text("a"), Text("b", signed("S")), Text("cd"))


def test_G12_a_signature_alone_is_no_part() -> None:
    end = finished(read(sse(chunk({"text": "Yes."}, {"thoughtSignature": "S"}, finish="STOP"))))
    assert end.message == message(Text("Yes."))


def test_G13_a_chunk_of_usage_alone_updates_the_usage() -> None:
    end = finished(read(sse(chunk({"text": "Yes."}, finish="STOP"), {"usageMetadata": COUNTS})))
    assert end.usage == Usage(input=10, output=4, source="final")


WITHOUT_PARTS: list[dict[str, Any]] = [
    {"candidates": [{"content": {"role": "model"}}]},
    {"candidates": [{"content": {"parts": []}}]},
    {"candidates": [{"content": {"parts": None}}]},
    {"candidates": [{"content": None, "index": 0}]},
    {"candidates": [{}]},
    {"candidates": None},
    {"candidates": [{"index": 1, "content": {"parts": [{"text": "another answer"}]}}]},
    {},
]


@pytest.mark.parametrize("empty", WITHOUT_PARTS)
def test_G14_chunks_without_parts_are_skipped(empty: dict[str, Any]) -> None:
    end = finished(read(sse(chunk({"text": "a"}), empty, chunk({"text": "b"}, finish="STOP"))))
    assert end == Finished("end_turn", message(Text("ab")), raw_reason="STOP")


@pytest.mark.parametrize(
    ("feedback", "raw", "why"),
    [
        ({"blockReason": "SAFETY"}, "SAFETY", None),
        ({"blockReason": "OTHER", "blockReasonMessage": "No."}, "OTHER: No.", "No."),
    ],
)
def test_G15_a_blocked_prompt_is_a_refusal(
    feedback: dict[str, Any], raw: str, why: str | None
) -> None:
    end = finished(read(sse({"promptFeedback": feedback, "usageMetadata": COUNTS})))
    usage = Usage(input=10, output=4, source="final")
    assert end == Finished("refusal", message(), usage, raw_reason=raw, explanation=why)


def test_G15_feedback_that_blocks_nothing_changes_nothing() -> None:
    feedback: dict[str, Any] = {"promptFeedback": {"safetyRatings": []}}
    end = finished(read(sse(chunk({"text": "Yes."}, finish="STOP") | feedback)))
    assert end.reason == "end_turn"


def test_G16_SAFETY_after_some_words_is_a_refusal_that_keeps_them() -> None:
    end = finished(read(sse(chunk({"text": "First"}), chunk(finish="SAFETY"))))
    assert end == Finished("refusal", message(Text("First")), raw_reason="SAFETY")


@pytest.mark.parametrize(
    "word",
    [
        "MALFORMED_FUNCTION_CALL",
        "UNEXPECTED_TOOL_CALL",
        "MALFORMED_RESPONSE",
        "TOO_MANY_TOOL_CALLS",
    ],
)
def test_G17_a_malformed_answer_is_a_failure_worth_another_try(word: str) -> None:
    end = finished(read(sse(chunk(finish=word, finishMessage="print(look())"))))
    failure = Failure("upstream", "print(look())", code=word)
    assert end == Finished("error", message(), failure=failure, raw_reason=word)
    assert failure.retryable


@pytest.mark.parametrize(
    "last",
    [
        chunk(finish="STOP"),
        chunk({"text": ""}, finish="STOP"),
        chunk({"text": "", "thoughtSignature": "S"}, finish="STOP"),
        chunk({"text": "Hm.", "thought": True}, finish="OTHER"),
    ],
)
def test_G18_an_answer_that_says_nothing_is_a_failure_worth_another_try(
    last: dict[str, Any],
) -> None:
    end = finished(read(sse(last)))
    assert end.failure == Failure("upstream", "Gemini answered nothing.", code="empty_answer")
    assert end.reason == "error"


def test_G19_MAX_TOKENS_with_only_thoughts_is_max_tokens() -> None:
    end = finished(read(sse(chunk({"text": "Hm.", "thought": True}, finish="MAX_TOKENS"))))
    assert end == Finished("max_tokens", message(Thinking("Hm.")), raw_reason="MAX_TOKENS")


def test_G19_MAX_TOKENS_after_a_call_stays_max_tokens() -> None:
    end = finished(read(sse(chunk(call("look", {}), finish="MAX_TOKENS"))))
    assert (end.reason, len(end.message.calls)) == ("max_tokens", 1)


@pytest.mark.parametrize(
    ("part", "reason"), [({"text": "Yes."}, "end_turn"), (call("look", {}), "tool_use")]
)
def test_G20_an_unknown_reason_is_kept(part: dict[str, Any], reason: StopReason) -> None:
    end = finished(read(sse(chunk(part, finish="NEW_REASON"))))
    assert (end.reason, end.raw_reason, end.failure) == (reason, "NEW_REASON", None)


def test_G21_CONTINUATION_keeps_its_token_at_the_end_of_the_message() -> None:
    stream = sse(
        chunk({"text": "One, "}, continuationToken="early"),
        chunk({"text": "two"}, finish="CONTINUATION", continuationToken="T1="),
    )
    token = Native(ProviderData(ORIGIN, {"continuation": "T1="}))
    end = finished(read(stream))
    assert end == Finished("pause", message(Text("One, two"), token), raw_reason="CONTINUATION")


@pytest.mark.parametrize(("word", "token"), [("CONTINUATION", None), ("MAX_TOKENS", "T")])
def test_G21_an_answer_that_can_not_or_may_not_go_on_is_cut(word: str, token: str | None) -> None:
    end = finished(read(sse(chunk({"text": "One, "}, finish=word, continuationToken=token))))
    assert (end.reason, end.raw_reason, end.message.text) == ("max_tokens", word, "One, ")


def test_G21_a_token_of_an_answer_that_ended_by_itself_is_not_kept() -> None:
    end = finished(read(sse(chunk({"text": "Yes."}, finish="STOP", continuationToken="T"))))
    assert end.message == message(Text("Yes."))


@pytest.mark.parametrize(
    ("error", "failure"),
    [
        (
            {"code": 503, "message": "The model is overloaded.", "status": "UNAVAILABLE"},
            Failure("overloaded", "The model is overloaded.", status=503, code="UNAVAILABLE"),
        ),
        ({"code": 503}, Failure("overloaded", "HTTP status 503", status=503)),
    ],
)
def test_G22_an_error_inside_the_stream_ends_it(error: dict[str, Any], failure: Failure) -> None:
    usage = {"usageMetadata": {"promptTokenCount": 10}}
    stream = sse(chunk({"text": "Fir"}) | usage, {"error": error}, chunk({"text": "st"}))
    partial = Usage(input=10, source="partial")
    assert finished(read(stream)) == Finished("error", message(Text("Fir")), partial, failure)


def test_G28_a_count_that_a_later_chunk_drops_is_kept() -> None:
    first = {"promptTokenCount": 100, "cachedContentTokenCount": 80, "thoughtsTokenCount": 7}
    later = {"promptTokenCount": 100, "candidatesTokenCount": 5, "thoughtsTokenCount": 0}
    stream = sse(
        chunk({"text": "a"}) | {"usageMetadata": first},
        chunk({"text": "b"}, finish="STOP") | {"usageMetadata": later},
    )
    expected = Usage(input=20, cache_read=80, output=12, reasoning=7, source="final")
    assert finished(read(stream)).usage == expected


def test_G29_a_stream_that_is_one_JSON_list_is_read() -> None:
    chunks = [chunk({"text": "a"}), chunk({"text": "b"}, finish="STOP")]
    body = json.dumps(chunks, indent=1).encode()
    expected = read(sse(*chunks))
    assert PROTOCOL.read_whole(body, ORIGIN) == expected
    reader = PROTOCOL.reader(ORIGIN)
    assert reader.feed(Frame("", body)) + reader.end() == expected


@pytest.mark.parametrize("signature", ["a-_b==", "a+/b==", "no base64 at all"])
def test_G30_a_signature_is_kept_as_it_came(signature: str) -> None:
    end = finished(read(sse(chunk(call("look", {}, thoughtSignature=signature), finish="STOP"))))
    assert end.message.calls[0].provider == signed(signature)


def test_a_part_of_a_kind_only_Gemini_knows_is_kept_whole() -> None:
    code = {"executableCode": {"language": "PYTHON", "code": "1+1"}, "thoughtSignature": "S"}
    new = {"hologram": {"depth": 3}}
    end = finished(read(sse(chunk({"text": "Run:"}, code, new, finish="STOP"))))
    assert end.message == message(
        Text("Run:"),
        Native(ProviderData(ORIGIN, {"part": code})),
        Native(ProviderData(ORIGIN, {"part": new})),
    )


def test_a_name_that_was_rewritten_for_the_API_comes_back() -> None:
    end = finished(read(sse(chunk(call("esc-notes-2fread", {}), finish="STOP"))))
    assert end.message.calls[0].name == "notes/read"


def test_token_probabilities_come_with_the_words() -> None:
    chosen = [{"token": "Yes", "logProbability": -0.5}, {"token": ".", "logProbability": -1.0}]
    whole = chunk({"text": "Yes."}, finish="STOP", logprobsResult={"chosenCandidates": chosen})
    events = PROTOCOL.read_whole(json.dumps(whole).encode(), ORIGIN)
    assert events[1] == TextDelta(
        "Yes.", (TokenProbability("Yes", -0.5), TokenProbability(".", -1.0))
    )
