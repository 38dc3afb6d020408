"""Gemini's streams when they are odd, broken or hostile, and what they say was used."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recto.llm.framing import Frame
from recto.llm.protocols.gemini import PROTOCOL
from recto.messages import (
    Failure,
    Finished,
    Native,
    ProviderData,
    StreamEvent,
    Text,
    ToolCall,
    Usage,
)
from tests.llm.gemini.streams import (
    COUNTS,
    ORIGIN,
    call,
    chunk,
    finished,
    message,
    read,
    read_pieces,
    sse,
)


@pytest.mark.parametrize(
    ("counts", "usage"),
    [
        pytest.param(
            {
                "promptTokenCount": 12000,
                "cachedContentTokenCount": 10000,
                "candidatesTokenCount": 500,
                "thoughtsTokenCount": 300,
            },
            Usage(input=2000, cache_read=10000, output=800, reasoning=300),
            id="U3",
        ),
        pytest.param(
            {"promptTokenCount": 10, "toolUsePromptTokenCount": 5, "candidatesTokenCount": 1},
            Usage(input=15, output=1),
            id="tools",
        ),
        pytest.param(
            {"promptTokenCount": 5, "cachedContentTokenCount": 10},
            Usage(input=0, cache_read=5),
            id="U6",
        ),
        pytest.param(
            {"promptTokenCount": 5.0, "candidatesTokenCount": "3", "thoughtsTokenCount": -9},
            Usage(input=5, output=3),
            id="U6-odd",
        ),
    ],
)
def test_usage_in_neutral_terms(counts: dict[str, Any], usage: Usage) -> None:
    stream = sse(chunk({"text": "a"}, finish="STOP") | {"usageMetadata": counts})
    assert finished(read(stream)).usage == usage


def test_U4_a_stream_that_broke_off_keeps_the_last_usage_as_partial() -> None:
    stream = sse(chunk({"text": "Fir"}) | {"usageMetadata": COUNTS})
    assert finished(read(stream)) == Finished(
        "error",
        message(Text("Fir")),
        Usage(input=10, output=4, source="partial"),
        Failure("network", "The answer broke off before its end."),
    )


def test_usage_that_never_came_is_unknown() -> None:
    assert finished(read(sse(chunk({"text": "a"}, finish="STOP")))).usage is None


def test_X11_a_last_event_without_its_blank_line_counts() -> None:
    data = sse(chunk({"text": "a"}, finish="STOP")).rstrip()
    assert finished(read(data)).reason == "end_turn"


def test_X12_an_event_cut_in_two_is_a_broken_answer() -> None:
    data = sse(chunk({"text": "a"})) + sse(chunk({"text": "b"}, finish="STOP"))[:30]
    end = finished(read(data))
    assert end.message == message(Text("a"))
    assert end.failure == Failure("network", "The answer broke off before its end.")


def test_X12_a_cut_event_after_the_finish_changes_nothing() -> None:
    data = sse(chunk({"text": "a"}, finish="STOP")) + b'data: {"usageMeta'
    assert finished(read(data)).reason == "end_turn"


def test_X20_a_surrogate_pair_split_over_two_chunks_is_one_character() -> None:
    first, second = chunk({"text": "a\ud83d"}), chunk({"text": "\ude00b"}, finish="STOP")
    assert finished(read(sse(first, second))).message == message(Text("a😀b"))


def test_X21_half_a_pair_is_replaced() -> None:
    parts = {"text": "a\ud83d"}, call("l\ud83d", {"at": "\ud83d"}), {"odd": "\ud83d"}
    end = finished(read(sse(chunk(*parts, finish="STOP"))))
    assert end.message == message(
        Text("a\ufffd"),
        ToolCall("gem_r1_0", "l\ufffd", {"at": "\ufffd"}),
        Native(ProviderData(ORIGIN, {"part": {"odd": "\ufffd"}})),
    )


@pytest.mark.parametrize("data", [b"null", b"3", b'{"candidates": 3}', b'"text"'])
def test_what_is_no_Gemini_answer_is_a_failure_of_the_provider(data: bytes) -> None:
    end = finished(read(b"data: " + data + b"\n\n"))
    assert end.failure is not None
    assert end.failure.kind == "upstream"
    assert end.failure.message.startswith("The provider sent what is no Gemini answer")


def test_deep_nesting_ends_the_answer_and_not_the_program() -> None:
    nested = b'{"x":' * 100_000 + b"1" + b"}" * 100_000
    end = finished(read_pieces([b"data: " + nested + b"\n\n"]))
    assert end.reason == "error"


def test_a_failure_of_the_connection_ends_an_unfinished_answer() -> None:
    lost = Failure("timeout", "No answer in time.")
    reader = PROTOCOL.reader(ORIGIN)
    reader.feed(Frame("", json.dumps(chunk({"text": "a"})).encode()))
    assert finished(reader.end(lost)) == Finished("error", message(Text("a")), failure=lost)
    assert reader.end() == []


def test_a_failure_after_the_finish_changes_nothing() -> None:
    reader = PROTOCOL.reader(ORIGIN)
    reader.feed(Frame("", json.dumps(chunk({"text": "a"}, finish="STOP")).encode()))
    assert finished(reader.end(Failure("network", "Reset."))).reason == "end_turn"


@pytest.mark.parametrize(
    ("body", "failure"),
    [
        (b"<html>Bad gateway</html>", "The provider answered no JSON: <html>Bad gateway</html>"),
        (b"", "The provider answered no JSON: "),
        (b'{"candidates"', "The answer broke off before its end."),
    ],
)
def test_a_whole_answer_that_is_no_JSON_is_a_failure(body: bytes, failure: str) -> None:
    end = finished(PROTOCOL.read_whole(body, ORIGIN))
    assert (end.reason, end.failure and end.failure.message) == ("error", failure)


def test_a_whole_answer_that_is_an_error_is_its_failure() -> None:
    body = b'[{"error": {"code": 404, "message": "Gone.", "status": "NOT_FOUND"}}]'
    failure = Failure("not_found", "Gone.", status=404, code="NOT_FOUND")
    assert PROTOCOL.read_whole(body, ORIGIN) == [Finished("error", message(), failure=failure)]


def long_stream() -> bytes:
    words = [
        chunk({"text": f"Wort {n} – 😀\u2028 "}) | {"usageMetadata": COUNTS} for n in range(40)
    ]
    last = chunk(call("look", {"at": "café"}, thoughtSignature="S"), finish="STOP")
    raw = [json.dumps(item, ensure_ascii=False).encode() for item in (*words, last)]
    return b": hello\r\n" + b"".join(b"data: " + item + b"\r\n\r\n" for item in raw)


LONG = long_stream()
LONG_EVENTS: list[StreamEvent] = read_pieces([LONG])


@settings(deadline=None)
@given(st.lists(st.integers(0, len(LONG)), max_size=60).map(sorted))
def test_a_long_stream_reads_the_same_however_it_is_cut(cuts: list[int]) -> None:
    edges = [0, *cuts, len(LONG)]
    pieces = [LONG[start:stop] for start, stop in zip(edges, edges[1:], strict=False)]
    assert read_pieces(pieces) == LONG_EVENTS


KEYS = st.sampled_from(
    ["candidates", "content", "parts", "text", "thought", "functionCall", "name", "args", "id"]
    + ["usageMetadata", "promptTokenCount", "finishReason", "error", "code", "details", "other"]
    + ["promptFeedback", "blockReason", "index", "thoughtSignature", "logprobsResult"]
)


@settings(deadline=None)
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(KEYS, inner),
        max_leaves=20,
    )
)
def test_no_JSON_breaks_the_reader(value: object) -> None:
    reader = PROTOCOL.reader(ORIGIN)
    events = reader.feed(Frame("", json.dumps(value).encode()))
    finished(events + reader.end())


@pytest.mark.parametrize(
    "pieces",
    [
        [{"name": "", "args": {}}],
        [{"partialArgs": [{"jsonPath": "$.path", "stringValue": "a"}], "willContinue": True}],
        [
            {"name": "read_file", "willContinue": True},
            {"partialArgs": [{"jsonPath": "$.path", "stringValue": "a"}]},
        ],
    ],
)
def test_a_call_without_a_name_or_with_a_part_of_its_arguments_is_never_run(
    pieces: list[dict[str, Any]],
) -> None:
    chunks = [chunk({"functionCall": piece}) for piece in pieces]
    for reason in ("STOP", "UNEXPECTED_TOOL_CALL"):
        end = finished(read(sse(*chunks, chunk(finish=reason))))
        assert end.message.calls == ()
        whole = chunk(*({"functionCall": piece} for piece in pieces), finish=reason)
        at_once = finished(PROTOCOL.read_whole(json.dumps(whole).encode(), ORIGIN))
        assert at_once.message.calls == ()


@pytest.mark.parametrize(
    "word", ["MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL", "TOO_MANY_TOOL_CALLS"]
)
def test_an_answer_that_ends_with_a_bad_call_is_a_failure_streamed_or_whole(word: str) -> None:
    unnamed = call("", {"path": "a.md"})
    streamed = finished(read(sse(chunk({"text": "Hm."}), chunk(unnamed), chunk(finish=word))))
    whole = json.dumps(chunk({"text": "Hm."}, unnamed, finish=word)).encode()
    for end in (streamed, finished(PROTOCOL.read_whole(whole, ORIGIN))):
        assert end.failure == Failure("upstream", f"Gemini stopped with {word}.", code=word)
        assert end.message == message(Text("Hm."))
