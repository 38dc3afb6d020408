"""Edits of a notebook: each answers a new one whose bytes differ only where they must."""

from collections.abc import Mapping, Sequence
from typing import Any, cast

from recto.notebooks.failures import CellChanged, LastCell
from recto.notebooks.file.json_spans import JsonItem, JsonMember
from recto.notebooks.file.layout import Layout, layout_of, margin_of, rewritten_array
from recto.notebooks.file.notebook import Cell, CellKind, Notebook, parse

SPLIT_TYPES = frozenset({"application/javascript", "image/svg+xml"})
CODE_ONLY = ("execution_count", "outputs")
TextEdit = tuple[int, int, str]
"""From, to, and what stands there afterwards."""


def check_version(notebook: Notebook, cell_id: str, version: str) -> Cell:
    """The cell, if it is as its editor has read it. Raises NoSuchCell, CellChanged."""
    cell = notebook.cell(cell_id)
    if cell.version != version:
        raise CellChanged(cell_id)
    return cell


def set_source(notebook: Notebook, cell_id: str, source: str) -> Notebook:
    """Another source. Lines that stay keep their spelling. Raises NoSuchCell, NotebookReadOnly."""
    notebook.check_writable()
    cell = notebook.cell(cell_id)
    if cell.source == source:
        return notebook
    member = cell.members["source"]
    layout = layout_of(notebook)
    if isinstance(member.value, str):
        written = layout.string(source)
    else:
        written = text_lines(notebook, layout, member, source)
    return changed(notebook, [(member.start, member.end, written)])


def set_kind(notebook: Notebook, cell_id: str, kind: CellKind) -> Notebook:
    """Another kind; what only the old kind has goes. Raises NoSuchCell, NotebookReadOnly."""
    notebook.check_writable()
    cell = notebook.cell(cell_id)
    if cell.kind == kind:
        return notebook
    type_member = cell.members["cell_type"]
    notebook = changed(notebook, [(type_member.start, type_member.end, f'"{kind}"')])
    for key in ("attachments",) if kind == "code" else CODE_ONLY:
        if key in notebook.cell(cell_id).members:
            notebook = changed(notebook, [without_member(notebook.cell(cell_id), key)])
    return set_outputs(notebook, cell_id, (), None) if kind == "code" else notebook


def set_outputs(
    notebook: Notebook,
    cell_id: str,
    outputs: Sequence[Mapping[str, Any]],
    execution_count: int | None,
) -> Notebook:
    """What a code cell answered, written as Jupyter would; outputs that stay keep their spelling.

    Raises NoSuchCell, NotebookReadOnly.
    """
    notebook.check_writable()
    cell = notebook.cell(cell_id)
    layout = layout_of(notebook)
    edits: list[TextEdit] = []
    count = layout.value(execution_count, "")
    member = cell.members.get("execution_count")
    if member is None:
        edits.append(new_member(notebook, layout, cell, "execution_count", count))
    elif member.value != execution_count:
        edits.append((member.start, member.end, count))
    edits += output_edits(notebook, layout, cell, outputs)
    return changed(notebook, edits)


def output_edits(
    notebook: Notebook, layout: Layout, cell: Cell, outputs: Sequence[Mapping[str, Any]]
) -> list[TextEdit]:
    """What has to change so that a cell has these outputs."""
    written = [in_file(output) for output in outputs]
    member = cell.members.get("outputs")
    if member is None:
        margin = member_margin(notebook, cell)
        item_margin = margin + (layout.indent or "")
        items = [layout.value(output, item_margin) for output in written]
        return [new_member(notebook, layout, cell, "outputs", layout.array(items, margin))]
    old = cast(list[JsonItem], member.value)
    if [item.value for item in old] == written:
        return []
    margin = margin_of(notebook.text, member.key_start)
    item_margin = margin + (layout.indent or "")
    items = [
        notebook.text[old[at].start : old[at].end]
        if at < len(old) and old[at].value == output
        else layout.value(output, item_margin)
        for at, output in enumerate(written)
    ]
    span = (member.start, member.end)
    array = rewritten_array(layout, notebook.text, span, old, items, margin)
    return [(member.start, member.end, array)]


def add_cell(notebook: Notebook, at: int, kind: CellKind, source: str, *, new_id: str) -> Notebook:
    """A new cell before the one that is at this place now. Raises NotebookReadOnly."""
    notebook.check_writable()
    layout = layout_of(notebook)
    cell: dict[str, Any] = {"cell_type": kind, "metadata": {}, "source": source.splitlines(True)}
    if kind == "code":
        cell |= {"execution_count": None, "outputs": []}
    if notebook.has_ids:
        cell["id"] = new_id
    written = layout.value(cell, cells_margin(notebook, layout))
    ids = [item.id for item in notebook.cells]
    return put(notebook, layout, at, written, [*ids[:at], new_id, *ids[at:]])


def delete_cell(notebook: Notebook, cell_id: str) -> Notebook:
    """The notebook without a cell. Raises NoSuchCell, LastCell, NotebookReadOnly."""
    notebook.check_writable()
    at = notebook.index(cell_id)
    if len(notebook.cells) == 1:
        raise LastCell
    return taken_out(notebook, at)


def move_cell(notebook: Notebook, cell_id: str, to: int) -> Notebook:
    """A cell at another place, counted from 0 without it. Raises NoSuchCell, NotebookReadOnly."""
    notebook.check_writable()
    at = notebook.index(cell_id)
    to = max(0, min(to, len(notebook.cells) - 1))
    if at == to:
        return notebook
    cell = notebook.cells[at]
    written = notebook.text[cell.start : cell.end]
    layout = layout_of(notebook)
    rest = taken_out(notebook, at)
    ids = [item.id for item in rest.cells]
    return put(rest, layout, to, written, [*ids[:to], cell_id, *ids[to:]])


def put(notebook: Notebook, layout: Layout, at: int, written: str, ids: Sequence[str]) -> Notebook:
    """A cell that is written already, before the one that is at this place now."""
    cells, text = list(notebook.cells), notebook.text
    array = notebook.members["cells"]
    if not cells:
        outer = margin_of(text, array.key_start)
        edit = (array.start, array.end, layout.array([written], outer))
        return changed(notebook, [edit], ids=ids)
    lead = text[array.start + 1 : cells[0].start]
    comma = text[cells[0].end : cells[1].start] if len(cells) > 1 else layout.separator(lead)
    if at >= len(cells):
        edit = (cells[-1].end, cells[-1].end, comma + written)
    else:
        edit = (cells[at].start, cells[at].start, written + comma)
    return changed(notebook, [edit], ids=ids)


def taken_out(notebook: Notebook, at: int) -> Notebook:
    """The notebook without the cell at a place, which is not the only one."""
    cells = notebook.cells
    ids = [cell.id for cell in cells if cell is not cells[at]]
    if at == 0:
        edit = (cells[0].start, cells[1].start, "")
    else:
        edit = (cells[at - 1].end, cells[at].end, "")
    return changed(notebook, [edit], ids=ids)


def text_lines(notebook: Notebook, layout: Layout, member: JsonMember, source: str) -> str:
    """A source in lines, as an array; a line that was there before is spelled as it was."""
    old = cast(list[JsonItem], member.value)
    spelled = {item.value: notebook.text[item.start : item.end] for item in old}
    lines = [spelled.get(line) or layout.string(line) for line in source.splitlines(True)]
    margin = margin_of(notebook.text, member.key_start)
    return rewritten_array(layout, notebook.text, (member.start, member.end), old, lines, margin)


def new_member(notebook: Notebook, layout: Layout, cell: Cell, key: str, value: str) -> TextEdit:
    """A member that a cell does not have yet, before the first one whose name sorts after it."""
    written = f'"{key}"{layout.colon}{value}'
    members = list(cell.members.values())
    text = notebook.text
    gap = text[members[0].end : members[1].key_start]
    for member in members:
        if member.key > key:
            return (member.key_start, member.key_start, written + gap)
    return (members[-1].end, members[-1].end, gap + written)


def without_member(cell: Cell, key: str) -> TextEdit:
    """A member taken out with the comma that belongs to it."""
    members = list(cell.members.values())
    at = [member.key for member in members].index(key)
    if at == 0:
        return (members[0].key_start, members[1].key_start, "")
    return (members[at - 1].end, members[at].end, "")


def member_margin(notebook: Notebook, cell: Cell) -> str:
    """Where the members of a cell begin in their lines."""
    first = next(iter(cell.members.values()))
    return margin_of(notebook.text, first.key_start)


def cells_margin(notebook: Notebook, layout: Layout) -> str:
    """Where cells begin in their lines."""
    if notebook.cells:
        return margin_of(notebook.text, notebook.cells[0].start)
    outer = margin_of(notebook.text, notebook.members["cells"].key_start)
    return outer + (layout.indent or "")


def in_file(output: Mapping[str, Any]) -> dict[str, Any]:
    """An output as files have it: long texts in lines."""
    written = dict(output)
    kind = written.get("output_type")
    if kind == "stream" and isinstance(written.get("text"), str):
        written["text"] = cast(str, written["text"]).splitlines(True)
    if kind in ("execute_result", "display_data") and isinstance(written.get("data"), dict):
        data = cast(dict[str, Any], written["data"])
        written["data"] = {name: in_lines(name, value) for name, value in data.items()}
    return written


def in_lines(media_type: str, value: Any) -> Any:
    """A value of an output, in lines if it is text that people may compare."""
    is_text = media_type.startswith("text/") or media_type in SPLIT_TYPES
    return value.splitlines(True) if is_text and isinstance(value, str) else value


def changed(
    notebook: Notebook, edits: Sequence[TextEdit], *, ids: Sequence[str] | None = None
) -> Notebook:
    """The notebook after some edits of its text, its cells named as before unless told."""
    if not edits:
        return notebook
    text = notebook.text
    # From the end: what is changed behind a place does not move it.
    for start, end, written in sorted(edits, reverse=True):
        text = text[:start] + written + text[end:]
    names = [cell.id for cell in notebook.cells] if ids is None else ids
    data = Notebook(text, notebook.has_bom, (), {}, 0, "").data
    return parse(data, ids=names)
