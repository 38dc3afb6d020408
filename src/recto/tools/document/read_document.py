"""read_document: the open document, whole or by lines, as people see it now."""

from collections.abc import Sequence
from functools import partial
from typing import Annotated

from msgspec import Meta

from recto.tools.document.target import DocumentSnapshot, DocumentTarget, counted, look
from recto.tools.schema import Arguments, parameters_of
from recto.tools.tool import Declaration, Tool, ToolContext, ToolFailure, ToolOutcome, said

MOST = 8_000
"""The most characters of an answer."""
NOTICE_ROOM = 250


class ReadDocument(Arguments, frozen=True):
    """Which lines to read."""

    start_line: Annotated[
        Annotated[int, Meta(ge=1)] | None, Meta(description="The first line to read, from 1.")
    ] = None
    end_line: Annotated[
        Annotated[int, Meta(ge=1)] | None, Meta(description="The last line to read.")
    ] = None


async def run(aim: DocumentTarget, asked: ReadDocument, context: ToolContext) -> ToolOutcome:
    """Read it."""
    seen = await look(aim, context)
    lines = seen.lines
    header = header_of(aim, seen)
    if not lines:
        return said(f"{header}\nIt is empty.", fact="empty")
    start, end = asked.start_line or 1, asked.end_line or len(lines)
    if start > len(lines) or end < start:
        raise ToolFailure(f"{header} There are no lines {start} to {end}.")
    room = min(MOST, context.room) - len(header) - NOTICE_ROOM
    shown, notice = pages(lines, start, min(end, len(lines)), room)
    return said("\n".join([header, *shown, *notice]), fact=counted(len(shown), "line"))


def header_of(aim: DocumentTarget, seen: DocumentSnapshot) -> str:
    """The document in one line."""
    return f'"{aim.path}": {counted(len(seen.lines), "line")}, {counted(seen.words, "word")}.'


def pages(lines: Sequence[str], start: int, last: int, room: int) -> tuple[list[str], list[str]]:
    """Numbered lines, as many as there is room for, and what is to be said below them."""
    shown: list[str] = []
    width = len(str(last))
    for number in range(start, last + 1):
        line = f"{number:>{width}}\t{lines[number - 1]}"
        if len(line) > room:
            return (shown, [read_on(number, len(lines))]) if shown else cut(line, number, room)
        shown.append(line)
        room -= len(line) + 1
    is_all = start == 1 and last == len(lines)
    return shown, [] if is_all else [f"[Lines {start} to {last} of {len(lines):,}.]"]


def cut(line: str, number: int, room: int) -> tuple[list[str], list[str]]:
    """As much of a line as fits that is longer than an answer may be."""
    more = len(line) - room
    told = (
        f"[Line {number} has {more:,} more characters: find places in them with search_document. "
        f"The next line is start_line {number + 1}.]"
    )
    return [line[:room]], [told]


def read_on(number: int, of: int) -> str:
    """How to get the rest."""
    return f"[Cut before line {number:,} of {of:,}. Read on with start_line {number}.]"


DECLARATION = Declaration(
    name="read_document",
    title="Read the open document, whole or by lines",
    description=(
        "Read the open document as it is at this moment, with what the user has just typed. It "
        "comes as numbered lines (the number and the tab are not part of the text) below a line "
        "with its name and size. A long one is cut, and the end says with which start_line to read "
        "on."
    ),
    parameters=parameters_of(ReadDocument),
    group="workspace",
    changes=False,
    doing="Reading",
    done="Read",
    rules_of="read_file",
)


def read_document(aim: DocumentTarget) -> Tool:
    """The tool, for one document."""
    return Tool(DECLARATION, partial(run, aim), ReadDocument, touches=lambda _: (aim.path,))
