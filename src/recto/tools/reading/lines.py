"""A text in numbered lines, as much as there is room for, and how to read on."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

LINE_END = re.compile(r"\r\n|\n|\r")
MAX_LINE = 2000
NOTICE_ROOM = 200


@dataclass(frozen=True, slots=True)
class NumberedLines:
    """Numbered lines, and how many of them."""

    text: str
    count: int


def split_lines(text: str) -> list[str]:
    """The lines without their ends; a final line end begins no new line."""
    lines = LINE_END.split(text)
    return lines[:-1] if lines[-1] == "" else lines


def show(
    lines: Sequence[str], *, start: int, end: int | None, room: int, max_line: int = MAX_LINE
) -> NumberedLines:
    """The lines from `start` to `end`, both counted from 1, as far as there is room."""
    last = min(len(lines), end or len(lines))
    shown: list[str] = []
    left = room - NOTICE_ROOM
    for number in range(start, last + 1):
        line = numbered(number, lines[number - 1], last, max_line)
        left -= len(line) + 1
        if left < 0 and shown:
            break
        shown.append(line)
    return NumberedLines("\n".join([*shown, *notice(lines, start, len(shown), last)]), len(shown))


def numbered(number: int, line: str, last: int, max_line: int = MAX_LINE) -> str:
    """A line behind its number; what is too long of it is cut, and said."""
    if len(line) > max_line:
        line = f"{line[:max_line]} [{len(line) - max_line:,} more characters in this line]"
    return f"{number:>{len(str(last))}}\t{line}"


def notice(lines: Sequence[str], start: int, count: int, last: int) -> list[str]:
    """What is said below lines that are not all there are."""
    reached = start + count - 1
    if reached < last:
        return [
            f"[Lines {start} to {reached} of {len(lines):,}, as many as fit. "
            f"Read on with start_line {reached + 1}.]"
        ]
    if start > 1 or reached < len(lines):
        return [f"[Lines {start} to {reached} of {len(lines):,}.]"]
    return []
