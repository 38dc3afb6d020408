"""A notebook's file with other cells: those that stay keep their bytes, wherever they stand."""

import codecs
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from recto.notebooks.file.cell_ids import NamedCells, carried_over
from recto.notebooks.file.edits import (
    TextEdit,
    cells_margin,
    in_file,
    new_member,
    output_edits,
    put,
    set_kind,
    text_lines,
)
from recto.notebooks.file.layout import Layout, layout_of, margin_of
from recto.notebooks.file.notebook import Cell, CellKind, Notebook, name_cells, parse


class WantedCell(Protocol):
    """A cell as it shall be."""

    @property
    def id(self) -> str:
        """Its id."""
        ...

    @property
    def kind(self) -> CellKind:
        """Its kind."""
        ...

    @property
    def source(self) -> str:
        """Its source."""
        ...


@dataclass(frozen=True, slots=True)
class WantedOutputs:
    """What a code cell shall have answered."""

    outputs: Sequence[Mapping[str, Any]]
    execution_count: int | None


def arranged(
    notebook: Notebook,
    cells: Sequence[WantedCell],
    outputs: Mapping[str, WantedOutputs],
    removed: Mapping[str, str],
) -> str:
    """The text of the file with these cells. Raises NotebookReadOnly.

    `removed` is how cells were written that are not there now: one that comes back is as it was.
    """
    notebook = prepared(notebook, cells, removed)
    layout = layout_of(notebook)
    known = {cell.id: cell for cell in notebook.cells}
    written = [
        rewritten(notebook, layout, known[cell.id], cell, outputs.get(cell.id))
        if cell.id in known
        else new_cell(notebook, layout, cell, outputs.get(cell.id))
        for cell in cells
    ]
    return with_cells(notebook, layout, [cell.id for cell in cells], written)


def cells_as_in(notebook: Notebook, wanted: Notebook) -> Notebook:
    """The notebook with the cells of another one: all that is no cell's text stays as it is.

    Raises NotebookReadOnly.
    """
    known = NamedCells(
        tuple(cell.version for cell in notebook.cells), tuple(cell.id for cell in notebook.cells)
    )
    carried = carried_over(known, [cell.version for cell in wanted.cells])
    ids = name_cells(wanted.cells, carried)
    text = arranged(notebook, wanted.with_ids(ids).cells, {}, {})
    data = codecs.BOM_UTF8 + text.encode() if notebook.has_bom else text.encode()
    return parse(data, ids=ids)


def prepared(
    notebook: Notebook, cells: Sequence[WantedCell], removed: Mapping[str, str]
) -> Notebook:
    """The notebook with the cells that come back, each of the kind it shall have."""
    notebook.check_writable()
    known = {cell.id: cell.kind for cell in notebook.cells}
    for cell in cells:
        if cell.id not in known and cell.id in removed:
            ids = [*(item.id for item in notebook.cells), cell.id]
            at = len(notebook.cells)
            notebook = put(notebook, layout_of(notebook), at, removed[cell.id], ids)
            known[cell.id] = notebook.cells[-1].kind
        if cell.id in known and known[cell.id] != cell.kind:
            notebook = set_kind(notebook, cell.id, cell.kind)
    return notebook


def rewritten(
    notebook: Notebook,
    layout: Layout,
    cell: Cell,
    wanted: WantedCell,
    outputs: WantedOutputs | None,
) -> str:
    """A cell of the file as it shall be; what stays is spelled as it was."""
    edits: list[TextEdit] = []
    if cell.source != wanted.source:
        member = cell.members["source"]
        is_one = isinstance(member.value, str)
        source = (
            layout.string(wanted.source)
            if is_one
            else text_lines(notebook, layout, member, wanted.source)
        )
        edits.append((member.start, member.end, source))
    if outputs is not None and cell.kind == "code":
        edits += count_edits(notebook, layout, cell, outputs.execution_count)
        edits += output_edits(notebook, layout, cell, outputs.outputs)
    text = notebook.text[cell.start : cell.end]
    for start, end, new in sorted(edits, reverse=True):
        text = text[: start - cell.start] + new + text[end - cell.start :]
    return text


def count_edits(
    notebook: Notebook, layout: Layout, cell: Cell, execution_count: int | None
) -> list[TextEdit]:
    """What has to change so that a cell has this number."""
    count = layout.value(execution_count, "")
    member = cell.members.get("execution_count")
    if member is None:
        return [new_member(notebook, layout, cell, "execution_count", count)]
    return [] if member.value == execution_count else [(member.start, member.end, count)]


def new_cell(
    notebook: Notebook, layout: Layout, wanted: WantedCell, outputs: WantedOutputs | None
) -> str:
    """A cell that the file does not have yet."""
    cell: dict[str, Any] = {
        "cell_type": wanted.kind,
        "metadata": {},
        "source": wanted.source.splitlines(keepends=True),
    }
    if wanted.kind == "code":
        found = outputs or WantedOutputs((), None)
        cell |= {
            "execution_count": found.execution_count,
            "outputs": list(map(in_file, found.outputs)),
        }
    if notebook.has_ids:
        cell["id"] = wanted.id
    return layout.value(cell, cells_margin(notebook, layout))


def with_cells(
    notebook: Notebook, layout: Layout, ids: Sequence[str], written: Sequence[str]
) -> str:
    """The file's text with cells that are written already."""
    text, cells = notebook.text, notebook.cells
    array = notebook.members["cells"]
    if not cells or not written:
        new = layout.array(written, margin_of(text, array.key_start))
        return text[: array.start] + new + text[array.end :]
    lead, tail = text[array.start + 1 : cells[0].start], text[cells[-1].end : array.end - 1]
    # The space between two neighbours that stay neighbours is theirs.
    gaps = {
        (one.id, other.id): text[one.end : other.start]
        for one, other in zip(cells, cells[1:], strict=False)
    }
    usual = next(iter(gaps.values()), layout.separator(lead))
    joined = written[0] + "".join(
        gaps.get((before, name), usual) + piece
        for before, name, piece in zip(ids, ids[1:], written[1:], strict=False)
    )
    return f"{text[: array.start]}[{lead}{joined}{tail}]{text[array.end :]}"
