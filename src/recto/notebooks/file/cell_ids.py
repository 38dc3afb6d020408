"""Ids of cells that their file does not name: kept in memory, so that the file need not change."""

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from recto.notebooks.file.notebook import Notebook, name_cells, parse

MAX_COMPARED = 2000
"""Cells; in a longer notebook those at the same place are taken for the same."""


@dataclass(frozen=True, slots=True)
class NamedCells:
    """What the cells of a notebook were last, and how they were called."""

    versions: tuple[str, ...]
    ids: tuple[str, ...]


class CellIds:
    """Reads notebooks so that a cell keeps its id, whoever changed the file in between."""

    def __init__(self) -> None:
        self._known: dict[str, NamedCells] = {}

    def read(self, key: str, data: bytes) -> Notebook:
        """The notebook of a file, its cells called as before. Raises NotebookBroken."""
        notebook = parse(data)
        known = self._known.get(key)
        if known is not None:
            carried = carried_over(known, [cell.version for cell in notebook.cells])
            notebook = notebook.with_ids(name_cells(notebook.cells, carried))
        self.note(key, notebook)
        return notebook

    def known(self) -> tuple[str, ...]:
        """The notebooks whose cells are known."""
        return tuple(self._known)

    def follow_move(self, key: str, new: str) -> None:
        """A notebook has another path now."""
        if key in self._known:
            self._known[new] = self._known.pop(key)

    def note(self, key: str, notebook: Notebook) -> None:
        """Remember how the cells of a notebook are called now."""
        versions = tuple(cell.version for cell in notebook.cells)
        self._known[key] = NamedCells(versions, tuple(cell.id for cell in notebook.cells))


def carried_over(known: NamedCells, versions: Sequence[str]) -> list[str]:
    """The ids of cells by what they were: the same ones, then those between the same ones."""
    ids = [""] * len(versions)
    if max(len(versions), len(known.versions)) > MAX_COMPARED:
        for at, name in enumerate(known.ids[: len(ids)]):
            ids[at] = name
        return ids
    matcher = SequenceMatcher(None, known.versions, versions, autojunk=False)
    for _, old, old_end, new, new_end in matcher.get_opcodes():
        for offset in range(min(old_end - old, new_end - new)):
            ids[new + offset] = known.ids[old + offset]
    return ids
