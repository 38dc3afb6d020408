"""Oddities of Anthropic streams: legal ones that break naive readers, and contradictions."""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from tests.fakes.providers.provider import Frame
from tests.fakes.providers.shapes import inside, is_object

Frames = list[Frame]


def _kind(frame: Frame) -> str:
    return str(frame.data.get("type")) if is_object(frame.data) else ""


def _delta(frame: Frame) -> dict[str, Any]:
    return inside(frame.data, "delta")


def _block(frame: Frame) -> dict[str, Any]:
    return inside(frame.data, "content_block")


def text_in_start(frames: Frames) -> Frames:
    """The first piece of each text stands in its content_block_start."""
    told: Frames = []
    for frame in frames:
        before = _block(told[-1]) if told else {}
        if _delta(frame).get("type") == "text_delta" and before.get("text") == "":
            before["text"] = _delta(frame)["text"]
        else:
            told.append(frame)
    return told


def input_in_start(frames: Frames) -> Frames:
    """The whole input stands in content_block_start, and no pieces follow."""
    told: Frames = []
    pieces: dict[int, str] = {}
    blocks: dict[int, dict[str, Any]] = {}
    for frame in frames:
        if _delta(frame).get("type") == "input_json_delta":
            index = frame.data["index"]
            pieces[index] = pieces.get(index, "") + _delta(frame)["partial_json"]
            continue
        if _block(frame).get("type") == "tool_use":
            blocks[frame.data["index"]] = _block(frame)
        told.append(frame)
    for index, block in blocks.items():
        block["input"] = json.loads(pieces.get(index) or "{}")
    return told


def signature_twice(frames: Frames) -> Frames:
    """An earlier signature is replaced by the last one."""
    told: Frames = []
    for frame in frames:
        if _delta(frame).get("type") == "signature_delta":
            early = {**frame.data, "delta": {"type": "signature_delta", "signature": "early"}}
            told.append(replace(frame, data=early))
        told.append(frame)
    return told


def delta_twice(frames: Frames) -> Frames:
    """message_delta comes twice; the first has no reason yet."""
    told: Frames = []
    for frame in frames:
        if _kind(frame) == "message_delta":
            early = {**frame.data, "delta": {"stop_reason": None, "stop_sequence": None}}
            told.append(replace(frame, data=early))
        told.append(frame)
    return told


def unknown_kinds(frames: Frames) -> Frames:
    """Unknown events, and deltas of an unknown kind."""
    told: Frames = []
    for frame in frames:
        if _kind(frame) == "content_block_delta":
            new = {**frame.data, "delta": {"type": "new_delta", "new": 1}}
            told.append(replace(frame, data=new))
        told += [frame, Frame({"type": "new_event", "new": 1}, "new_event")]
    return told


def interleaved(frames: Frames) -> Frames:
    """All blocks are open at once, and their pieces come in turns."""
    by_index: dict[int, Frames] = {}
    inner = [frame for frame in frames if is_object(frame.data) and "index" in frame.data]
    for frame in inner:
        by_index.setdefault(frame.data["index"], []).append(frame)
    rows = list(by_index.values())
    longest = max((len(row) for row in rows), default=0)
    mixed = [row[at] for at in range(longest) for row in rows if at < len(row)]
    rest = [frame for frame in frames if frame not in inner]
    return [*rest[:1], *mixed, *rest[1:]]


def index_gap(frames: Frames) -> Frames:
    """Blocks are numbered with gaps."""
    return _renumbered(frames, lambda index: index * 2)


def index_same(frames: Frames) -> Frames:
    """All blocks say they are the first."""
    return _renumbered(frames, lambda _: 0)


def _renumbered(frames: Frames, number: Callable[[int], int]) -> Frames:
    return [
        replace(frame, data={**frame.data, "index": number(frame.data["index"])})
        if is_object(frame.data) and "index" in frame.data
        else frame
        for frame in frames
    ]


TRAPS: dict[str, Callable[[Frames], Frames]] = {
    trap.__name__: trap
    for trap in (
        text_in_start,
        input_in_start,
        signature_twice,
        delta_twice,
        unknown_kinds,
        interleaved,
        index_gap,
        index_same,
    )
}


def spring(frames: Frames, names: frozenset[str]) -> Frames:
    """A stream with these oddities."""
    unknown = names - set(TRAPS)
    if unknown:
        raise ValueError(f"No such traps: {sorted(unknown)}. There are: {', '.join(TRAPS)}.")
    for name, trap in TRAPS.items():
        frames = trap(frames) if name in names else frames
    return frames
