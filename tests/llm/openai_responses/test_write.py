"""Answers for foreign clients: in the API's order, and as the official SDK reads them.

The ids are those of the conformance table.
"""

import json
from dataclasses import replace
from typing import Any

import httpx2
import openai
import pytest
from hypothesis import given
from openai.types.responses import (
    Response,
    ResponseCompletedEvent,
    ResponseFunctionToolCall,
    ResponseIncompleteEvent,
    ResponseOutputMessage,
    ResponseOutputRefusal,
    ResponseReasoningItem,
    ResponseStreamEvent,
)

from recto.llm.carrier import CarriedData, carried
from recto.llm.protocols.openai_responses import PROTOCOL
from recto.messages import (
    Failure,
    Finished,
    Message,
    Native,
    Origin,
    Part,
    ProviderData,
    Started,
    StreamEvent,
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
    assistant,
)
from tests.llm.openai_responses.answers import answers, end_of
from tests.llm.openai_responses.streams import ORIGIN, cut, last, read_frames, sealed

USAGE = Usage(input=30, cache_read=60, cache_write=10, output=30, reasoning=20)
SEAL = sealed(id="rs_9", encrypted_content="sealed", summary=["Hm.", "Oh."])
FULL: list[StreamEvent] = [
    Started("resp_up", "upstream-model"),
    ThinkingStarted(),
    ThinkingDelta("Hm."),
    ThinkingDelta("\n\nOh."),
    ThinkingEnded(SEAL),
    TextDelta("I ", (TokenProbability("I ", -0.5),)),
    TextDelta("look.\u2028"),
    ToolCallStarted(0, "c1", "files.read"),
    ToolCallStarted(1, "c2", "look"),
    ToolCallDelta(1, '{"a"'),
    ToolCallDelta(0, '{"b":1}'),
    ToolCallDelta(1, ":2}"),
    ToolCallEnded(1, {"a": 2}, '{"a":2}'),
    ToolCallEnded(0, {"b": 1}, '{"b":1}'),
    TextDelta("Wait."),
    Finished(
        "tool_use",
        assistant(
            Thinking("Hm.\n\nOh.", SEAL),
            Text("I look.\u2028", sealed(phase="commentary")),
            ToolCall("c1", "files.read", {"b": 1}),
            ToolCall("c2", "look", {"a": 2}),
            "Wait.",
        ),
        USAGE,
        raw_reason="completed",
    ),
]


def written(events: list[StreamEvent]) -> bytes:
    """The stream a client gets."""
    writer = PROTOCOL.writer("resp_1", "my-model")
    return b"".join(map(writer.write, events))


def frames(stream: bytes) -> list[dict[str, Any]]:
    """The data of a stream, each checked against its event line."""
    found = [(frame.event, json.loads(frame.data)) for frame in cut(stream)]
    assert all(event == data["type"] for event, data in found)
    assert [data["sequence_number"] for _, data in found] == list(range(len(found)))
    return [data for _, data in found]


def client(body: bytes, content_type: str, status: int = 200) -> openai.OpenAI:
    """The official client, whose only server answers with these bytes."""

    def answer(_request: httpx2.Request) -> httpx2.Response:
        return httpx2.Response(status, content=body, headers={"content-type": content_type})

    transport = httpx2.MockTransport(answer)
    http = openai.DefaultHttpxClient(transport=transport)
    return openai.OpenAI(api_key="k", base_url="http://oracle", http_client=http, max_retries=0)


def sdk_events(stream: bytes) -> list[ResponseStreamEvent]:
    """A stream as the official client reads it."""
    with (
        client(stream, "text/event-stream") as sdk,
        sdk.responses.create(model="my-model", input="Hi", stream=True) as events,
    ):
        return list(events)


def sdk_end(stream: bytes) -> Response:
    """The answer in the last event, complete or not."""
    end = sdk_events(stream)[-1]
    assert isinstance(end, ResponseCompletedEvent | ResponseIncompleteEvent)
    return end.response


def sdk_answer(stream: bytes) -> Response:
    """The answer that the official client puts together from a stream."""
    with (
        client(stream, "text/event-stream") as sdk,
        sdk.responses.stream(model="my-model", input="Hi") as events,
    ):
        return events.get_final_response()


def check(answer: Response) -> None:
    """The answer is `FULL`, in the terms of the official client."""
    thoughts, said, first, second, more = answer.output
    assert (answer.id, answer.model, answer.status) == ("resp_1", "my-model", "completed")
    assert isinstance(thoughts, ResponseReasoningItem)
    assert [part.text for part in thoughts.summary] == ["Hm.\n\nOh."]
    assert thoughts.encrypted_content is not None
    assert carried(thoughts.encrypted_content) == CarriedData(SEAL, None)
    assert isinstance(said, ResponseOutputMessage)
    assert said.phase == "commentary"
    assert isinstance(first, ResponseFunctionToolCall)
    assert (first.call_id, first.name, first.arguments) == ("c1", "esc-files-2eread", '{"b":1}')
    assert isinstance(second, ResponseFunctionToolCall)
    assert (second.call_id, second.name, second.arguments) == ("c2", "look", '{"a":2}')
    assert isinstance(more, ResponseOutputMessage)
    assert answer.output_text == "I look.\u2028Wait."
    assert answer.usage is not None
    assert answer.usage.model_dump() == {
        "input_tokens": 100,
        "input_tokens_details": {
            "cached_tokens": 60,
            "cache_write_tokens": 10,
            "cache_write_tokens_details": {"ttl_12h_tokens": 0, "ttl_30m_tokens": 10},
        },
        "output_tokens": 30,
        "output_tokens_details": {"reasoning_tokens": 20},
        "total_tokens": 130,
    }


def test_W1_W7_W17_the_official_client_reads_a_stream_of_ours() -> None:
    check(sdk_answer(written(FULL)))


def test_W1_every_event_is_one_the_official_client_knows() -> None:
    for event, frame in zip(sdk_events(written(FULL)), frames(written(FULL)), strict=True):
        assert type(event).model_validate(frame, strict=True).type == frame["type"]


def test_W18_the_official_client_reads_a_whole_answer_of_ours() -> None:
    body = PROTOCOL.write_whole(FULL, "resp_1", "my-model")

    with client(body, "application/json") as sdk:
        check(sdk.responses.create(model="my-model", input="Hi"))


def test_W2_W24_frames_come_in_the_order_of_the_api() -> None:
    kinds = [frame["type"].removeprefix("response.") for frame in frames(written(FULL))]

    assert kinds == [
        "created",
        "in_progress",
        "output_item.added",
        "reasoning_summary_part.added",
        "reasoning_summary_text.delta",
        "reasoning_summary_text.delta",
        "reasoning_summary_text.done",
        "reasoning_summary_part.done",
        "output_item.done",
        "output_item.added",
        "content_part.added",
        "output_text.delta",
        "output_text.delta",
        "output_text.done",
        "content_part.done",
        "output_item.done",
        "output_item.added",
        "output_item.added",
        "function_call_arguments.delta",
        "function_call_arguments.delta",
        "function_call_arguments.delta",
        "function_call_arguments.done",
        "output_item.done",
        "function_call_arguments.done",
        "output_item.done",
        "output_item.added",
        "content_part.added",
        "output_text.delta",
        "output_text.done",
        "content_part.done",
        "output_item.done",
        "completed",
    ]


def test_W2_indices_are_those_of_the_items() -> None:
    added = [frame for frame in frames(written(FULL)) if frame["type"].endswith("item.added")]

    assert [frame["output_index"] for frame in added] == [0, 1, 2, 3, 4]
    assert [frame["item"]["id"] for frame in added] == [
        "rs_resp_1_0",
        "msg_resp_1_1",
        "fc_resp_1_2",
        "fc_resp_1_3",
        "msg_resp_1_4",
    ]


def test_W10_a_failure_in_the_middle_ends_the_stream_as_failed() -> None:
    failure = Failure("overloaded", "Busy.", status=529, code="overloaded")
    stream = written([TextDelta("Hal"), Finished("error", assistant("Hal"), None, failure)])

    [*_, end] = frames(stream)

    assert end["type"] == "response.failed"
    assert end["response"]["error"] == {"code": "server_is_overloaded", "message": "Busy."}
    assert last(read_frames(cut(stream))).failure == Failure(
        "overloaded", "Busy.", status=503, code="server_is_overloaded"
    )


def test_W11_an_empty_answer_is_an_answer() -> None:
    answer = sdk_answer(written([Finished("end_turn", assistant())]))

    assert (answer.status, answer.output, answer.usage) == ("completed", [], None)


def test_W21_what_a_filter_stopped_is_incomplete() -> None:
    answer = sdk_end(
        written([TextDelta("So"), Finished("refusal", assistant("So"), raw_reason="SAFETY")])
    )

    assert answer.incomplete_details is not None
    assert (answer.status, answer.incomplete_details.reason) == ("incomplete", "content_filter")


def test_W21_a_refusal_is_told_in_its_words() -> None:
    answer = sdk_answer(
        written([Finished("refusal", assistant(), raw_reason="refusal", explanation="I won't.")])
    )

    [said] = answer.output
    assert isinstance(said, ResponseOutputMessage)
    assert said.content == [ResponseOutputRefusal(refusal="I won't.", type="refusal")]


def test_W22_streams_are_ascii() -> None:
    assert written(FULL).isascii()
    assert PROTOCOL.write_whole(FULL, "resp_1", "my-model").isascii()


def test_W25_a_call_that_was_cut_off_is_incomplete() -> None:
    cut_off = [ToolCallStarted(0, "c1", "look"), ToolCallDelta(0, '{"a":')]

    answer = sdk_end(written([*cut_off, Finished("max_tokens", assistant())]))

    [call] = answer.output
    assert isinstance(call, ResponseFunctionToolCall)
    assert (call.arguments, call.status) == ('{"a":', "incomplete")
    assert answer.incomplete_details is not None
    assert answer.incomplete_details.reason == "max_output_tokens"


FOREIGN = ProviderData(Origin("anthropic-messages", "a", "claude"), {"signature": "s"})


@pytest.mark.parametrize("data", [SEAL, FOREIGN, None], ids=["W6-own", "W6-foreign", "W6-none"])
def test_W6_what_a_client_echoes_brings_the_thoughts_back(data: ProviderData | None) -> None:
    events = [ThinkingDelta("Hm."), ThinkingEnded(data), ThinkingEnded(data), TextDelta("Yes.")]
    answer = sdk_end(written([*events, Finished("end_turn", assistant("Yes."))]))

    items = [item.to_dict(mode="json") for item in answer.output]
    request = PROTOCOL.serve(json.dumps({"model": "my-model", "input": items}).encode())

    assert request.messages == (assistant(Thinking("Hm.", data), "Yes."),)


def test_phases_are_left_out_where_messages_were_joined() -> None:
    message = assistant(Text("One.", sealed(phase="commentary")), "Two.")

    answer = sdk_end(written([TextDelta("One."), TextDelta("Two."), Finished("end_turn", message)]))

    [said] = answer.output
    assert isinstance(said, ResponseOutputMessage)
    assert (said.phase, answer.output_text) == (None, "One.Two.")


def test_items_only_the_provider_knows_come_last() -> None:
    search = {"type": "web_search_call", "id": "ws_1", "status": "completed"}
    foreign = Native(ProviderData(Origin("gemini", "a", "g"), {"x": 1}))
    message = assistant(Native(sealed(**search)), foreign, "Hi")

    stream = written([TextDelta("Hi"), Finished("end_turn", message)])

    assert last(read_frames(cut(stream))).message == assistant("Hi", Native(sealed(**search)))


@pytest.mark.parametrize("kind", ["rate_limit", "auth"])
def test_W8_the_official_client_raises_our_failures(kind: Any) -> None:
    status, body = PROTOCOL.write_failure(Failure(kind, "No."))
    expected = {"rate_limit": openai.RateLimitError, "auth": openai.AuthenticationError}

    with client(body, "application/json", status) as sdk, pytest.raises(expected[kind]) as caught:
        sdk.responses.create(model="my-model", input="Hi")

    assert "No." in str(caught.value)


def opened(message: Message) -> Message:
    """A message that was read, with what its thoughts carried."""
    return replace(message, parts=tuple(map(opened_part, message.parts)))


def opened_part(part: Part) -> Part:
    if not isinstance(part, Thinking) or part.provider is None:
        return part
    found = carried(part.provider.payload["encrypted_content"])
    assert found is not None
    return replace(part, provider=found.data)


@given(answers())
def test_reading_undoes_writing(events: list[StreamEvent]) -> None:
    end, again = end_of(events), last(read_frames(cut(written(events))))

    assert (again.reason, opened(again.message), again.usage) == (
        end.reason,
        end.message,
        end.usage,
    )
    assert again.failure == end.failure


@given(answers())
def test_reading_undoes_writing_of_whole_answers(events: list[StreamEvent]) -> None:
    body = PROTOCOL.write_whole(events, "resp_1", "my-model")

    end, again = end_of(events), end_of(PROTOCOL.read_whole(body, ORIGIN))

    assert (again.reason, opened(again.message), again.usage) == (
        end.reason,
        end.message,
        end.usage,
    )
    assert again.failure == end.failure
