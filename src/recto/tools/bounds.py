"""Answers too long for the room a model has left: head and tail, and a handle to the whole."""

from dataclasses import replace

from recto.messages import Image, Text, encodable
from recto.tools.tool import OutputStore, ToolOutcome

LEAST_ROOM = 400
HEAD_SHARE = 0.6
NOTICE_ROOM = 250


async def bounded(outcome: ToolOutcome, outputs: OutputStore, room: int) -> ToolOutcome:
    """The outcome with every text short enough; what was too long is kept whole."""
    parts: list[Text | Image] = []
    left = max(room, LEAST_ROOM)
    for part in outcome.content:
        if isinstance(part, Text):
            text = await shortened(encodable(part.text), outputs, max(left, LEAST_ROOM))
            left -= len(text)
            parts.append(Text(text))
        else:
            parts.append(part)
    return replace(outcome, content=tuple(parts))


async def shortened(text: str, outputs: OutputStore, room: int) -> str:
    """The text, or its head and tail around a notice that names the handle of the whole."""
    if len(text) <= room:
        return text
    handle = await outputs.keep(text)
    # The notice counts, too: the answer as a whole must fit.
    shown = room - NOTICE_ROOM
    head = cut_after_line(text[: int(shown * HEAD_SHARE)])
    tail = cut_before_line(text[len(text) - (shown - int(shown * HEAD_SHARE)) :])
    left_out = len(text) - len(head) - len(tail)
    notice = (
        f"[{left_out:,} of {len(text):,} characters are left out here. All is kept as {handle}: "
        "give that as the path to read_file (with start_line and end_line) or search_content.]"
    )
    return f"{head}\n{notice}\n{tail}"


def cut_after_line(text: str) -> str:
    """A beginning that ends with a whole line, unless that would lose most of it."""
    end = text.rfind("\n")
    return text[:end] if end > len(text) // 2 else text


def cut_before_line(text: str) -> str:
    """An end that begins with a whole line, unless that would lose most of it."""
    start = text.find("\n") + 1
    return text[start:] if 0 < start < len(text) // 2 else text
