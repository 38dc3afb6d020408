"""The cells of a notebook as one text, which people and AI share, review and undo like any other.

Each cell is a head, `\\x1f` and its kind and id in one line, then its source and a line end. Edits
that meet may leave a head without its cell or words without a head: every text has its cells, and
nothing that was typed is in none of them. `web/src/editor/notebook/cells-text.ts` reads the same.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import cast

from recto.notebooks.file.notebook import Cell, CellKind

MARK = "\x1f"
HEAD = re.compile(r"(code|markdown|raw)[a-z]* ([a-zA-Z0-9_-]{1,64})")
FOUND = "found"
"""The id of a cell whose head is gone, while words that were typed in it are not."""


@dataclass(frozen=True, slots=True)
class CellText:
    """One cell as people edit it, and where its source stands in the shared text."""

    id: str
    kind: CellKind
    source: str
    start: int = 0

    @property
    def end(self) -> int:
        """Where its source ends."""
        return self.start + len(self.source)


def joined_cells(cells: Iterable[CellText | Cell]) -> str:
    """Cells as one text."""
    return "".join(f"{MARK}{cell.kind} {cell.id}\n{cell.source}\n" for cell in cells)


def split_cells(text: str) -> tuple[CellText, ...]:
    """The cells of a text."""
    lead, *parts = text.split(MARK)
    cells: list[CellText] = []
    used: set[str] = set()
    if lead.strip("\n"):
        cells.append(CellText(unused(FOUND, used), "code", lead.removesuffix("\n")))
    at = len(lead)
    for part in parts:
        cells.append(cell_of(part, at + 1, used))
        at += 1 + len(part)
    return tuple(cells)


def cell_of(part: str, at: int, used: set[str]) -> CellText:
    """The cell of what stands behind a mark."""
    head, line_end, body = part.partition("\n")
    found = HEAD.fullmatch(head)
    if found is None:
        return CellText(unused(FOUND, used), "code", part.removesuffix("\n"), at)
    kind, name = found.groups()
    start = at + len(head) + len(line_end)
    return CellText(unused(name, used), cast(CellKind, kind), body.removesuffix("\n"), start)


def unused(name: str, used: set[str]) -> str:
    """The name, or one like it that no cell before has."""
    found, number = name, 1
    while found in used:
        number += 1
        found = f"{name[:58]}-{number}"
    used.add(found)
    return found


def is_runnable(cell: CellText) -> bool:
    """Whether a cell has code to run."""
    return cell.kind == "code" and bool(cell.source.strip())
