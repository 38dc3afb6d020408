"""Habits of compatible servers that differ from OpenAI: each turns a right stream into theirs."""

import copy
import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from tests.fakes.providers.provider import Frame
from tests.fakes.providers.shapes import inside, is_object, objects

Chunk = dict[str, Any]
Chunks = list[Chunk]


def _choice(chunk: Chunk) -> Chunk:
    found = objects(chunk.get("choices"))
    return found[0] if found else {}


def _delta(chunk: Chunk) -> Chunk:
    return inside(_choice(chunk), "delta")


def _fragments(chunks: Chunks) -> Chunks:
    return [item for chunk in chunks for item in objects(_delta(chunk).get("tool_calls"))]


def _finishing(chunks: Chunks) -> Chunks:
    return [_choice(chunk) for chunk in chunks if _choice(chunk).get("finish_reason")]


def _beside(chunk: Chunk, choices: Any) -> Chunk:
    return {**chunk, "choices": choices}


def choices_null(chunks: Chunks) -> Chunks:
    return [item for chunk in chunks for item in (_beside(chunk, None), chunk)]


def choices_missing(chunks: Chunks) -> Chunks:
    bare = [{k: v for k, v in chunk.items() if k != "choices"} for chunk in chunks[:1]]
    return [*bare, *chunks]


def choices_empty(chunks: Chunks) -> Chunks:
    return [item for chunk in chunks for item in (_beside(chunk, []), chunk)]


def delta_null(chunks: Chunks) -> Chunks:
    hollow = {"index": 0, "delta": None, "finish_reason": None}
    return [item for chunk in chunks for item in (_beside(chunk, [hollow]), chunk)]


def usage_every_chunk(chunks: Chunks) -> Chunks:
    final = next((chunk["usage"] for chunk in chunks if chunk.get("usage")), None)
    if final:
        for number, chunk in enumerate(chunks):
            share = final["completion_tokens"] * (number + 1) // len(chunks)
            total = final["prompt_tokens"] + share
            chunk["usage"] = {**final, "completion_tokens": share, "total_tokens": total}
    return chunks


def usage_on_finish(chunks: Chunks) -> Chunks:
    final = next((chunk["usage"] for chunk in chunks if chunk.get("usage")), None)
    kept = [chunk for chunk in chunks if chunk.get("choices")]
    for chunk in kept:
        if _choice(chunk).get("finish_reason"):
            chunk["usage"] = final
    return kept


def no_finish(chunks: Chunks) -> Chunks:
    for choice in _finishing(chunks):
        choice["finish_reason"] = None
    return chunks


def finish_stop(chunks: Chunks) -> Chunks:
    for choice in _finishing(chunks):
        choice["finish_reason"] = "stop"
    return chunks


def finish_empty(chunks: Chunks) -> Chunks:
    for choice in _finishing(chunks):
        choice["finish_reason"] = ""
    return chunks


def whole_call(chunks: Chunks) -> Chunks:
    opened: dict[int, Chunk] = {}
    kept: Chunks = []
    for chunk in chunks:
        fragments = objects(_delta(chunk).get("tool_calls"))
        later = [fragment for fragment in fragments if fragment["index"] in opened]
        for item in later:
            opened[item["index"]]["function"]["arguments"] += item["function"]["arguments"]
        opened |= {
            fragment["index"]: fragment for fragment in fragments if fragment["index"] not in opened
        }
        kept += [] if later else [chunk]
    return kept


def no_index(chunks: Chunks) -> Chunks:
    for _fragment in _fragments(chunks):
        del _fragment["index"]
    return chunks


def index_from_one(chunks: Chunks) -> Chunks:
    for _fragment in _fragments(chunks):
        _fragment["index"] += 1
    return chunks


def index_gap(chunks: Chunks) -> Chunks:
    for _fragment in _fragments(chunks):
        _fragment["index"] *= 3
    return chunks


def index_all_zero(chunks: Chunks) -> Chunks:
    chunks = whole_call(chunks)
    for _fragment in _fragments(chunks):
        _fragment["index"] = 0
    return chunks


def _first(chunks: Chunks, key: str) -> dict[int, str]:
    """The id or the name of each call, from the first piece that tells it."""
    told = [
        (_fragment["index"], {**_fragment["function"], **_fragment})
        for _fragment in _fragments(chunks)
    ]
    return {index: item[key] for index, item in reversed(told) if key in item}


def id_late(chunks: Chunks) -> Chunks:
    known = _first(chunks, "id")
    for _fragment in _fragments(chunks):
        if "id" in _fragment:
            del _fragment["id"]
        elif _fragment["index"] in known:
            _fragment["id"] = known.pop(_fragment["index"])
    return chunks


def id_missing(chunks: Chunks) -> Chunks:
    for _fragment in _fragments(chunks):
        _fragment.pop("id", None)
    return chunks


def id_repeated(chunks: Chunks) -> Chunks:
    known = _first(chunks, "id")
    for _fragment in _fragments(chunks):
        if _fragment["index"] in known:
            _fragment["id"] = known[_fragment["index"]]
    return chunks


def name_repeated(chunks: Chunks) -> Chunks:
    known = _first(chunks, "name")
    for _fragment in _fragments(chunks):
        _fragment["function"]["name"] = known[_fragment["index"]]
    return chunks


def odd_ids(chunks: Chunks) -> Chunks:
    for _fragment in _fragments(chunks):
        if "id" in _fragment:
            _fragment["id"] = f"functions.{_fragment['function']['name']}:{_fragment['index']}"
    return chunks


def arguments_object(chunks: Chunks) -> Chunks:
    chunks = whole_call(chunks)
    for _fragment in _fragments(chunks):
        _fragment["function"]["arguments"] = json.loads(_fragment["function"]["arguments"] or "{}")
    return chunks


def interleaved(chunks: Chunks) -> Chunks:
    """Pieces of several calls come in turns."""
    by_slot: dict[int, Chunks] = {}
    for chunk in chunks:
        for item in objects(_delta(chunk).get("tool_calls")):
            by_slot.setdefault(item["index"], []).append(chunk)
    rows = list(by_slot.values())
    longest = max((len(row) for row in rows), default=0)
    mixed = [row[at] for at in range(longest) for row in rows if at < len(row)]
    first = next((n for n, chunk in enumerate(chunks) if _delta(chunk).get("tool_calls")), 0)
    rest = [chunk for chunk in chunks if not _delta(chunk).get("tool_calls")]
    return [*rest[:first], *mixed, *rest[first:]]


def content_parts(chunks: Chunks) -> Chunks:
    for chunk in chunks:
        delta = _delta(chunk)
        if delta.get("content"):
            delta["content"] = [{"type": "text", "text": delta["content"]}]
    return chunks


def content_null(chunks: Chunks) -> Chunks:
    for chunk in chunks:
        if is_object(_choice(chunk).get("delta")) and not _delta(chunk).get("content"):
            _delta(chunk)["content"] = None
    return chunks


def both_reasonings(chunks: Chunks) -> Chunks:
    for chunk in chunks:
        delta = _delta(chunk)
        told = delta.get("reasoning") or delta.get("reasoning_content")
        if told:
            delta |= {"reasoning": told, "reasoning_content": told}
    return chunks


def think_tags(chunks: Chunks) -> Chunks:
    """Reasoning comes as words between one pair of tags, cut inside the tags."""
    told: Chunks = []
    is_open = False
    for chunk in chunks:
        delta = _delta(chunk)
        thoughts = [delta.pop(name, None) for name in ("reasoning", "reasoning_content")]
        words = thoughts[0] or thoughts[1]
        pieces = ([] if is_open else ["<thi", "nk>"]) + [words] if words else []
        if is_open and not words and (delta or _choice(chunk).get("finish_reason")):
            pieces = ["</th", "ink>"]
        for piece in pieces:
            copied = copy.deepcopy(chunk)
            _choice(copied).update(delta={"content": piece}, finish_reason=None)
            told.append(copied)
        is_open = bool(words) or (is_open and not pieces)
        if not words:
            told.append(chunk)
    return told


def thought_signature(chunks: Chunks) -> Chunks:
    for _fragment in _fragments(chunks):
        if "id" in _fragment:
            _fragment["extra_content"] = {"google": {"thought_signature": f"sig-{_fragment['id']}"}}
    return chunks


def two_choices(chunks: Chunks) -> Chunks:
    for chunk in chunks:
        if chunk.get("choices"):
            chunk["choices"].append({"index": 1, "delta": {"content": "no"}, "finish_reason": None})
    return chunks


TRAPS: dict[str, Callable[[Chunks], Chunks]] = {
    trap.__name__: trap
    for trap in (
        choices_null,
        choices_missing,
        choices_empty,
        delta_null,
        usage_every_chunk,
        usage_on_finish,
        no_finish,
        finish_stop,
        finish_empty,
        odd_ids,
        interleaved,
        id_late,
        id_missing,
        id_repeated,
        name_repeated,
        thought_signature,
        whole_call,
        index_from_one,
        index_gap,
        index_all_zero,
        arguments_object,
        no_index,
        content_parts,
        content_null,
        both_reasonings,
        think_tags,
        two_choices,
    )
}
"""By name, in the order they are sprung. `no_done` is one more: the stream ends without [DONE]."""


def spring(frames: list[Frame], names: frozenset[str]) -> list[Frame]:
    """A stream with these habits."""
    unknown = names - set(TRAPS) - {"no_done"}
    if unknown:
        raise ValueError(f"No such traps: {sorted(unknown)}. There are: {', '.join(TRAPS)}.")
    if "no_done" in names:
        frames = [frame for frame in frames if frame.data != "[DONE]"]
    wanted = [trap for name, trap in TRAPS.items() if name in names]
    if not wanted:
        return frames
    raws = [frame for frame in frames if not is_object(frame.data)]
    chunks = [copy.deepcopy(frame.data) for frame in frames if is_object(frame.data)]
    for trap in wanted:
        chunks = trap(chunks)
    told = [Frame(chunk, terminal=bool(_finishing([chunk]))) for chunk in chunks]
    told = [replace(frame, words=bool(_delta(frame.data).get("content"))) for frame in told]
    return [*told, *raws]
