"""Answers too long for the room a model has left: head and tail or a summary, and a handle to the whole."""  # noqa: E501

from dataclasses import replace

from recto.messages import Image, Text, encodable
from recto.tools.tool import (
    OutputStore,
    OutputSummary,
    ShortenedOutput,
    Summarise,
    ToolOutcome,
)

LEAST_ROOM = 400
HEAD_SHARE = 0.6
NOTICE_ROOM = 250
MAX_WHY = 120


async def bounded(
    outcome: ToolOutcome, outputs: OutputStore, room: int, summarise: Summarise | None = None
) -> ToolOutcome:
    """The outcome with every text short enough; what was too long is kept whole."""
    parts: list[Text | Image] = []
    left = max(room, LEAST_ROOM)
    how: ShortenedOutput | None = None
    for part in outcome.content:
        if isinstance(part, Text):
            text, cut = await fitted(
                encodable(part.text), outputs, max(left, LEAST_ROOM), summarise
            )
            left -= len(text)
            how = how or cut
            parts.append(Text(text))
        else:
            parts.append(part)
    return replace(outcome, content=tuple(parts), shortened=how)


async def shortened(text: str, outputs: OutputStore, room: int) -> str:
    """The text, or its head and tail around a notice that names the handle of the whole."""
    return (await fitted(text, outputs, room, None))[0]


async def fitted(
    text: str, outputs: OutputStore, room: int, summarise: Summarise | None
) -> tuple[str, ShortenedOutput | None]:
    """The text in the room there is, and how it was made shorter if it had to be."""
    if len(text) <= room:
        return text, None
    # Kept before anybody is asked: whatever becomes of the summary, all of it can be read.
    handle = await outputs.keep(text)
    made = None if summarise is None else await summarise(text)
    if isinstance(made, OutputSummary):
        cut = ShortenedOutput(handle, len(text), made.model_name, made.cost_micros)
        return as_summary(made, handle, len(text), room), cut
    why = "" if made is None else f" It could not be summarised: {made}"
    return head_and_tail(text, room, handle, why[:MAX_WHY]), ShortenedOutput(handle, len(text))


def as_summary(made: OutputSummary, handle: str, characters: int, room: int) -> str:
    """A summary behind a notice that says what it is, and where the whole is."""
    notice = (
        f"[A summary by {made.model_name} of {characters:,} characters. All is kept as {handle}: "
        "give that as the path to read_file (with start_line and end_line) or search_content "
        "before you quote or rely on details.]"
    )
    return f"{notice}\n{made.text}"[:room]


def head_and_tail(text: str, room: int, handle: str, why: str) -> str:
    """The head and tail of a text around a notice that names the handle of the whole."""
    # The notice counts, too: the answer as a whole must fit.
    shown = room - NOTICE_ROOM - len(why)
    head = cut_after_line(text[: int(shown * HEAD_SHARE)])
    tail = cut_before_line(text[len(text) - (shown - int(shown * HEAD_SHARE)) :])
    left_out = len(text) - len(head) - len(tail)
    notice = (
        f"[{left_out:,} of {len(text):,} characters are left out here. All is kept as {handle}: "
        "give that as the path to read_file (with start_line and end_line) or search_content."
        f"{why}]"
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
