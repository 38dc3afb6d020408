"""Gemini streams for tests: written from chunks, read in every way they could be cut."""

import json
from typing import Any

from recto.llm.framing import SseDecoder
from recto.llm.protocols.gemini import PROTOCOL
from recto.messages import Finished, Message, Origin, Part, ProviderData, StreamEvent

ORIGIN = Origin("gemini", "account", "gemini-3.8-flash")
COUNTS = {"promptTokenCount": 10, "candidatesTokenCount": 4, "totalTokenCount": 14}


def signed(signature: str) -> ProviderData:
    return ProviderData(ORIGIN, {"signature": signature})


def chunk(*parts: dict[str, Any], finish: str | None = None, **more: Any) -> dict[str, Any]:
    """A partial answer; `more` goes into the candidate."""
    candidate: dict[str, Any] = {"content": {"parts": list(parts), "role": "model"}, "index": 0}
    if finish is not None:
        candidate["finishReason"] = finish
    return {
        "candidates": [candidate | more],
        "modelVersion": "gemini-3.8-flash",
        "responseId": "r1",
    }


def call(name: str, args: dict[str, Any] | None = None, **more: Any) -> dict[str, Any]:
    """A functionCall part; `more` stands beside it."""
    found: dict[str, Any] = {"name": name} if args is None else {"name": name, "args": args}
    return {"functionCall": found} | more


def sse(*chunks: dict[str, Any]) -> bytes:
    return b"".join(b"data: " + json.dumps(item).encode() + b"\r\n\r\n" for item in chunks)


def read_pieces(pieces: list[bytes], origin: Origin = ORIGIN) -> list[StreamEvent]:
    decoder, reader = SseDecoder(), PROTOCOL.reader(origin)
    events: list[StreamEvent] = []
    for piece in pieces:
        for frame in decoder.feed(piece):
            events += reader.feed(frame)
    for frame in decoder.end():
        events += reader.feed(frame)
    return events + reader.end()


def read(data: bytes) -> list[StreamEvent]:
    """The events of a stream, which are the same wherever it is cut in two."""
    events = read_pieces([data])
    for cut in range(1, len(data)):
        assert read_pieces([data[:cut], data[cut:]]) == events, data[:cut]
    return events


def finished(events: list[StreamEvent]) -> Finished:
    """The end, which is there once and last."""
    ends = [event for event in events if isinstance(event, Finished)]
    assert ends == events[-1:]
    return ends[0]


def message(*parts: Part) -> Message:
    return Message("assistant", parts)
