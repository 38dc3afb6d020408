"""The cells of a live notebook in which edits of an AI wait for review."""

from recto.documents import LiveDocument
from recto.notebooks.live.cells_text import split_cells


def unreviewed_cells(document: LiveDocument) -> tuple[int, ...]:
    """Their numbers from 1, in the order that people see; only code runs, so only code counts."""
    hunks = document.hunks()
    return tuple(
        number
        for number, cell in enumerate(split_cells(document.text), 1)
        if cell.kind == "code"
        and any(hunk.start <= cell.end and hunk.end >= cell.start for hunk in hunks)
    )


def unreviewed_cell(document: LiveDocument, cell_id: str) -> int | None:
    """The number of a cell if it is one of them."""
    for number, cell in enumerate(split_cells(document.text), 1):
        if cell.id == cell_id and number in unreviewed_cells(document):
            return number
    return None
