"""The naive model of tracked text: one cell for each character there ever was."""

from dataclasses import dataclass

from recto.documents import Author, EditOrigin, Splice
from recto.documents.origins import BEFORE, author_of
from recto.documents.tracking.pieces import TrackedPieces


@dataclass
class Cell:
    """One character: who wrote it, whether it is in the text, and what edits did to it."""

    letter: str
    author: Author
    is_alive: bool = True
    added_by: str = ""
    removed_by: str = ""
    put_back: str = ""

    @property
    def is_reviewed(self) -> bool:
        return not self.added_by and (self.is_alive or bool(self.removed_by))


class Cells:
    """What tracked text must be, character by character."""

    def __init__(self, text: str) -> None:
        self.cells = [Cell(letter, BEFORE) for letter in text]

    @property
    def text(self) -> str:
        return "".join(cell.letter for cell in self.cells if cell.is_alive)

    @property
    def reviewed(self) -> str:
        return "".join(cell.letter for cell in self.cells if cell.is_reviewed)

    @property
    def shown(self) -> list[Cell]:
        """All that is in the text, or removed from it and not reviewed."""
        return [cell for cell in self.cells if cell.is_alive or cell.removed_by]

    @property
    def pending(self) -> frozenset[str]:
        alive = {cell.added_by for cell in self.cells if cell.is_alive}
        return frozenset(alive | {cell.removed_by for cell in self.cells}) - {""}

    def splice(self, splice: Splice, origin: EditOrigin) -> None:
        """An edit of one place."""
        alive = [cell for cell in self.cells if cell.is_alive]
        removed = alive[splice.start : splice.end]
        neighbours = removed or alive[: splice.start]
        place = self._index(neighbours[-1]) + 1 if neighbours else 0
        for cell in removed:
            remove(cell, origin)
        by = origin.name if origin.pending else ""
        author = author_of(origin)
        self.cells[place:place] = [Cell(item, author, added_by=by) for item in splice.new]

    def revive(self, letters: str) -> None:
        """An undo brings these characters back."""
        for cell in self.cells:
            if cell.letter in letters and not cell.is_alive:
                cell.is_alive, cell.put_back, cell.removed_by = True, cell.removed_by, ""

    def accept(self, edits: frozenset[str]) -> None:
        for cell in self.cells:
            cell.added_by = "" if cell.added_by in edits else cell.added_by
            cell.removed_by = "" if cell.removed_by in edits else cell.removed_by
            cell.put_back = "" if cell.put_back in edits else cell.put_back

    def reject(self, edits: frozenset[str]) -> None:
        for cell in self.cells:
            if cell.added_by in edits and (cell.is_alive or cell.removed_by):
                cell.is_alive, cell.removed_by, cell.put_back = False, "", ""
            elif cell.removed_by in edits:
                cell.is_alive, cell.put_back, cell.removed_by = True, cell.removed_by, ""

    def _index(self, wanted: Cell) -> int:
        return next(at for at, cell in enumerate(self.cells) if cell is wanted)


def remove(cell: Cell, origin: EditOrigin) -> None:
    """What becomes of a character that an edit takes out of the text."""
    cell.is_alive = False
    by = cell.put_back if origin.way == "undone" else origin.name if origin.pending else ""
    cell.removed_by = "" if by == cell.added_by else by
    cell.put_back = ""


def cells_of(tracked: TrackedPieces, text: str) -> list[Cell]:
    """What tracked text says, as cells: all but what is only remembered."""
    result: list[Cell] = []
    at = 0
    for piece in tracked.pieces:
        end = at if piece.words else at + piece.length
        letters = piece.words or text[at:end]
        at = end
        if not piece.is_gone:
            result += [
                Cell(
                    letter,
                    piece.author,
                    piece.is_alive,
                    piece.added_by,
                    piece.removed_by,
                    piece.put_back,
                )
                for letter in letters
            ]
    return result
