"""Answers whose values are of the wrong kind: one `Finished`, never an exception (I3).

Each recording is a whole answer with words, thoughts, calls, counts and blocks that only its
provider knows. One or a few of its values are replaced by something else, events are lost, come
twice or in another order. What was shown before the damage stays shown.
"""

import json
import os
from collections.abc import Iterator, Sequence
from random import Random
from typing import Any, cast

import pytest

from recto.llm import load_protocol
from recto.llm.framing import SseDecoder
from recto.messages import Finished, Origin, StreamEvent, TextDelta, ToolCall, ToolCallEnded

COUNT = int(os.environ.get("RECTO_DAMAGED", "1500"))
Json = dict[str, Any]
Path = tuple[str | int, ...]
HALF = "\ud83d"
ODD: tuple[Any, ...] = (
    None, True, 0, -1, 1.5, 1e308, 10**30, "", "x", HALF, f"a{HALF}b", [], {}, [None], [{}], [HALF],
    {"": HALF}, {"type": "no_such_type"}, {"text": {"value": HALF}}, [[[[]]]], "\0", "9" * 400,
)  # fmt: skip

ANTHROPIC: list[Json] = [
    {
        "type": "message_start",
        "message": {
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "model": "claude-test",
            "content": [],
            "usage": {"input_tokens": 9, "cache_read_input_tokens": 3, "output_tokens": 1},
        },
    },
    {"type": "content_block_start", "index": 0, "content_block": {"type": "thinking"}},
    {
        "type": "content_block_delta",
        "index": 0,
        "delta": {"type": "thinking_delta", "thinking": "Hm"},
    },
    {
        "type": "content_block_delta",
        "index": 0,
        "delta": {"type": "signature_delta", "signature": "s"},
    },
    {"type": "content_block_stop", "index": 0},
    {"type": "content_block_start", "index": 1, "content_block": {"type": "text", "text": ""}},
    {"type": "content_block_delta", "index": 1, "delta": {"type": "text_delta", "text": "Tides"}},
    {"type": "content_block_stop", "index": 1},
    {
        "type": "content_block_start",
        "index": 2,
        "content_block": {"type": "server_tool_use", "id": "srv_1", "name": "web_search"},
    },
    {"type": "content_block_stop", "index": 2},
    {
        "type": "content_block_start",
        "index": 3,
        "content_block": {"type": "tool_use", "id": "toolu_1", "name": "read_file", "input": {}},
    },
    {
        "type": "content_block_delta",
        "index": 3,
        "delta": {"type": "input_json_delta", "partial_json": '{"path": "a.md"}'},
    },
    {"type": "content_block_stop", "index": 3},
    {
        "type": "message_delta",
        "delta": {"stop_reason": "tool_use", "stop_sequence": None},
        "usage": {"output_tokens": 5, "output_tokens_details": {"reasoning_tokens": 2}},
    },
    {"type": "message_stop"},
]
CALL: Json = {
    "index": 0,
    "id": "c1",
    "type": "function",
    "function": {"name": "f", "arguments": ""},
}
DETAIL: Json = {
    "type": "reasoning.text",
    "text": "m",
    "signature": "s",
    "id": None,
    "format": "anthropic-claude-v1",
    "index": 0,
}
THINKING: Json = {
    "type": "thinking",
    "thinking": [{"type": "text", "text": "."}],
    "closed": True,
    "signature": "s",
}
CHAT: list[Json] = [
    {"id": "chat_1", "model": "m", "choices": [{"index": 0, "delta": {"role": "assistant"}}]},
    {"choices": [{"index": 0, "delta": {"reasoning_content": "Hm", "reasoning": "Hm"}}]},
    {"choices": [{"index": 0, "delta": {"reasoning": "m", "reasoning_details": [DETAIL]}}]},
    {"choices": [{"index": 0, "delta": {"content": [THINKING]}}]},
    {
        "choices": [
            {
                "index": 0,
                "delta": {"content": "Tides"},
                "logprobs": {"content": [{"token": "Tides", "logprob": -0.1}]},
            }
        ]
    },
    {"choices": [{"index": 0, "delta": {"tool_calls": [CALL]}}]},
    {
        "choices": [
            {"index": 0, "delta": {"tool_calls": [{"index": 0, "function": {"arguments": "{}"}}]}}
        ]
    },
    {"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]},
    {
        "choices": [],
        "usage": {
            "prompt_tokens": 9,
            "completion_tokens": 5,
            "total_tokens": 14,
            "prompt_tokens_details": {"cached_tokens": 3},
            "completion_tokens_details": {"reasoning_tokens": 2},
        },
    },
]
MESSAGE: Json = {
    "type": "message",
    "id": "msg_1",
    "role": "assistant",
    "content": [{"type": "output_text", "text": "Tides", "annotations": [], "logprobs": []}],
}
FUNCTION: Json = {
    "type": "function_call",
    "id": "fc_1",
    "call_id": "c1",
    "name": "f",
    "arguments": "{}",
}
RESPONSES: list[Json] = [
    {"type": "response.created", "response": {"id": "r", "model": "m", "status": "in_progress"}},
    {
        "type": "response.output_item.added",
        "output_index": 0,
        "item": {"type": "reasoning", "id": "rs_1", "summary": []},
    },
    {
        "type": "response.reasoning_summary_text.delta",
        "output_index": 0,
        "summary_index": 0,
        "delta": "Hm",
    },
    {
        "type": "response.output_item.done",
        "output_index": 0,
        "item": {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "e"},
    },
    {"type": "response.output_item.added", "output_index": 1, "item": {**MESSAGE, "content": []}},
    {
        "type": "response.output_text.delta",
        "output_index": 1,
        "content_index": 0,
        "delta": "Tides",
    },
    {"type": "response.output_item.done", "output_index": 1, "item": MESSAGE},
    {
        "type": "response.output_item.added",
        "output_index": 2,
        "item": {**FUNCTION, "arguments": ""},
    },
    {"type": "response.function_call_arguments.delta", "output_index": 2, "delta": "{}"},
    {"type": "response.output_item.done", "output_index": 2, "item": FUNCTION},
    {
        "type": "response.completed",
        "response": {
            "id": "r",
            "status": "completed",
            "output": [MESSAGE, FUNCTION],
            "usage": {
                "input_tokens": 9,
                "output_tokens": 5,
                "total_tokens": 14,
                "input_tokens_details": {"cached_tokens": 3},
                "output_tokens_details": {"reasoning_tokens": 2},
            },
        },
    },
]
GEMINI: list[Json] = [
    {
        "candidates": [{"content": {"role": "model", "parts": [{"text": "Hm", "thought": True}]}}],
        "modelVersion": "gemini-test",
        "responseId": "r",
    },
    {
        "candidates": [
            {
                "content": {
                    "role": "model",
                    "parts": [{"text": "Tides", "thoughtSignature": "cw=="}],
                },
                "index": 0,
            }
        ]
    },
    {
        "candidates": [
            {
                "content": {
                    "role": "model",
                    "parts": [
                        {"functionCall": {"name": "f", "args": {"path": "a.md"}, "id": "c1"}},
                        {"executableCode": {"language": "PYTHON", "code": "1"}},
                    ],
                },
                "finishReason": "STOP",
                "safetyRatings": [{"category": "x", "probability": "LOW"}],
            }
        ],
        "usageMetadata": {
            "promptTokenCount": 9,
            "candidatesTokenCount": 5,
            "thoughtsTokenCount": 2,
            "cachedContentTokenCount": 3,
            "totalTokenCount": 16,
        },
    },
]
RECORDINGS = {
    "anthropic-messages": ANTHROPIC,
    "openai-chat": CHAT,
    "openai-responses": RESPONSES,
    "gemini": GEMINI,
}


def paths_in(value: Any, before: Path = ()) -> Iterator[Path]:
    """Every place in a value, its own included."""
    yield before
    inside: Iterator[tuple[str | int, Any]] = iter(())
    if isinstance(value, dict):
        inside = iter(cast("dict[str, Any]", value).items())
    elif isinstance(value, list):
        inside = iter(enumerate(cast("list[Any]", value)))
    for name, inner in inside:
        yield from paths_in(inner, (*before, name))


def replaced(value: Any, path: Path, other: Any) -> Any:
    """The value with something else at a place."""
    if not path:
        return other
    name, *rest = path
    whole = cast("dict[str | int, Any] | list[Any]", value)
    copy: Any = {**whole} if isinstance(whole, dict) else [*whole]
    copy[name] = replaced(value[name], tuple(rest), other)
    return copy


def damaged(recording: Sequence[Any], random: Random) -> tuple[list[Any], int]:
    """A recording with some damage, and the number of the first event that has any."""
    events, first = list(recording), len(recording)
    for _ in range(random.choice((1, 1, 1, 2, 4))):
        at = random.randrange(len(events))
        first = min(first, at)
        match random.randrange(6):
            case 0:
                del events[at]
            case 1:
                events.insert(at, events[random.randrange(len(events))])
            case _:
                path = random.choice(list(paths_in(events[at])))
                events[at] = replaced(events[at], path, random.choice(ODD))
        if not events:
            break
    return events, first


def read(name: str, events: Sequence[Any]) -> list[StreamEvent]:
    """What a stream of these events tells."""
    decoder, reader = SseDecoder(), load_protocol(name).reader(Origin(name, "", "m"))
    told: list[StreamEvent] = []
    for event in events:
        kind = cast("Json", event).get("type") if isinstance(event, dict) else None
        head = f"event: {kind}\n" if name == "anthropic-messages" and isinstance(kind, str) else ""
        data = f"{head}data: {json.dumps(event)}\n\n".encode("utf-8", "surrogatepass")
        for frame in decoder.feed(data):
            told += reader.feed(frame)
    for frame in decoder.end():
        told += reader.feed(frame)
    return told + reader.end()


def words_of(told: Sequence[StreamEvent]) -> str:
    """The words that were shown."""
    return "".join(event.text for event in told if isinstance(event, TextDelta))


@pytest.mark.parametrize("name", sorted(RECORDINGS))
def test_a_whole_recording_is_read_whole(name: str) -> None:
    told = read(name, RECORDINGS[name])
    end = told[-1]
    assert isinstance(end, Finished)
    assert end.failure is None
    assert words_of(told) == "Tides"
    assert any(isinstance(event, ToolCallEnded) for event in told)


@pytest.mark.parametrize("name", sorted(RECORDINGS))
def test_a_damaged_recording_ends_once_and_raises_nothing(name: str) -> None:
    random = Random(f"damaged {name}")
    for number in range(COUNT):
        events, first = damaged(RECORDINGS[name], random)
        try:
            told = read(name, events)
        except Exception as error:
            raise AssertionError(f"{number}: {json.dumps(events)}") from error
        ends = [event for event in told if isinstance(event, Finished)]
        assert ends == told[-1:], json.dumps(events)
        shown = words_of(read(name, RECORDINGS[name][:first]))
        assert words_of(told).startswith(shown), json.dumps(events)
        calls = [part for part in ends[0].message.parts if isinstance(part, ToolCall)]
        assert all(call.name for call in calls), json.dumps(events)
