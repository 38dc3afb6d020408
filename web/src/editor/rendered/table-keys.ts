/** Keys in a table: Tab, Enter and the arrows go from cell to cell. */
import { EditorSelection, Prec } from "@codemirror/state";
import { type Command, type EditorView, keymap } from "@codemirror/view";
import { type Cell, cellAt, neighbour, type Place, type Row, rowAt } from "./table";
import { TABLE_EVENT } from "./table-edit";

function inCell(run: (view: EditorView, place: Place) => boolean): Command {
  return (view) => {
    const { main, ranges } = view.state.selection;
    const place = ranges.length === 1 ? cellAt(view.state, main.head) : null;
    return place !== null && run(view, place);
  };
}

function select(view: EditorView, anchor: number, head = anchor): true {
  view.dispatch({ selection: EditorSelection.range(anchor, head), scrollIntoView: true, userEvent: "select" });
  return true;
}

function enter(view: EditorView, cell: Cell | undefined): true {
  return cell ? select(view, cell.start, cell.end) : true;
}

function next(view: EditorView, place: Place): boolean {
  const beside = place.cells[place.index + 1];
  if (beside) return enter(view, beside);
  const below = neighbour(view.state, place, true);
  return below ? enter(view, below.cells[0]) : addRow(view, place);
}

function previous(view: EditorView, place: Place): boolean {
  const beside = place.cells[place.index - 1];
  return enter(view, beside ?? neighbour(view.state, place, false)?.cells.at(-1));
}

/** Adds an empty row under the last one, as far indented, with as many cells as the head has. */
function addRow(view: EditorView, row: Row): boolean {
  const { state } = view;
  if (state.readOnly) return true;
  const header = row.table.getChild("TableHeader");
  const columns = (header && rowAt(state, header)?.cells.length) ?? row.cells.length;
  const line = state.doc.lineAt(row.node.from);
  const prefix = line.text.slice(0, row.node.from - line.from);
  const insert = `\n${prefix}|${"  |".repeat(columns)}`;
  const selection = EditorSelection.cursor(line.to + 1 + prefix.length + 2);
  view.dispatch({ changes: { from: line.to, insert }, selection, scrollIntoView: true, userEvent: TABLE_EVENT });
  return true;
}

/** Down a column; from the last row out of the table, on a new line if there is none. Behind a row that is written as its source the next one begins. */
function below(view: EditorView, place: Place): boolean {
  const row = neighbour(view.state, place, true);
  if (row) return enter(view, row.cells[place.index] ?? row.cells.at(-1));
  const { doc, readOnly, selection } = view.state;
  const line = doc.lineAt(place.node.to);
  const { head, empty } = selection.main;
  if (!readOnly && empty && head > place.cell.close && head === line.to) {
    const insert = `\n${line.text.slice(0, place.node.from - line.from)}`;
    view.dispatch({ changes: { from: head, insert }, selection: EditorSelection.cursor(head + insert.length), scrollIntoView: true, userEvent: TABLE_EVENT });
    return true;
  }
  if (line.number < doc.lines) return select(view, line.to + 1);
  if (readOnly) return true;
  view.dispatch({ changes: { from: line.to, insert: "\n\n" }, selection: EditorSelection.cursor(line.to + 2), scrollIntoView: true, userEvent: TABLE_EVENT });
  return true;
}

/** Up or down: first through the lines of a cell, then to the same column of the next row, then out. */
function vertical(forward: boolean): (view: EditorView, place: Place) => boolean {
  return (view, place) => {
    const { head, empty } = view.state.selection.main;
    if (!empty) return false;
    const inside = besideIn(view, place.cell, head, forward);
    if (inside !== null) return select(view, inside);
    const row = neighbour(view.state, place, forward);
    const cell = row && (row.cells[place.index] ?? row.cells.at(-1));
    if (cell) return select(view, Math.min(cell.end, cell.start + Math.max(0, head - place.cell.start)));
    const { doc } = view.state;
    const line = doc.lineAt(place.node.from);
    if (forward ? line.number < doc.lines : line.number > 1) return select(view, forward ? line.to + 1 : line.from - 1);
    return true;
  };
}

/** The place above or below in the same cell, if its text goes over several lines. */
function besideIn(view: EditorView, { start, end }: Cell, head: number, forward: boolean): number | null {
  const here = view.coordsAtPos(head);
  const edge = view.coordsAtPos(forward ? end : start);
  if (!here || !edge || (forward ? edge.top < here.bottom : edge.bottom > here.top)) return null;
  const half = (here.bottom - here.top) / 2;
  const at = view.posAtCoords({ x: here.left, y: forward ? here.bottom + half : here.top - half }, false);
  const inside = Math.min(end, Math.max(start, at));
  return (forward ? inside > head : inside < head) ? inside : null;
}

export const tableKeys = Prec.highest(
  keymap.of([
    { key: "Tab", run: inCell(next), shift: inCell(previous) },
    { key: "Enter", run: inCell(below) },
    { key: "ArrowDown", run: inCell(vertical(true)) },
    { key: "ArrowUp", run: inCell(vertical(false)) },
    { key: "Home", run: inCell((view, { cell }) => select(view, cell.start)) },
    { key: "End", run: inCell((view, { cell }) => select(view, cell.end)) },
  ]),
);
