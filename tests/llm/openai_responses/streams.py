"""Streams of the Responses API, written by hand, and how the tests read them."""

import json
from typing import Any

from recto.llm.framing import Frame, SseDecoder
from recto.llm.protocols.openai_responses import PROTOCOL
from recto.messages import Finished, Origin, ProviderData, StreamEvent

ORIGIN = Origin("openai-responses", "acct", "gpt-6-sol")
CREATED: dict[str, Any] = {
    "type": "response.created",
    "response": {"id": "resp_1", "model": "gpt-6-sol-2026", "status": "in_progress", "usage": None},
}
USAGE: dict[str, Any] = {
    "input_tokens": 100,
    "input_tokens_details": {"cached_tokens": 60, "cache_write_tokens": 10},
    "output_tokens": 30,
    "output_tokens_details": {"reasoning_tokens": 20},
    "total_tokens": 130,
}


def sse(*events: dict[str, Any] | str) -> bytes:
    """The bytes of a stream, as the API sends them; a string is data as it is."""
    frames: list[str] = []
    for number, event in enumerate(events):
        if isinstance(event, str):
            frames.append(f"data: {event}\n\n")
        else:
            data = json.dumps({"sequence_number": number, **event}, ensure_ascii=False)
            frames.append(f"event: {event['type']}\ndata: {data}\n\n")
    return "".join(frames).encode()


def told(*events: dict[str, Any] | str) -> list[StreamEvent]:
    """What a stream tells, the same wherever its bytes are cut."""
    return read_bytes(sse(*events))


def read_bytes(stream: bytes) -> list[StreamEvent]:
    """What the bytes tell: whole, one by one, and cut at every place."""
    frames = cut(stream)
    for at in range(1, len(stream)):
        assert cut(stream[:at], stream[at:]) == frames
    assert cut(*(stream[at : at + 1] for at in range(len(stream)))) == frames
    return read_frames(frames)


def cut(*pieces: bytes) -> list[Frame]:
    """The frames of a stream that comes in these pieces."""
    decoder = SseDecoder()
    return [frame for piece in pieces for frame in decoder.feed(piece)] + decoder.end()


def read_frames(frames: list[Frame]) -> list[StreamEvent]:
    """What frames tell, and the end of the connection after them."""
    reader = PROTOCOL.reader(ORIGIN)
    events = [event for frame in frames for event in reader.feed(frame)]
    return events + reader.end()


def last(events: list[StreamEvent]) -> Finished:
    """The one end of a stream."""
    ends = [event for event in events if isinstance(event, Finished)]
    assert len(ends) == 1
    assert events[-1] is ends[0]
    return ends[0]


def sealed(**payload: Any) -> ProviderData:
    """Provider data of the answers in these tests."""
    return ProviderData(ORIGIN, payload)


def added(index: int, **item: Any) -> dict[str, Any]:
    """An item begins."""
    return {"type": "response.output_item.added", "output_index": index, "item": item}


def done(index: int, **item: Any) -> dict[str, Any]:
    """An item is complete."""
    return {"type": "response.output_item.done", "output_index": index, "item": item}


def text_delta(text: str, index: int = 0, **more: Any) -> dict[str, Any]:
    """Some words."""
    event = {"type": "response.output_text.delta", "output_index": index, "content_index": 0}
    return {**event, "item_id": f"msg_{index}", "delta": text, "logprobs": [], **more}


def summary_delta(text: str, part: int = 0, index: int = 0) -> dict[str, Any]:
    """Some of the summary of thoughts."""
    event = {"type": "response.reasoning_summary_text.delta", "output_index": index}
    return {**event, "item_id": f"rs_{index}", "summary_index": part, "delta": text}


def arguments_delta(text: str, index: int = 0) -> dict[str, Any]:
    """Some of a call's arguments."""
    event = {"type": "response.function_call_arguments.delta", "output_index": index}
    return {**event, "item_id": f"fc_{index}", "delta": text}


def arguments_done(text: str, index: int = 0) -> dict[str, Any]:
    """A call's arguments, whole."""
    event = {"type": "response.function_call_arguments.done", "output_index": index}
    return {**event, "item_id": f"fc_{index}", "arguments": text}


def call(index: int = 0, arguments: str = "", **more: Any) -> dict[str, Any]:
    """A call of a tool."""
    names = {"type": "function_call", "id": f"fc_{index}", "call_id": f"call_{index}"}
    return {**names, "name": "read_file", "arguments": arguments, **more}


def message(text: str, index: int = 0, **more: Any) -> dict[str, Any]:
    """A message of the model."""
    part: dict[str, Any] = {"type": "output_text", "text": text, "annotations": [], "logprobs": []}
    item = {"type": "message", "id": f"msg_{index}", "role": "assistant", "status": "completed"}
    return {**item, "content": [part], **more}


def ended(kind: str = "completed", **response: Any) -> dict[str, Any]:
    """The end of an answer."""
    answer = {"id": "resp_1", "model": "gpt-6-sol-2026", "status": kind, "usage": USAGE}
    return {"type": f"response.{kind}", "response": {**answer, **response}}
