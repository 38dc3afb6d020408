"""Habits of servers that speak Responses almost as OpenAI does."""

from collections.abc import Callable
from dataclasses import replace

from tests.fakes.providers.provider import Frame
from tests.fakes.providers.shapes import is_object

Frames = list[Frame]


def done_only(frames: Frames) -> Frames:
    """No pieces, only what is done."""
    return [frame for frame in frames if not (frame.event or "").endswith(".delta")]


def empty_output(frames: Frames) -> Frames:
    """The terminal response holds no items."""
    return [
        replace(f, data={**f.data, "response": {**f.data["response"], "output": []}})
        if f.terminal
        else f
        for f in frames
    ]


def trailing_done(frames: Frames) -> Frames:
    """[DONE] follows the end."""
    return [*frames, Frame("[DONE]")]


def changing_ids(frames: Frames) -> Frames:
    """Every event names its item differently."""
    return [
        replace(frame, data={**frame.data, "item_id": f"{frame.data['item_id']}_{number}"})
        if is_object(frame.data) and "item_id" in frame.data
        else frame
        for number, frame in enumerate(frames)
    ]


def unknown_kinds(frames: Frames) -> Frames:
    """Events nobody knows."""
    new = Frame(
        {"type": "response.new.thing", "sequence_number": 0, "new": 1}, "response.new.thing"
    )
    return [item for frame in frames for item in (new, frame)]


TRAPS: dict[str, Callable[[Frames], Frames]] = {
    trap.__name__: trap
    for trap in (done_only, empty_output, trailing_done, changing_ids, unknown_kinds)
}


def spring(frames: Frames, names: frozenset[str]) -> Frames:
    """A stream with these habits."""
    unknown = names - set(TRAPS)
    if unknown:
        raise ValueError(f"No such traps: {sorted(unknown)}. There are: {', '.join(TRAPS)}.")
    for name, trap in TRAPS.items():
        frames = trap(frames) if name in names else frames
    return frames
