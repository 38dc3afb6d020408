"""Streams of Chat Completions chunks, and reading them whatever the pieces they arrive in."""

import json
from collections.abc import Iterable
from typing import Any

from recto.llm.framing import SseDecoder
from recto.llm.protocols.openai_chat import PROTOCOL
from recto.messages import Failure, Finished, Origin, StreamEvent

ORIGIN = Origin("openai-chat", "account", "llama")
OTHER_ACCOUNT = Origin("openai-chat", "other", "llama")
DONE = b"data: [DONE]\n\n"
USAGE = {"prompt_tokens": 10, "completion_tokens": 4, "total_tokens": 14}


def frame(data: Any) -> bytes:
    """Any JSON as an event."""
    return b"data: " + json.dumps(data).encode() + b"\n\n"


def chunk(delta: Any, finish: str | None = None, **more: Any) -> bytes:
    """A chunk with one choice, as the API writes it."""
    choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}
    return frame({**head(), "choices": [choice], "usage": None, **more})


def head() -> dict[str, Any]:
    return {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "llama"}


def role() -> bytes:
    """How every answer begins."""
    return chunk({"role": "assistant", "content": "", "refusal": None})


def text(words: str) -> bytes:
    return chunk({"content": words})


def call(**piece: Any) -> bytes:
    """A piece of a tool call; `name` and `arguments` stand inside `function`."""
    function = {key: piece.pop(key) for key in ("name", "arguments") if key in piece}
    return chunk({"tool_calls": [{**piece, "function": function}]})


def usage(**numbers: Any) -> bytes:
    """The chunk after the finish."""
    return frame({**head(), "choices": [], "usage": {**USAGE, **numbers}})


def read(*frames: bytes, failure: Failure | None = None) -> list[StreamEvent]:
    """All events of a stream, which must be the same wherever its bytes are cut in two."""
    stream = b"".join(frames)
    events = read_pieces([stream], failure)
    for cut in range(1, len(stream)):
        assert read_pieces([stream[:cut], stream[cut:]], failure) == events
    return events


def read_pieces(pieces: Iterable[bytes], failure: Failure | None = None) -> list[StreamEvent]:
    """All events of a stream that arrives in these pieces."""
    decoder = SseDecoder()
    reader = PROTOCOL.reader(ORIGIN)
    events = [
        event for piece in pieces for item in decoder.feed(piece) for event in reader.feed(item)
    ]
    events += [event for item in decoder.end() for event in reader.feed(item)]
    return events + reader.end(failure)


def finish_of(events: list[StreamEvent]) -> Finished:
    """The end of a stream, which must be its only one."""
    ends = [event for event in events if isinstance(event, Finished)]
    assert ends == [events[-1]]
    return ends[0]
