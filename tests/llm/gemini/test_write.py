"""Neutral events as Gemini's answer, with Google's own client as the reader."""

import json
from typing import Any

import httpx
import pytest

from recto.llm.assembly import Assembly
from recto.llm.protocols.gemini import PROTOCOL
from recto.messages import (
    Failure,
    Finished,
    Json,
    Native,
    Origin,
    ProviderData,
    Started,
    StopReason,
    StreamEvent,
    Text,
    TextDelta,
    Thinking,
    ThinkingDelta,
    ThinkingEnded,
    TokenProbability,
    ToolCall,
    ToolCallStarted,
    Usage,
    UsageReported,
)
from tests.llm.gemini.sdk import ask, ask_stream, errors, types
from tests.llm.gemini.streams import ORIGIN, message, signed

CLAUDE = Origin("anthropic-messages", "account", "claude")


def frames(events: list[StreamEvent]) -> list[dict[str, Any]]:
    """The answer as the frames of a stream, each decoded."""
    data = written(events)
    assert data == b"" or data.endswith(b"\r\n\r\n")
    found = data.split(b"\r\n\r\n")[:-1]
    return [json.loads(frame.removeprefix(b"data: ")) for frame in found]


def written(events: list[StreamEvent]) -> bytes:
    writer = PROTOCOL.writer("r1", "alias")
    return b"".join(writer.write(event) for event in events)


def piece(*parts: dict[str, Any], **more: Any) -> dict[str, Any]:
    content: dict[str, Any] = {"content": {"parts": list(parts), "role": "model"}} if parts else {}
    candidate = content | {"index": 0} | more
    return {"candidates": [candidate], "modelVersion": "alias", "responseId": "r1"}


def answer(*texts: str, reason: StopReason = "end_turn", **more: Any) -> list[StreamEvent]:
    made = Assembly(ORIGIN)
    events = made.start("upstream id", "upstream model")
    for text in texts:
        events += made.add_text(text)
    return events + made.finish(reason, **more)


def call_answer(payload: Json | None = None) -> list[StreamEvent]:
    made = Assembly(ORIGIN)
    events = made.add_thinking("Hm.") + made.add_text("Look:")
    events += made.open_call(0, "c1", "look", payload)
    events += made.add_arguments(0, '{"at":') + made.add_arguments(0, '"it"}')
    events += made.close_call(0)
    events += made.add_text("So.") + made.add_thinking("Ah.")
    return events + made.finish("tool_use")


def test_W1_words_go_out_as_they_come_under_the_clients_model() -> None:
    events: list[StreamEvent] = [
        Started("x", "y"),
        TextDelta("Hel"),
        UsageReported(Usage(input=7, source="partial")),
        TextDelta("lo."),
        Finished(
            "end_turn",
            message(Text("Hello.")),
            Usage(input=2, cache_read=5, output=4, reasoning=1),
            raw_reason="end_turn",
        ),
    ]
    assert frames(events) == [
        piece({"text": "Hel"}),
        piece({"text": "lo."}) | {"usageMetadata": {"promptTokenCount": 7, "totalTokenCount": 7}},
        piece(finishReason="STOP")
        | {
            "usageMetadata": {
                "promptTokenCount": 7,
                "candidatesTokenCount": 3,
                "totalTokenCount": 11,
                "cachedContentTokenCount": 5,
                "thoughtsTokenCount": 1,
            }
        },
    ]


def test_the_bytes_are_those_of_the_API() -> None:
    assert written(answer("Hi.")) == (
        b'data: {"candidates":[{"content":{"parts":[{"text":"Hi."}],"role":"model"},"index":0}],'
        b'"modelVersion":"alias","responseId":"r1"}\r\n\r\n'
        b'data: {"candidates":[{"finishReason":"STOP","index":0}],'
        b'"modelVersion":"alias","responseId":"r1"}\r\n\r\n'
    )


def test_W5_from_the_first_call_on_everything_waits_for_its_signature() -> None:
    call = {"functionCall": {"name": "look", "args": {"at": "it"}, "id": "c1"}}
    after = {"text": "Ah.", "thought": True}
    assert frames(call_answer({"signature": "S"})) == [
        piece({"text": "Hm.", "thought": True}),
        piece({"text": "Look:"}),
        piece(call | {"thoughtSignature": "S"}, {"text": "So."}, after, finishReason="STOP"),
    ]


def test_W11_an_empty_answer_is_one_frame() -> None:
    assert frames(answer()) == [piece(finishReason="STOP")]


def test_W22_line_ends_that_careless_clients_see_are_escaped() -> None:
    data = written(answer("a\u2028b\u2029c\u0085d é 😀"))
    assert b"a\\u2028b\\u2029c\\u0085d \xc3\xa9" in data
    assert read_by_google(data)[0].text == "a\u2028b\u2029c\u0085d é 😀"


def test_W25_a_call_cut_off_is_not_written() -> None:
    made = Assembly(ORIGIN)
    events = made.add_text("Look:") + made.open_call(0, "c1", "look")
    events += made.add_arguments(0, '{"at":') + made.finish("max_tokens")
    assert frames(events) == [piece({"text": "Look:"}), piece(finishReason="MAX_TOKENS")]


def test_W10_a_failure_in_the_middle_is_an_error_frame_after_what_is_complete() -> None:
    made = Assembly(ORIGIN)
    events = made.add_text("Look:") + made.open_call(0, "c1", "look") + made.close_call(0)
    failure = Failure("overloaded", "No capacity.", retry_after_s=2)
    events += made.finish("error", failure=failure)
    found = frames(events)
    assert found[1] == piece({"functionCall": {"name": "look", "args": {}, "id": "c1"}})
    assert found[2] == json.loads(PROTOCOL.write_failure(failure)[1])
    with pytest.raises(errors.APIError) as caught:
        read_by_google(written(events))
    assert (caught.value.code, caught.value.status) == (503, "UNAVAILABLE")


@pytest.mark.parametrize(
    ("reason", "raw", "word"),
    [
        ("end_turn", "OTHER", "OTHER"),
        ("end_turn", None, "STOP"),
        ("stop_sequence", "stop_sequence", "STOP"),
        ("pause", "pause_turn", "STOP"),
        ("max_tokens", "length", "MAX_TOKENS"),
        ("max_tokens", "CONTINUATION", "CONTINUATION"),
        ("refusal", "RECITATION", "RECITATION"),
        ("refusal", "content_filter", "SAFETY"),
    ],
)
def test_W21_stop_reasons_are_told_in_Geminis_words(
    reason: StopReason, raw: str | None, word: str
) -> None:
    last = frames(answer("a", reason=reason, raw_reason=raw))[-1]
    assert last == piece(finishReason=word)


@pytest.mark.parametrize(
    ("raw", "feedback"),
    [
        ("SAFETY: No.", {"blockReason": "SAFETY", "blockReasonMessage": "No."}),
        ("content_filter", {"blockReason": "OTHER"}),
    ],
)
def test_W21_a_refusal_without_a_word_is_one_of_the_prompt(raw: str, feedback: Any) -> None:
    events = answer(reason="refusal", raw_reason=raw)
    blocked = {"promptFeedback": feedback, "modelVersion": "alias", "responseId": "r1"}
    assert frames(events) == [blocked]
    assert json.loads(PROTOCOL.write_whole(events, "r1", "alias")) == blocked


@pytest.mark.parametrize(
    ("code", "word"), [("MALFORMED_FUNCTION_CALL",) * 2, ("empty_answer", "STOP")]
)
def test_a_failure_that_Gemini_has_a_reason_for_is_told_by_it(code: str, word: str) -> None:
    failure = Failure("upstream", "Bad call.", code=code)
    events = answer(reason="error", failure=failure)
    assert frames(events) == [piece(finishReason=word, finishMessage="Bad call.")]


def test_G21_a_token_to_continue_by_is_passed_on() -> None:
    token = Native(ProviderData(ORIGIN, {"continuation": "T"}))
    end = Finished("pause", message(Text("a"), token), raw_reason="CONTINUATION")
    assert frames([TextDelta("a"), end]) == [
        piece({"text": "a"}),
        piece(finishReason="CONTINUATION", continuationToken="T"),
    ]


def test_what_only_another_provider_can_read_is_left_out() -> None:
    theirs = ProviderData(CLAUDE, {"part": {"text": "x"}})
    end = Finished("end_turn", message(Text("a", theirs), Native(theirs)))
    assert frames([TextDelta("a"), end]) == [piece({"text": "a"}), piece(finishReason="STOP")]


def test_thoughts_of_another_provider_go_out_and_come_back_whole() -> None:
    theirs = ProviderData(CLAUDE, {"signature": "S"})
    call = ToolCall("c1", "read", {}, theirs)
    end = Finished("tool_use", message(Thinking("Well, well.", theirs), Text("a"), call))
    told: list[StreamEvent] = [
        ThinkingDelta("Well, "),
        ThinkingDelta("well."),
        ThinkingEnded(theirs),
        TextDelta("a"),
    ]
    told += [ToolCallStarted(0, "c1", "read")]
    parts = [
        part
        for item in frames([*told, end])
        for part in item["candidates"][0].get("content", {}).get("parts", [])
    ]
    contents = [{"role": "user", "parts": [{"text": "Hi"}]}, {"role": "model", "parts": parts}]
    body = json.dumps({"contents": contents}).encode()
    request = PROTOCOL.serve(body, path="/v1beta/models/m:generateContent")
    assert request.messages[1] == end.message


def test_a_signature_of_words_already_sent_follows_in_an_empty_text() -> None:
    end = Finished("end_turn", message(Text("a", signed("S"))))
    assert frames([TextDelta("a"), end]) == [
        piece({"text": "a"}),
        piece({"text": "", "thoughtSignature": "S"}, finishReason="STOP"),
    ]


def test_token_probabilities_are_written() -> None:
    likely = TextDelta("a", (TokenProbability("a", -0.5),))
    result = {"chosenCandidates": [{"token": "a", "logProbability": -0.5}]}
    end = Finished("end_turn", message(Text("a")))
    assert frames([likely, end])[0] == piece({"text": "a"}, logprobsResult=result)
    assert json.loads(PROTOCOL.write_whole([likely, end], "r1", "alias")) == piece(
        {"text": "a"}, finishReason="STOP", logprobsResult=result
    )


def read_by_google(data: bytes) -> list[types.GenerateContentResponse]:
    """The stream as Google's client reads it."""
    sent = httpx.Response(200, headers={"content-type": "text/event-stream"}, content=data)
    return ask_stream(lambda _: sent)


def test_googles_client_reads_the_stream() -> None:
    found = read_by_google(written(call_answer({"signature": "Uw=="})))
    parts = [
        part
        for item in found
        for candidate in item.candidates or ()
        if candidate.content is not None
        for part in candidate.content.parts or ()
    ]
    assert parts == [
        types.Part(text="Hm.", thought=True),
        types.Part(text="Look:"),
        types.Part(
            function_call=types.FunctionCall(id="c1", name="look", args={"at": "it"}),
            thought_signature=b"S",
        ),
        types.Part(text="So."),
        types.Part(text="Ah.", thought=True),
    ]
    assert {item.model_version for item in found} == {"alias"}


def test_W18_googles_client_reads_the_whole_answer() -> None:
    events = call_answer({"signature": "Uw=="})
    body = PROTOCOL.write_whole(events, "r1", "alias")
    found = ask(lambda _: httpx.Response(200, content=body))
    assert [call.args for call in found.function_calls or ()] == [{"at": "it"}]
    assert found.response_id == "r1"


def test_W18_a_whole_answer_that_failed_is_an_error() -> None:
    failure = Failure("timeout", "Too slow.")
    body = PROTOCOL.write_whole(answer("a", reason="error", failure=failure), "r1", "alias")
    assert json.loads(body) == {
        "error": {"code": 504, "message": "Too slow.", "status": "DEADLINE_EXCEEDED"}
    }


def test_an_answer_without_its_end_is_not_written_whole() -> None:
    with pytest.raises(ValueError, match="without its end"):
        PROTOCOL.write_whole([TextDelta("a")], "r1", "alias")
