"""A script as Chat Completions tells it: the chunks of a stream, or one completion."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from tests.fakes.providers.provider import Frame, Provider, raw_frame
from tests.fakes.providers.scripts import (
    Decline,
    OwnBlock,
    RawFrame,
    Say,
    Script,
    Think,
    Tokens,
    UseTool,
)
from tests.fakes.providers.shapes import inside

STOPS = {
    "end": "stop",
    "tool": "tool_calls",
    "length": "length",
    "filtered": "content_filter",
    "refusal": "stop",
}
Chunk = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Voice:
    """Who speaks: the server that draws ids, the request, and its habits."""

    server: Provider
    body: dict[str, Any]
    usage: Tokens | None
    reasoning: Literal["none", "reasoning", "reasoning_content"]
    call_prefix: str
    named: bool
    """One function was forced by name: the answer ends with `stop`."""

    @property
    def wants_usage(self) -> bool:
        return bool(inside(self.body, "stream_options").get("include_usage"))


def frames_of(script: Script, voice: Voice) -> list[Frame]:
    """The stream, in the API's order."""
    shell = _shell(voice, "chat.completion.chunk")

    def chunk(delta: Chunk | None, finish: str | None = None) -> Chunk:
        choices = [{"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}]
        told = {**shell, "choices": choices}
        return {**told, "usage": None} if voice.wants_usage else told

    opening: Chunk = {"role": "assistant", "content": "", "refusal": None}
    frames = [Frame(chunk(opening))]
    slot = 0
    for step in script.steps:
        match step:
            case RawFrame():
                frames.append(raw_frame(step))
            case UseTool():
                frames += [Frame(chunk(delta)) for delta in _call_deltas(step, slot, voice)]
                slot += 1
            case Think() if voice.reasoning != "none":
                frames += [Frame(chunk({voice.reasoning: piece})) for piece in step.pieces]
            case Say():
                frames += [Frame(chunk({"content": item}), words=True) for item in step.pieces]
            case Decline():
                frames += [Frame(chunk({"refusal": piece})) for piece in step.pieces]
            case Think() | OwnBlock():
                pass
    frames.append(Frame(chunk({}, finish_of(script, voice)), terminal=True))
    if voice.usage and voice.wants_usage:
        frames.append(Frame({**shell, "choices": [], "usage": usage_body(voice.usage)}))
    frames.append(Frame("[DONE]", terminal=True))
    return frames


def completion_of(script: Script, voice: Voice) -> dict[str, Any]:
    """The same answer, not streamed."""
    message: dict[str, Any] = {"role": "assistant", "content": None, "refusal": None}
    words = [step.text for step in script.steps if isinstance(step, Say)]
    refusals = [step.text for step in script.steps if isinstance(step, Decline)]
    thoughts = [step.text for step in script.steps if isinstance(step, Think)]
    calls = [_call(step, voice) for step in script.steps if isinstance(step, UseTool)]
    if words:
        message["content"] = "".join(words)
    if refusals:
        message["refusal"] = "".join(refusals)
    if thoughts and voice.reasoning != "none":
        message[voice.reasoning] = "".join(thoughts)
    if calls:
        message["tool_calls"] = calls
    finish = finish_of(script, voice)
    choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": finish}
    told: dict[str, Any] = {**_shell(voice, "chat.completion"), "choices": [choice]}
    return {**told, "usage": usage_body(voice.usage)} if voice.usage else told


def finish_of(script: Script, voice: Voice) -> str:
    """What the answer ends with."""
    natural = "tool" if script.calls_tools and not voice.named else "end"
    stop = script.stop or natural
    return STOPS.get(stop, stop)


def usage_body(tokens: Tokens) -> dict[str, Any]:
    """Usage as this API tells it."""
    return {
        "prompt_tokens": tokens.prompt,
        "completion_tokens": tokens.output,
        "total_tokens": tokens.prompt + tokens.output,
        "prompt_tokens_details": {
            "cached_tokens": tokens.cache_read,
            "cache_write_tokens": tokens.cache_write,
            "audio_tokens": 0,
        },
        "completion_tokens_details": {
            "reasoning_tokens": tokens.reasoning,
            "audio_tokens": 0,
            "accepted_prediction_tokens": 0,
            "rejected_prediction_tokens": 0,
        },
    }


def _shell(voice: Voice, kind: str) -> dict[str, Any]:
    return {
        "id": voice.server.draw("chatcmpl-", 29),
        "object": kind,
        "created": 1_789_000_000,
        "model": voice.body["model"],
        "service_tier": "default",
        "system_fingerprint": None,
    }


def _call(step: UseTool, voice: Voice) -> dict[str, Any]:
    identity = step.id if step.id is not None else voice.server.draw(voice.call_prefix)
    function = {"name": step.name, "arguments": step.arguments}
    return {"id": identity, "type": "function", "function": function}


def _call_deltas(step: UseTool, slot: int, voice: Voice) -> Iterator[Chunk]:
    call = _call(step, voice)
    opening = {**call, "index": slot, "function": {"name": step.name, "arguments": ""}}
    yield {"tool_calls": [opening]}
    for piece in step.pieces:
        yield {"tool_calls": [{"index": slot, "function": {"arguments": piece}}]}
