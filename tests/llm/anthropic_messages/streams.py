"""Streams as the API sends them, and a reading of them that cuts the bytes everywhere."""

import json
from collections.abc import Iterable
from typing import Any

from recto.llm.framing import SseDecoder
from recto.llm.protocols.anthropic_messages import PROTOCOL
from recto.messages import Finished, Origin, StreamEvent

ORIGIN = Origin("anthropic-messages", "account", "claude-test")
STARTED: dict[str, Any] = {
    "type": "message_start",
    "message": {"id": "msg_1", "model": "claude-test", "usage": {"input_tokens": 9}},
}
STOPPED: dict[str, Any] = {"type": "message_stop"}
MANY_BYTES = 2000
PING: dict[str, Any] = {"type": "ping"}


def sse(*events: dict[str, Any]) -> bytes:
    """Events as frames."""
    return b"".join(
        f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode() for event in events
    )


def start(index: int, **block: Any) -> dict[str, Any]:
    """A block begins."""
    return {"type": "content_block_start", "index": index, "content_block": block}


def text_delta(index: int, text: str) -> dict[str, Any]:
    """Some words."""
    return delta(index, type="text_delta", text=text)


def json_delta(index: int, text: str) -> dict[str, Any]:
    """Some arguments."""
    return delta(index, type="input_json_delta", partial_json=text)


def delta(index: int, **piece: Any) -> dict[str, Any]:
    """A piece of a block."""
    return {"type": "content_block_delta", "index": index, "delta": piece}


def stop(index: int) -> dict[str, Any]:
    """A block ends."""
    return {"type": "content_block_stop", "index": index}


def stopping(reason: str | None, output: int = 5, **more: Any) -> dict[str, Any]:
    """The answer stops."""
    change = {"stop_reason": reason, "stop_sequence": None, **more}
    return {"type": "message_delta", "delta": change, "usage": {"output_tokens": output}}


def answer(*blocks: dict[str, Any], reason: str = "end_turn") -> bytes:
    """A stream of these events that begins and ends as it should."""
    return sse(STARTED, *blocks, stopping(reason), STOPPED)


def read_pieces(pieces: Iterable[bytes]) -> list[StreamEvent]:
    """What a stream tells when it arrives in these pieces."""
    decoder, reader = SseDecoder(), PROTOCOL.reader(ORIGIN)
    frames = [frame for piece in pieces for frame in decoder.feed(piece)]
    events = [event for frame in [*frames, *decoder.end()] for event in reader.feed(frame)]
    return [*events, *reader.end()]


def read(stream: bytes) -> list[StreamEvent]:
    """What a stream tells, the same wherever it is cut in two (long ones: at many places)."""
    told = read_pieces([stream])
    for at in range(1, len(stream), 1 if len(stream) <= MANY_BYTES else 17):
        assert read_pieces([stream[:at], stream[at:]]) == told
    assert read_pieces(bytes([item]) for item in stream) == told
    return told


def end_of(stream: bytes) -> Finished:
    """How a stream ends."""
    return finished(read(stream))


def finished(events: list[StreamEvent]) -> Finished:
    """The last event, which is the only one of its kind."""
    *before, last = events
    assert isinstance(last, Finished)
    assert not any(isinstance(event, Finished) for event in before)
    return last
