"""The cells of a notebook as one text, which people and AI share, review and undo like any other.

Each cell is a head, `\\x1f` and its kind and id in one line, then its source and a line end. Edits
that meet may leave a head without its cell or words without a head: every text has its cells, and
nothing that was typed is in none of them. A cell that was moved stays where it is in the text, and
a line `\\x1fhere` with its id stands at its new place: whoever types in it meanwhile loses nothing.
`web/src/editor/notebook/cells-text.ts` reads the same.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import cast

from recto.notebooks.file.notebook import Cell, CellKind

MARK = "\x1f"
HEAD = re.compile(r"(code|markdown|raw)[a-z]* ([a-zA-Z0-9_-]{1,64})")
PLACE = re.compile(r"here ([a-zA-Z0-9_-]{1,64})")
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


@dataclass(frozen=True, slots=True)
class CellPlace:
    """Where a cell stands that was moved."""

    id: str


def joined_cells(cells: Iterable[CellText | Cell]) -> str:
    """Cells as one text."""
    return "".join(f"{MARK}{cell.kind} {cell.id}\n{cell.source}\n" for cell in cells)


def split_cells(text: str) -> tuple[CellText, ...]:
    """The cells of a text, in the order that people see."""
    pieces = pieces_of(text)
    cells = {piece.id: piece for piece in pieces if isinstance(piece, CellText)}
    return tuple(cells[piece.id] for piece in seen_at(pieces))


def seen_at(pieces: "Sequence[CellText | CellPlace]") -> "list[CellText | CellPlace]":
    """The pieces at which people see a cell: itself, or the place that it was moved to."""
    cells = {piece.id for piece in pieces if isinstance(piece, CellText)}
    moved = {piece.id for piece in pieces if isinstance(piece, CellPlace)}
    found: dict[str, CellText | CellPlace] = {}
    for piece in pieces:
        # Moved by two at once, a cell has two places: the first counts.
        if piece.id in cells and (piece.id not in moved or isinstance(piece, CellPlace)):
            found.setdefault(piece.id, piece)
    return list(found.values())


def laid_out(cells: Sequence[CellText | Cell], known: str) -> str:
    """Cells as one text: those of a known text stay where they are in it, if their order does."""
    pieces = pieces_of(known) if f"{MARK}here " in known else ()
    seen = {piece.id: piece for piece in seen_at(pieces)}
    wanted = {cell.id: cell for cell in cells}
    stay = [name for name in seen if name in wanted]
    if not stay or stay != [name for name in wanted if name in seen]:
        return joined_cells(cells)
    new: dict[str, list[CellText | Cell]] = {}
    following = iter([*stay, ""])
    before = next(following)
    for cell in cells:
        if cell.id == before:
            before = next(following)
        else:
            new.setdefault(before, []).append(cell)
    written: list[str] = []
    for piece in pieces:
        if seen.get(piece.id) is piece:
            written.append(joined_cells(new.get(piece.id, ())))
        if isinstance(piece, CellPlace):
            is_kept = piece.id in wanted and seen.get(piece.id) is piece
            written.append(f"{MARK}here {piece.id}\n" if is_kept else "")
        elif piece.id in wanted:
            written.append(joined_cells([wanted[piece.id]]))
    return "".join([*written, joined_cells(new.get("", ()))])


def pieces_of(text: str) -> "tuple[CellText | CellPlace, ...]":
    """What stands in a text, one after the other."""
    lead, *parts = text.split(MARK)
    pieces: list[CellText | CellPlace] = []
    used: set[str] = set()
    if lead.strip("\n"):
        pieces.append(CellText(unused(FOUND, used), "code", lead.removesuffix("\n")))
    at = len(lead) + 1
    for part in parts:
        head, _, rest = part.partition("\n")
        place = PLACE.fullmatch(head)
        if place is None:
            pieces.append(cell_of(part, at, used))
        else:
            pieces.append(CellPlace(place[1]))
            if rest.strip("\n"):  # words of a cell whose head went
                start = at + len(head) + 1
                source = rest.removesuffix("\n")
                pieces.append(CellText(unused(FOUND, used), "code", source, start))
        at += 1 + len(part)
    return tuple(pieces)


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
