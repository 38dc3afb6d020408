"""Writing an answer for a foreign client; the official client reads it back."""

import json
from typing import Any, get_args

import httpx2
import openai
import pytest
from hypothesis import given, settings

from recto.llm.protocols.openai_chat import PROTOCOL
from recto.llm.protocols.openai_chat.serve_answer import DONE, ChatWriter
from recto.messages import (
    Failure,
    FailureKind,
    Finished,
    Message,
    Started,
    StopReason,
    StreamEvent,
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
from tests.examples import examples
from tests.llm.openai_chat.requests import answers

USED = Usage(2, cache_read=8, output=4, reasoning=1)
HELLO: list[StreamEvent] = [
    Started("up_1", "upstream"),
    TextDelta("Hel"),
    TextDelta("lo"),
    UsageReported(USED),
    Finished("end_turn", assistant("Hello"), USED),
]
WIRE_USAGE = {
    "prompt_tokens": 10,
    "completion_tokens": 4,
    "total_tokens": 14,
    "prompt_tokens_details": {"cached_tokens": 8, "cache_write_tokens": 0},
    "completion_tokens_details": {"reasoning_tokens": 1},
}


def written(events: list[StreamEvent], *, include_usage: bool = True) -> bytes:
    writer = ChatWriter("chatcmpl-9", "recto", created=7, include_usage=include_usage)
    return b"".join(writer.write(event) for event in events)


def frames(stream: bytes) -> list[Any]:
    """The data of every frame but the last, which must be the end marker."""
    assert stream.endswith(DONE)
    return [
        json.loads(item.removeprefix(b"data: "))
        for item in stream.removesuffix(DONE).split(b"\n\n")
        if item
    ]


def choice(delta: object, finish: str | None = None, logprobs: object = None) -> object:
    return {"index": 0, "delta": delta, "logprobs": logprobs, "finish_reason": finish}


def deltas(stream: bytes) -> list[Any]:
    return [frame["choices"][0]["delta"] for frame in frames(stream) if frame["choices"]]


def client(body: bytes, status: int = 200) -> openai.OpenAI:
    """The official client, whose server always answers this."""
    kind = "text/event-stream" if body.startswith(b"data:") else "application/json"
    answer = httpx2.Response(status, content=body, headers={"content-type": kind})
    transport = httpx2.MockTransport(lambda _: answer)
    return openai.OpenAI(
        api_key="none",
        base_url="http://recto.test/v1",
        max_retries=0,
        http_client=httpx2.Client(transport=transport),
    )


def accumulated(body: bytes) -> Any:
    """The answer as the official client's own accumulator puts it together."""
    with (
        client(body) as official,
        official.chat.completions.stream(
            model="recto", messages=[{"role": "user", "content": "Hi"}]
        ) as stream,
    ):
        return stream.get_final_completion()


def test_W1_words_are_written_in_the_apis_order() -> None:
    head = {"id": "chatcmpl-9", "object": "chat.completion.chunk", "created": 7, "model": "recto"}
    assert frames(written(HELLO)) == [
        {
            **head,
            "choices": [choice({"role": "assistant", "content": "", "refusal": None})],
            "usage": None,
        },
        {**head, "choices": [choice({"content": "Hel"})], "usage": None},
        {**head, "choices": [choice({"content": "lo"})], "usage": None},
        {**head, "choices": [choice({}, "stop")], "usage": None},
        {**head, "choices": [], "usage": WIRE_USAGE},
    ]


def test_a_client_that_does_not_ask_for_usage_gets_no_chunk_without_choices() -> None:
    found = frames(written(HELLO, include_usage=False))
    assert all(item["choices"] and "usage" not in item for item in found)


def test_an_answer_of_unknown_usage_says_nothing_of_it() -> None:
    found = frames(written([Started("", ""), Finished("end_turn", assistant("Hi"))]))
    assert [len(item["choices"]) for item in found] == [1, 1]


def test_the_official_client_streams_the_words() -> None:
    with client(written(HELLO)) as official:
        stream = official.chat.completions.create(
            model="recto", messages=[{"role": "user", "content": "Hi"}], stream=True
        )
        chunks = list(stream)
    assert (
        "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices)
        == "Hello"
    )
    assert chunks[-1].usage is not None
    assert chunks[-1].usage.total_tokens == 14
    assert {chunk.model for chunk in chunks} == {"recto"}


MIXED: list[StreamEvent] = [
    Started("up_1", "upstream"),
    ToolCallStarted(4, "a", "files.read"),
    ToolCallStarted(7, "b", "list"),
    ToolCallDelta(4, '{"x"'),
    ToolCallDelta(7, '{"y"'),
    ToolCallDelta(4, ":1}"),
    ToolCallDelta(7, ":2}"),
    ToolCallEnded(4, {"x": 1}, '{"x":1}'),
    ToolCallEnded(7, {"y": 2}, '{"y":2}'),
    ToolCallStarted(9, "c", "now"),
    ToolCallEnded(9, {}, ""),
    Finished(
        "tool_use",
        assistant(
            ToolCall("a", "files.read", {"x": 1}),
            ToolCall("b", "list", {"y": 2}),
            ToolCall("c", "now", {}),
        ),
    ),
]


def test_W2_calls_in_mixed_pieces_are_numbered_without_gaps() -> None:
    message = accumulated(written(MIXED)).choices[0].message
    assert [
        (call.id, call.function.name, call.function.arguments) for call in message.tool_calls
    ] == [("a", "esc-files-2eread", '{"x":1}'), ("b", "list", '{"y":2}'), ("c", "now", "{}")]


def test_W3_a_call_without_arguments_is_written_with_an_empty_object() -> None:
    last = deltas(written(MIXED))[-2]
    assert last == {"tool_calls": [{"index": 2, "function": {"arguments": "{}"}}]}


def test_W5_thoughts_are_written_before_the_words() -> None:
    events: list[StreamEvent] = [
        Started("up_1", "upstream"),
        ThinkingStarted(),
        ThinkingDelta("Hm"),
        ThinkingEnded(),
        TextDelta("Yes"),
        Finished("end_turn", assistant(Thinking("Hm"), "Yes")),
    ]
    assert deltas(written(events)) == [
        {"role": "assistant", "content": "", "refusal": None},
        {"reasoning_content": "Hm"},
        {"content": "Yes"},
        {},
    ]


def test_W7_usage_comes_last_and_whole() -> None:
    assert accumulated(written(HELLO)).usage.to_dict() == WIRE_USAGE


FAILURE = Failure("rate_limit", "Too many requests.", status=429)


def test_W8_a_failure_before_the_answer_is_a_status_and_a_body() -> None:
    status, body = PROTOCOL.write_failure(FAILURE)
    assert status == 429
    with client(body, status) as official, pytest.raises(openai.RateLimitError) as raised:
        official.chat.completions.create(model="recto", messages=[])
    assert (raised.value.code, raised.value.type) == ("rate_limit_exceeded", "rate_limit_error")


def test_W10_a_failure_in_the_answer_is_an_error_and_no_end() -> None:
    failed = Finished("error", assistant("Hel"), failure=FAILURE)
    stream = written([HELLO[0], HELLO[1], failed])
    assert DONE not in stream
    assert json.loads(stream.split(b"\n\n")[-2].removeprefix(b"data: ")) == {
        "error": {
            "message": "Too many requests.",
            "type": "rate_limit_error",
            "param": None,
            "code": "rate_limit_exceeded",
        }
    }
    with client(stream) as official, pytest.raises(openai.APIError, match="Too many requests."):
        list(official.chat.completions.create(model="recto", messages=[], stream=True))


def test_W11_an_empty_answer_is_a_beginning_and_an_end() -> None:
    events: list[StreamEvent] = [Finished("end_turn", Message("assistant", ()))]
    first = {"role": "assistant", "content": "", "refusal": None}
    assert deltas(written(events)) == [first, {}]


def test_W12_words_of_only_spaces_are_written() -> None:
    events: list[StreamEvent] = [TextDelta(" "), Finished("end_turn", assistant(" "))]
    assert accumulated(written(events)).choices[0].message.content == " "


def test_W17_the_client_sees_its_own_name_of_the_model() -> None:
    assert accumulated(written(HELLO)).model == "recto"
    assert json.loads(PROTOCOL.write_whole(HELLO, "chatcmpl-9", "recto"))["model"] == "recto"


def test_W18_a_whole_answer_says_the_same() -> None:
    thought: list[StreamEvent] = [
        Finished("tool_use", assistant(Thinking("Hm"), "Yes", ToolCall("a", "f.g", {"x": 1})), USED)
    ]
    assert json.loads(PROTOCOL.write_whole(thought, "chatcmpl-9", "recto")) == {
        "id": "chatcmpl-9",
        "object": "chat.completion",
        "created": 0,
        "model": "recto",
        "choices": [
            {
                "index": 0,
                "message": {
                    "role": "assistant",
                    "content": "Yes",
                    "refusal": None,
                    "reasoning_content": "Hm",
                    "tool_calls": [
                        {
                            "id": "a",
                            "type": "function",
                            "function": {"name": "esc-f-2eg", "arguments": '{"x":1}'},
                        }
                    ],
                },
                "logprobs": None,
                "finish_reason": "tool_calls",
            }
        ],
        "usage": WIRE_USAGE,
    }


def test_the_official_client_reads_a_whole_answer() -> None:
    with client(PROTOCOL.write_whole(HELLO, "chatcmpl-9", "recto")) as official:
        answer = official.chat.completions.create(model="recto", messages=[])
    assert answer.choices[0].message.content == "Hello"


def test_a_whole_answer_that_failed_is_its_error() -> None:
    failed: list[StreamEvent] = [Finished("error", assistant("Hel"), failure=FAILURE)]
    assert PROTOCOL.write_whole(failed, "", "") == PROTOCOL.write_failure(FAILURE)[1]


@pytest.mark.parametrize(
    ("reason", "written_as"),
    [
        pytest.param("end_turn", "stop"),
        pytest.param("stop_sequence", "stop"),
        pytest.param("pause", "stop"),
        pytest.param("tool_use", "tool_calls"),
        pytest.param("refusal", "content_filter", id="W21"),
        pytest.param("max_tokens", "length"),
    ],
)
def test_the_reason_is_one_that_clients_know(reason: StopReason, written_as: str) -> None:
    last = frames(written([Finished(reason, assistant("Hi"))]))[-1]
    assert last["choices"] == [choice({}, written_as)]


def test_W22_a_line_separator_in_the_words_is_escaped() -> None:
    stream = written([TextDelta("a\u2028b\x85c😀"), Finished("end_turn", assistant("."))])
    assert stream.isascii()
    assert accumulated(stream).choices[0].message.content == "a\u2028b\x85c😀"


def test_W24_words_after_a_call_follow_it() -> None:
    events = [*MIXED[:-1], TextDelta("Done."), MIXED[-1]]
    assert deltas(written(events))[-2:] == [{"content": "Done."}, {}]


def test_W25_a_call_cut_at_the_limit_stays_cut() -> None:
    events: list[StreamEvent] = [
        ToolCallStarted(0, "a", "read"),
        ToolCallDelta(0, '{"x"'),
        Finished("max_tokens", Message("assistant", ())),
    ]
    stream = written(events)
    assert frames(stream)[-1]["choices"] == [choice({}, "length")]
    assert deltas(stream)[-2] == {"tool_calls": [{"index": 0, "function": {"arguments": '{"x"'}}]}


def test_how_likely_tokens_were_is_written_both_ways() -> None:
    told = TokenProbability("Hi", -0.5)
    events: list[StreamEvent] = [TextDelta("Hi", (told,)), Finished("end_turn", assistant("Hi"))]
    expected = {
        "content": [{"token": "Hi", "logprob": -0.5, "bytes": [72, 105], "top_logprobs": []}],
        "refusal": None,
    }
    assert frames(written(events))[1]["choices"] == [choice({"content": "Hi"}, logprobs=expected)]
    whole = json.loads(PROTOCOL.write_whole(events, "", ""))
    assert whole["choices"][0]["logprobs"] == expected


@pytest.mark.parametrize("kind", get_args(FailureKind))
def test_every_failure_is_read_as_the_kind_it_was_written_as(kind: FailureKind) -> None:
    status, body = PROTOCOL.write_failure(Failure(kind, "Words."))
    found = PROTOCOL.read_failure(status, {}, body)
    assert (found.kind, found.message, found.status) == (kind, "Words.", status)


@settings(deadline=None, max_examples=examples(25))
@given(answers())
def test_the_official_client_puts_every_answer_together_as_it_was(
    events: list[StreamEvent],
) -> None:
    with client(written(events)) as official:
        stream = official.chat.completions.create(model="recto", messages=[], stream=True)
        chunks = list(stream)
    finished = events[-1]
    assert isinstance(finished, Finished)
    found = [chunk.choices[0].delta for chunk in chunks if chunk.choices]
    assert "".join(item.content or "" for item in found) == finished.message.text
    arguments: dict[int, str] = {}
    for delta in found:
        for call in delta.tool_calls or ():
            assert call.function is not None
            arguments[call.index] = arguments.get(call.index, "") + (call.function.arguments or "")
    assert [json.loads(argument) for argument in arguments.values()] == [
        dict(call.arguments) for call in finished.message.calls
    ]
