"""Reading an answer is work for its length, however oddly a server cuts it into pieces."""

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from recto.llm import load_protocol
from recto.llm.framing import Frame
from recto.llm.names import free_id
from recto.messages import Finished, Origin, StreamEvent, ToolCallStarted
from tests.growth import is_linear

Pieces = Callable[[int], Iterator[dict[str, Any]]]
SIZE = 300


def read(protocol: str, pieces: Iterator[dict[str, Any]]) -> list[StreamEvent]:
    reader = load_protocol(protocol).reader(Origin(protocol, "account", "model"))
    frames = (Frame("", json.dumps(piece).encode()) for piece in pieces)
    events = [event for frame in frames for event in reader.feed(frame)]
    return [*events, *reader.end()]


def chat(delta: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"id": "a", "choices": [{"index": 0, "delta": delta, **more}]}


def call(arguments: str, name: str | None = "write", **more: Any) -> dict[str, Any]:
    return chat({"tool_calls": [{"function": {"name": name, "arguments": arguments}, **more}]})


def a_name_with_each_piece(count: int) -> Iterator[dict[str, Any]]:
    yield call('{"text": "', index=0, id="call")
    yield from (call("{} words " * 40, index=0) for _ in range(count))
    yield call('"}', index=0)
    yield chat({}, finish_reason="tool_calls")


def a_name_with_each_bracket(count: int) -> Iterator[dict[str, Any]]:
    yield call("{", index=0)
    yield from (call('"a":{},"b":[{}],', index=0) for _ in range(count))
    yield call('"c":0}', index=0)
    yield chat({}, finish_reason="tool_calls")


def calls_without_ids(count: int) -> Iterator[dict[str, Any]]:
    yield from (call("{}", index=number) for number in range(3 * count))
    yield chat({}, finish_reason="tool_calls")


def calls_without_names(count: int) -> Iterator[dict[str, Any]]:
    yield from (call("{}", None, index=number) for number in range(3 * count))
    yield chat({"content": "Words."}, finish_reason="stop")


def spaces_before_the_words(count: int) -> Iterator[dict[str, Any]]:
    told = {"content": [{"token": " ", "logprob": -1.0}]}
    yield from (chat({"content": " "}, logprobs=told) for _ in range(8 * count))
    yield chat({"content": "Words."}, finish_reason="stop")


def many_tags_at_once(count: int) -> Iterator[dict[str, Any]]:
    text = "<think>A thought.</think>" * (8 * count)
    yield chat({"content": f"{text}Words."}, finish_reason="stop")


def details_in_many_pieces(count: int) -> Iterator[dict[str, Any]]:
    piece = {"type": "reasoning.text", "text": "A thought. " * 20, "index": 0}
    yield from (chat({"reasoning_details": [piece]}) for _ in range(4 * count))
    yield chat({"content": "Words."}, finish_reason="stop")


def thinking_parts_in_many_pieces(count: int) -> Iterator[dict[str, Any]]:
    piece = {"type": "thinking", "thinking": [{"type": "text", "text": "A thought. " * 20}]}
    yield from (chat({"content": [piece]}) for _ in range(4 * count))
    yield chat({"content": "Words."}, finish_reason="stop")


def block(index: int, **start: Any) -> dict[str, Any]:
    return {"type": "content_block_start", "index": index, "content_block": start}


def blocks_never_stopped(count: int) -> Iterator[dict[str, Any]]:
    yield {"type": "message_start", "message": {"id": "a", "model": "m"}}
    yield from (block(number, type="text", text="Hi") for number in range(4 * count))
    yield {"type": "message_delta", "delta": {"stop_reason": "end_turn"}}
    yield {"type": "message_stop"}


def calls_of_one_id(count: int) -> Iterator[dict[str, Any]]:
    yield {"type": "message_start", "message": {"id": "a", "model": "m"}}
    for number in range(count):
        yield block(number, type="tool_use", id="same", name="read", input={})
        yield {"type": "content_block_stop", "index": number}
    yield {"type": "message_delta", "delta": {"stop_reason": "tool_use"}}
    yield {"type": "message_stop"}


def thoughts_in_many_parts(count: int) -> Iterator[dict[str, Any]]:
    for number in range(count):
        piece = {"type": "response.reasoning_summary_text.delta", "delta": "Hm."}
        yield {**piece, "output_index": number, "summary_index": 0}
    yield {"type": "response.output_text.delta", "output_index": count, "delta": "Words."}
    yield {"type": "response.completed", "response": {"status": "completed"}}


def arguments_done_again_and_again(count: int) -> Iterator[dict[str, Any]]:
    item = {"type": "function_call", "call_id": "call", "name": "write", "arguments": ""}
    yield {"type": "response.output_item.added", "output_index": 0, "item": item}
    for _ in range(count):
        piece = {"type": "response.function_call_arguments.delta", "delta": "many words " * 200}
        yield {**piece, "output_index": 0}
        yield {"type": "response.function_call_arguments.done", "output_index": 0, "arguments": ""}
    yield {"type": "response.completed", "response": {"status": "completed"}}


def unknown_parts_at_once(count: int) -> Iterator[dict[str, Any]]:
    parts = [{"executableCode": {"code": f"print({number})"}} for number in range(count)]
    yield {"candidates": [{"content": {"parts": parts}, "finishReason": "STOP"}]}


@pytest.mark.parametrize(
    ("protocol", "pieces"),
    [
        ("openai-chat", a_name_with_each_piece),
        ("openai-chat", a_name_with_each_bracket),
        ("openai-chat", calls_without_ids),
        ("openai-chat", calls_without_names),
        ("openai-chat", spaces_before_the_words),
        ("openai-chat", many_tags_at_once),
        ("openai-chat", details_in_many_pieces),
        ("openai-chat", thinking_parts_in_many_pieces),
        ("anthropic-messages", blocks_never_stopped),
        ("anthropic-messages", calls_of_one_id),
        ("openai-responses", thoughts_in_many_parts),
        ("openai-responses", arguments_done_again_and_again),
        ("gemini", unknown_parts_at_once),
    ],
)
def test_reading_grows_with_the_answer_and_not_with_its_square(
    protocol: str, pieces: Pieces
) -> None:
    end = read(protocol, pieces(3))[-1]
    assert isinstance(end, Finished)
    assert is_linear(lambda count: read(protocol, pieces(count)), SIZE)


@pytest.mark.parametrize("size", [1, 2, 3, 7])
def test_a_name_with_each_piece_is_one_call_until_its_arguments_are_complete(size: int) -> None:
    written = json.dumps({"a": 'brackets } ] and "quotes" \\', "b": [{}, {"c": "}"}]})
    both = [written[at : at + size] for at in range(0, len(written), size)] * 2
    events = read(
        "openai-chat", iter([*(call(item) for item in both), chat({}, finish_reason="x")])
    )
    end = events[-1]
    assert isinstance(end, Finished)
    assert len([event for event in events if isinstance(event, ToolCallStarted)]) == 2
    assert [item.arguments for item in end.message.calls] == [json.loads(written)] * 2


def test_numbers_of_one_id_are_not_tried_again() -> None:
    def take(count: int) -> None:
        taken: dict[str, int] = {}
        for _ in range(count):
            free_id("same", taken)

    assert is_linear(take, 1_000)
