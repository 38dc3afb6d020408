"""The cells that wait for their turn, each with the code that it had when somebody ran it."""

from collections.abc import Sequence
from dataclasses import dataclass

from recto.notebooks.failures import NoSuchCell, NotCode
from recto.notebooks.live.cells_text import CellText, is_runnable


@dataclass(frozen=True, slots=True)
class QueuedRun:
    """A cell that waits for its turn."""

    cell_id: str
    source: str


class RunQueue:
    """The queue of one notebook."""

    def __init__(self) -> None:
        self._runs: list[QueuedRun] = []

    def __bool__(self) -> bool:
        return bool(self._runs)

    @property
    def cell_ids(self) -> list[str]:
        """The cells that wait, the next one first."""
        return [run.cell_id for run in self._runs]

    def add(self, cells: Sequence[CellText], cell_ids: Sequence[str] | None) -> None:
        """Put cells behind those that wait; None: all. Raises NoSuchCell, NotCode."""
        wanted = chosen(cells, cell_ids)
        # Run twice before its turn, a cell runs once, with its newest code.
        again = {cell.id for cell in wanted}
        self._runs = [run for run in self._runs if run.cell_id not in again]
        self._runs += [QueuedRun(cell.id, cell.source) for cell in wanted]

    def next(self) -> QueuedRun:
        """The next one, which waits no more."""
        return self._runs.pop(0)

    def clear(self) -> None:
        """Nothing waits any more."""
        self._runs.clear()


def chosen(cells: Sequence[CellText], cell_ids: Sequence[str] | None) -> list[CellText]:
    """The cells among those that were asked for that can run. Raises NoSuchCell, NotCode."""
    if cell_ids is None:
        return [cell for cell in cells if is_runnable(cell)]
    known = {cell.id: cell for cell in cells}
    for cell_id in cell_ids:
        if cell_id not in known:
            raise NoSuchCell(cell_id)
    if len(cell_ids) == 1 and known[cell_ids[0]].kind != "code":
        raise NotCode(cell_ids[0])
    return [known[cell_id] for cell_id in cell_ids if is_runnable(known[cell_id])]
