"""A script as OpenAI Responses tells it: the events of a stream, or one response."""

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
from tests.fakes.providers.shapes import inside

STOPS = {
    "length": "incomplete:max_output_tokens",
    "filtered": "incomplete:content_filter",
    "end": "completed",
    "tool": "completed",
    "refusal": "completed",
}
Event = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Voice:
    """Who speaks: the server that draws ids, the request, what is sealed and reported."""

    server: Provider
    body: dict[str, Any]
    reasons: bool
    phases: bool
    seal: Callable[[str], str] | None
    usage: Tokens | None

    @property
    def summarises(self) -> bool:
        return bool(inside(self.body, "reasoning").get("summary"))


def response_of(script: Script, voice: Voice) -> dict[str, Any]:
    """The finished response object."""
    stop = script.stop or "end"
    status, _, reason = STOPS.get(stop, stop).partition(":")
    spoken = [step for step in _spoken(script, voice) if not isinstance(step, RawFrame)]
    calls_follow = [any(isinstance(s, UseTool) for s in spoken[at:]) for at in range(len(spoken))]
    output = [_item(s, voice, follow) for s, follow in zip(spoken, calls_follow, strict=True)]
    return {
        **_shell(voice),
        "status": status,
        "incomplete_details": {"reason": reason} if reason else None,
        "output": output,
        "usage": _usage(voice.usage) if voice.usage else None,
    }


def frames_of(script: Script, voice: Voice, response: dict[str, Any]) -> list[Frame]:
    """The stream, in the API's order."""
    opening: Event = {**response, "status": "in_progress", "output": [], "usage": None}
    opening["incomplete_details"] = None
    frames = [
        Frame({"type": "response.created", "response": opening}),
        Frame({"type": "response.in_progress", "response": opening}),
    ]
    index = 0
    for step in _spoken(script, voice):
        if isinstance(step, RawFrame):
            frames.append(raw_frame(step))
            continue
        for event in _item_events(step, response["output"][index], index):
            words = event["type"] == "response.output_text.delta"
            frames.append(Frame(_padded(event, voice), words=words))
        index += 1
    last = {"type": f"response.{response['status']}", "response": response}
    frames.append(Frame(last, terminal=True))
    return list(_numbered(frames))


def _numbered(frames: list[Frame]) -> Iterator[Frame]:
    number = 0
    for frame in frames:
        if isinstance(frame.data, bytes):
            yield frame
            continue
        data: Event = {"type": frame.data["type"], "sequence_number": number, **frame.data}
        yield Frame(data, data["type"], terminal=frame.terminal, words=frame.words)
        number += 1


def _padded(event: Event, voice: Voice) -> Event:
    options: dict[str, Any] = inside(voice.body, "stream_options")
    if "delta" in event and options.get("include_obfuscation", True):
        return {**event, "obfuscation": "x" * (1 + len(event["delta"]) % 7)}
    return event


def _spoken(script: Script, voice: Voice) -> Iterator[Step]:
    return (step for step in script.steps if voice.reasons or not isinstance(step, Think))


def _shell(voice: Voice) -> dict[str, Any]:
    body = voice.body
    return {
        "id": voice.server.draw("resp_", 32),
        "object": "response",
        "created_at": 1_789_000_000,
        "background": False,
        "error": None,
        "instructions": body.get("instructions"),
        "max_output_tokens": body.get("max_output_tokens"),
        "model": body["model"],
        "parallel_tool_calls": body.get("parallel_tool_calls", True),
        "previous_response_id": body.get("previous_response_id"),
        "reasoning": body.get("reasoning") or {"effort": None, "summary": None},
        "service_tier": "default",
        "store": body.get("store") is not False,
        "temperature": body.get("temperature", 1.0),
        "text": body.get("text") or {"format": {"type": "text"}},
        "tool_choice": body.get("tool_choice", "auto"),
        "tools": body.get("tools", []),
        "top_p": body.get("top_p", 1.0),
        "truncation": "disabled",
        "metadata": body.get("metadata") or {},
    }


def _usage(tokens: Tokens) -> dict[str, Any]:
    return {
        "input_tokens": tokens.prompt,
        "input_tokens_details": {
            "cached_tokens": tokens.cache_read,
            "cache_write_tokens": tokens.cache_write,
        },
        "output_tokens": tokens.output,
        "output_tokens_details": {"reasoning_tokens": tokens.reasoning},
        "total_tokens": tokens.prompt + tokens.output,
    }


def _item(step: Step, voice: Voice, calls_follow: bool) -> dict[str, Any]:
    match step:
        case Think():
            identity = voice.server.draw("rs_", 32)
            shown = [{"type": "summary_text", "text": step.text}] if voice.summarises else []
            sealed = {"encrypted_content": voice.seal(identity)} if voice.seal else {}
            return {"id": identity, "type": "reasoning", "summary": shown, **sealed}
        case UseTool():
            return {
                "id": voice.server.draw("fc_", 32),
                "type": "function_call",
                "status": "completed",
                "call_id": step.id if step.id is not None else voice.server.draw("call_"),
                "name": step.name,
                "arguments": step.arguments,
            }
        case Say() | Decline():
            item: dict[str, Any] = {
                "id": voice.server.draw("msg_", 32),
                "type": "message",
                "status": "completed",
                "role": "assistant",
                "content": [_part(step)],
            }
            if voice.phases:
                item["phase"] = "commentary" if calls_follow else "final_answer"
            return item
        case OwnBlock(block):
            return block
        case RawFrame():
            raise ValueError("Raw frames are no items.")


def _part(step: Say | Decline) -> dict[str, Any]:
    if isinstance(step, Decline):
        return {"type": "refusal", "refusal": step.text}
    return {"type": "output_text", "text": step.text, "annotations": [], "logprobs": []}


def _item_events(step: Step, item: dict[str, Any], index: int) -> Iterator[Event]:
    at = {"item_id": item["id"], "output_index": index}
    hollow: Event
    match step:
        case Think():
            # The sealed thought grows until the item is done.
            hollow = {**item, "summary": []}
            if "encrypted_content" in item:
                hollow["encrypted_content"] = item["encrypted_content"][:20]
            inner = _summary_events(step, item, at)
        case UseTool():
            hollow = {**item, "status": "in_progress", "arguments": ""}
            inner = _call_events(step, at)
        case OwnBlock():
            hollow, inner = {**item, "status": "in_progress"}, iter(())
        case _:
            hollow = {**item, "status": "in_progress", "content": []}
            inner = _message_events(step, {**at, "content_index": 0})
    yield {"type": "response.output_item.added", "output_index": index, "item": hollow}
    yield from inner
    yield {"type": "response.output_item.done", "output_index": index, "item": item}


def _summary_events(step: Think, item: dict[str, Any], at: Event) -> Iterator[Event]:
    if not item["summary"]:
        return
    at = {**at, "summary_index": 0}
    empty = {"type": "summary_text", "text": ""}
    yield {"type": "response.reasoning_summary_part.added", **at, "part": empty}
    for piece in step.pieces:
        yield {"type": "response.reasoning_summary_text.delta", **at, "delta": piece}
    yield {"type": "response.reasoning_summary_text.done", **at, "text": step.text}
    yield {"type": "response.reasoning_summary_part.done", **at, "part": item["summary"][0]}


def _call_events(step: UseTool, at: Event) -> Iterator[Event]:
    for piece in step.pieces:
        yield {"type": "response.function_call_arguments.delta", **at, "delta": piece}
    done = {"name": step.name, "arguments": step.arguments}
    yield {"type": "response.function_call_arguments.done", **at, **done}


def _message_events(step: Step, at: Event) -> Iterator[Event]:
    if isinstance(step, Decline):
        empty: Event = {"type": "refusal", "refusal": ""}
        yield {"type": "response.content_part.added", **at, "part": empty}
        for piece in step.pieces:
            yield {"type": "response.refusal.delta", **at, "delta": piece}
        yield {"type": "response.refusal.done", **at, "refusal": step.text}
        yield {"type": "response.content_part.done", **at, "part": _part(step)}
    elif isinstance(step, Say):
        empty = {"type": "output_text", "text": "", "annotations": [], "logprobs": []}
        yield {"type": "response.content_part.added", **at, "part": empty}
        for piece in step.pieces:
            yield {"type": "response.output_text.delta", **at, "delta": piece, "logprobs": []}
        yield {"type": "response.output_text.done", **at, "text": step.text, "logprobs": []}
        yield {"type": "response.content_part.done", **at, "part": _part(step)}
