"""A script as Gemini tells it: the chunks of a stream, or one response."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from tests.fakes.providers.gemini_turns import Signer
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

STOPS = {
    "end": "STOP",
    "tool": "STOP",
    "length": "MAX_TOKENS",
    "filtered": "SAFETY",
    "refusal": "PROHIBITED_CONTENT",
}
TRAPS = frozenset({"array", "no_ids", "calls_together", "usage_only", "no_parts", "args_missing"})
Part = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Voice:
    """Who speaks: the server that draws ids, the model, its signer, what it shows and reports."""

    server: Provider
    model: str
    signer: Signer
    shows_thoughts: bool
    gives_ids: bool
    usage: Tokens | None
    traps: frozenset[str]
    token: str | None = None
    """What the answer can be continued by."""


def frames_of(script: Script, voice: Voice) -> list[Frame]:
    """The stream: text in increments, calls whole, usage on every chunk, no end marker."""
    unknown = voice.traps - TRAPS
    if unknown:
        raise ValueError(f"No such traps: {sorted(unknown)}. There are: {sorted(TRAPS)}.")
    shell = _shell(voice)
    blocked = blocked_by(script)
    if blocked:
        return [Frame({**_usage(voice, 0), **shell, "promptFeedback": {"blockReason": blocked}})]
    frames: list[Frame] = []
    groups = list(_groups(script, voice))
    for parts in groups:
        if isinstance(parts, RawFrame):
            frames.append(raw_frame(parts))
            continue
        told = {"candidates": [_candidate(parts)], **_usage(voice, 0.5), **shell}
        words = any("text" in part and not part.get("thought") for part in parts)
        frames.append(Frame(told, words=words))
    last = _candidate([_last_part(script, voice)]) | _ending(script, voice)
    if "no_parts" in voice.traps:
        last = {**last, "content": {"role": "model"}}
    if "usage_only" in voice.traps:
        frames.append(Frame({**_usage(voice, 0.5), **shell}))
    final = {"candidates": [last], **_usage(voice, 1), **shell}
    return [*frames, Frame(final, terminal=True)]


def response_of(script: Script, voice: Voice) -> dict[str, Any]:
    """The same answer, not streamed."""
    blocked = blocked_by(script)
    told = {**_usage(voice, 1), **_shell(voice)}
    if blocked:
        return {**told, "promptFeedback": {"blockReason": blocked}}
    parts = _parts(script, voice)
    if parts and "text" in parts[-1] and voice.signer.row.needs_signatures:
        parts[-1]["thoughtSignature"] = voice.signer.sign(parts[-1])
    return {"candidates": [_candidate(parts) | _ending(script, voice)], **told}


def blocked_by(script: Script) -> str | None:
    """Why the prompt is blocked, scripted as `prompt:SAFETY`."""
    kind, _, reason = (script.stop or "").partition(":")
    return reason if kind == "prompt" else None


def _parts(script: Script, voice: Voice) -> list[Part]:
    told: list[Part] = []
    for step in script.steps:
        told += [] if isinstance(step, RawFrame) else _step_parts(step, voice, whole=True)
    _sign_first_call(told, voice)
    return told


def _groups(script: Script, voice: Voice) -> Iterator[list[Part] | RawFrame]:
    """The parts of each chunk."""
    every = [
        step if isinstance(step, RawFrame) else _step_parts(step, voice, whole=False)
        for step in script.steps
    ]
    flat = [part for group in every if not isinstance(group, RawFrame) for part in group]
    _sign_first_call(flat, voice)
    together = "calls_together" in voice.traps
    for group in every:
        if isinstance(group, RawFrame):
            yield group
            continue
        yield from ([part] for part in group if not (together and "functionCall" in part))
    if together and any("functionCall" in part for part in flat):
        yield [part for part in flat if "functionCall" in part]


def _step_parts(step: Step, voice: Voice, *, whole: bool) -> list[Part]:
    match step:
        case Think():
            pieces = (step.text,) if whole else step.pieces
            return [{"text": piece, "thought": True} for piece in pieces if voice.shows_thoughts]
        case Say() | Decline():
            return [{"text": item} for item in ((step.text,) if whole else step.pieces)]
        case UseTool():
            return [] if step.parsed is None else [_call(step, step.parsed, voice)]
        case RawFrame() | OwnBlock():
            return []


def _call(step: UseTool, arguments: dict[str, Any], voice: Voice) -> Part:
    call: dict[str, Any] = {"name": step.name, "args": arguments}
    if not arguments and "args_missing" in voice.traps:
        del call["args"]
    if step.id is not None:
        call["id"] = step.id
    elif voice.gives_ids and "no_ids" not in voice.traps:
        call["id"] = voice.server.draw("", 8)
    return {"functionCall": call}


def _sign_first_call(parts: list[Part], voice: Voice) -> None:
    first = next((part for part in parts if "functionCall" in part), None)
    if first and voice.signer.row.needs_signatures:
        first["thoughtSignature"] = voice.signer.sign(first)


def _last_part(script: Script, voice: Voice) -> Part:
    part: Part = {"text": ""}
    if voice.signer.row.needs_signatures and not script.calls_tools:
        part["thoughtSignature"] = voice.signer.sign(part)
    return part


def _candidate(parts: list[Part]) -> dict[str, Any]:
    return {"content": {"role": "model", "parts": parts}, "index": 0}


def _ending(script: Script, voice: Voice) -> dict[str, Any]:
    broken = any(isinstance(step, UseTool) and step.parsed is None for step in script.steps)
    if broken and script.stop is None:
        told = "Malformed function call: call(" + script.steps[-1].__class__.__name__
        return {"finishReason": "MALFORMED_FUNCTION_CALL", "finishMessage": told}
    stop = script.stop or "end"
    token = {"continuationToken": voice.token} if voice.token else {}
    return {"finishReason": STOPS.get(stop, stop), **token}


def _usage(voice: Voice, share: float) -> dict[str, Any]:
    tokens = voice.usage
    if tokens is None:
        return {}
    thoughts = tokens.reasoning
    answered = int((tokens.output - thoughts) * share)
    told: dict[str, Any] = {"promptTokenCount": tokens.prompt}
    if answered:
        told["candidatesTokenCount"] = answered
    if thoughts:
        told["thoughtsTokenCount"] = thoughts
    if tokens.cache_read:
        told["cachedContentTokenCount"] = tokens.cache_read
    told["totalTokenCount"] = tokens.prompt + answered + thoughts
    told["promptTokensDetails"] = [{"modality": "TEXT", "tokenCount": tokens.prompt}]
    return {"usageMetadata": told}


def _shell(voice: Voice) -> dict[str, Any]:
    return {"modelVersion": voice.model, "responseId": voice.server.draw("", 22)}
