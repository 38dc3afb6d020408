"""A script as Anthropic tells it: the frames of a stream, or one message."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from tests.fakes.providers.provider import Frame, Provider, raw_frame
from tests.fakes.providers.scripts import (
    Decline,
    OwnBlock,
    RawFrame,
    Say,
    Script,
    Step,
    Think,
    Tokens,
    UseTool,
)

STOPS = {"end": "end_turn", "tool": "tool_use", "length": "max_tokens", "filtered": "refusal"}


@dataclass(frozen=True, slots=True)
class Voice:
    """Who speaks: the server that draws ids, the model, how it thinks, what it reports."""

    server: Provider
    model: str
    thinks: bool
    shows: bool
    sign: Callable[[str, str], str]
    usage: Tokens | None


def frames_of(script: Script, voice: Voice) -> list[Frame]:
    """The stream, in the API's order."""
    frames = [Frame({"type": "message_start", "message": _opening(voice)}, "message_start")]
    index = 0
    for step in _spoken(script, voice):
        if isinstance(step, RawFrame):
            frames.append(raw_frame(step))
            continue
        frames += _block_frames(step, voice, index)
        index += 1
        if index == 1:
            frames.append(voice.server.keepalive())
    told: dict[str, Any] = {"type": "message_delta", "delta": _ending(script)}
    if voice.usage:
        told["usage"] = {"output_tokens": voice.usage.output} | _details(voice.usage)
    frames.append(Frame(told, "message_delta", terminal=True))
    frames.append(Frame({"type": "message_stop"}, "message_stop", terminal=True))
    return frames


def message_of(script: Script, voice: Voice) -> dict[str, Any]:
    """The same answer, not streamed."""
    blocks = [
        _block(step, voice, whole=True)
        for step in _spoken(script, voice)
        if not isinstance(step, RawFrame)
    ]
    message = {**_opening(voice), "content": blocks, **_ending(script)}
    if voice.usage:
        message["usage"] = _usage(voice.usage) | _details(voice.usage)
    else:
        message.pop("usage", None)
    return message


def _spoken(script: Script, voice: Voice) -> Iterator[Step]:
    return (step for step in script.steps if voice.thinks or not isinstance(step, Think))


def _opening(voice: Voice) -> dict[str, Any]:
    message: dict[str, Any] = {
        "id": voice.server.draw("msg_"),
        "type": "message",
        "role": "assistant",
        "model": voice.model,
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
    }
    if voice.usage:
        message["usage"] = {**_usage(voice.usage), "output_tokens": min(1, voice.usage.output)}
    return message


def _usage(tokens: Tokens) -> dict[str, Any]:
    short = tokens.cache_write - tokens.cache_write_long
    return {
        "input_tokens": tokens.prompt - tokens.cache_read - tokens.cache_write,
        "cache_creation_input_tokens": tokens.cache_write,
        "cache_read_input_tokens": tokens.cache_read,
        "cache_creation": {
            "ephemeral_5m_input_tokens": short,
            "ephemeral_1h_input_tokens": tokens.cache_write_long,
        },
        "output_tokens": tokens.output,
        "service_tier": "standard",
        "inference_geo": "global",
    }


def _details(tokens: Tokens) -> dict[str, Any]:
    if not tokens.reasoning:
        return {}
    return {"output_tokens_details": {"thinking_tokens": tokens.reasoning}}


def _ending(script: Script) -> dict[str, Any]:
    natural = "tool" if script.calls_tools else "end"
    natural = "refusal" if any(isinstance(s, Decline) for s in script.steps) else natural
    stop = script.stop or ("stop_sequence" if script.stop_sequence else natural)
    ending: dict[str, Any] = {
        "stop_reason": STOPS.get(stop, stop),
        "stop_sequence": script.stop_sequence,
    }
    if ending["stop_reason"] == "refusal":
        ending["stop_details"] = {"type": "refusal", "category": None, "explanation": None}
    return ending


def _block_frames(step: Step, voice: Voice, index: int) -> Iterator[Frame]:
    block = _block(step, voice, whole=False)
    opening = {"type": "content_block_start", "index": index, "content_block": block}
    yield Frame(opening, "content_block_start")
    for delta in _deltas(step, voice):
        told = {"type": "content_block_delta", "index": index, "delta": delta}
        yield Frame(told, "content_block_delta", words=delta["type"] == "text_delta")
    yield Frame({"type": "content_block_stop", "index": index}, "content_block_stop")


def _block(step: Step, voice: Voice, *, whole: bool) -> dict[str, Any]:
    match step:
        case Think(redacted=True):
            return {"type": "redacted_thinking", "data": voice.sign("redacted_thinking", "")}
        case Think():
            seen = step.text if voice.shows else ""
            signature = voice.sign("thinking", seen) if whole else ""
            return {
                "type": "thinking",
                "thinking": seen if whole else "",
                "signature": signature,
            }
        case UseTool():
            identity = step.id if step.id is not None else voice.server.draw("toolu_01", 22)
            given = (step.parsed or {}) if whole else {}
            return {"type": "tool_use", "id": identity, "name": step.name, "input": given}
        case Say() | Decline():
            return {"type": "text", "text": step.text if whole else ""}
        case OwnBlock(block):
            return block
        case RawFrame():
            raise ValueError("Raw frames are no blocks.")


def _deltas(step: Step, voice: Voice) -> Iterator[dict[str, Any]]:
    match step:
        case Think(redacted=False):
            for piece in step.pieces if voice.shows else ():
                yield {"type": "thinking_delta", "thinking": piece}
            seen = step.text if voice.shows else ""
            yield {"type": "signature_delta", "signature": voice.sign("thinking", seen)}
        case UseTool():
            for piece in ("", *step.pieces):
                yield {"type": "input_json_delta", "partial_json": piece}
        case Say() | Decline():
            for piece in step.pieces:
                yield {"type": "text_delta", "text": piece}
        case Think() | RawFrame() | OwnBlock():
            return
