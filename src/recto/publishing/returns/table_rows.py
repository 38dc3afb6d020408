"""Whole rows of a table of Markdown: taken out, and written below another one."""

import re
from collections.abc import Sequence

from recto.publishing.returns.blocks import lines_around
from recto.publishing.returns.source_edits import SourceEdit
from recto.publishing.returns.source_map import SourceMap
from recto.publishing.returns.writing import NoPlace

A_ROW = "a row or a column of a table, or part of one"
BELOW_HEAD = re.compile(r"[ \t]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*(?:\n|$)")
PIPE = re.compile(r"(?<!\\)\|")


def row_around(source: str, found: SourceMap) -> tuple[int, int]:
    """The line of a row. Raises NoPlace where it is no row with bars between its cells."""
    start, end = lines_around(source, found)
    if "\n" in source[start:end] or not PIPE.search(source, start, end):
        raise NoPlace(A_ROW)
    return start, end


def without_row(source: str, cells: Sequence[SourceMap | None]) -> SourceEdit:
    """A row that goes, with the end of its line. Raises NoPlace for the head of a table."""
    known = next((found for found in cells if found is not None), None)
    if known is None:
        raise NoPlace(A_ROW)
    start, end = row_around(source, known)
    if end >= len(source) or BELOW_HEAD.match(source, end + 1):
        raise NoPlace(A_ROW)
    return SourceEdit(start, end + 1, "")


def rows_below(source: str, above: SourceMap, rows: Sequence[Sequence[str]]) -> SourceEdit:
    """New rows below one, or below the line under the head. Raises NoPlace."""
    start, end = row_around(source, above)
    head = BELOW_HEAD.match(source, end + 1)
    if head is not None:
        end = head.end() - head[0].endswith("\n")
    outer = "|" if source[start:end].lstrip().startswith("|") else ""
    lines: list[str] = []
    for cells in rows:
        if any("\n" in cell for cell in cells):
            raise NoPlace(A_ROW)
        told = " | ".join(PIPE.sub(r"\\|", cell) for cell in cells)
        lines.append(f"| {told} |" if outer else told)
    return SourceEdit(end, end, "".join(f"\n{line}" for line in lines))
