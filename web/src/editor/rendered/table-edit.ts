/** Keeps edits inside cells: what is typed or pasted can't break the table, and deleting stops at the border of a cell. */
import { EditorSelection, EditorState, Transaction, type TransactionSpec } from "@codemirror/state";
import { type Cell, cellAt, neighbour, type Place, type Row, rowAt } from "./table";

interface Change {
  readonly from: number;
  readonly to: number;
  readonly insert: string;
}

/** The userEvent of changes that are meant to change the table itself. */
export const TABLE_EVENT = "input.table";

export const tableGuard = EditorState.transactionFilter.of((transaction) => {
  const { startState: state } = transaction;
  const concerned = transaction.docChanged && (transaction.isUserEvent("input") || transaction.isUserEvent("delete")) && !transaction.isUserEvent(TABLE_EVENT);
  const change = concerned && state.selection.ranges.length === 1 ? onlyChange(transaction) : null;
  const spec = change && fitted(state, change);
  if (!spec) return transaction;
  // What else was to happen still does, and what was pasted stays pasted.
  const userEvent = spec.changes ? transaction.annotation(Transaction.userEvent) : undefined;
  return { ...spec, effects: transaction.effects, ...(userEvent === undefined ? {} : { userEvent }) };
});

function onlyChange(transaction: Transaction): Change | null {
  const changes: Change[] = [];
  transaction.changes.iterChanges((from, to, _fromB, _toB, insert) => changes.push({ from, to, insert: insert.toString() }));
  return changes.length === 1 ? (changes[0] ?? null) : null;
}

/** The change as it fits into the table; null if it has nothing to do with one, or fits as it is. */
function fitted(state: EditorState, change: Change): TransactionSpec | null {
  const first = cellAt(state, change.from);
  const last = cellAt(state, change.to);
  if (!first && !last) return null;
  if (goesOn(state, first, change)) return null;
  if (change.insert === "" && state.selection.main.empty) return deleted(state, change);
  if (!first || last?.table.from !== first.table.from) return null;
  if (first.node.from !== last.node.from || first.index !== last.index) return cleared(state, first, change);
  return within(state, first.cell, change, { ...change, from: clamp(change.from, first.cell), to: clamp(change.to, first.cell) });
}

/** Whether a row that is being written as its source goes on: a pipe ends its last cell, and behind that the next one begins. */
function goesOn(state: EditorState, place: Place | null, { from, to, insert }: Change): boolean {
  if (!place || from !== to || place.index !== place.cells.length - 1 || /[\r\n]/.test(insert)) return false;
  const { cell, cells, table } = place;
  if (!isClosed(state, cell)) return insert === "|" && from === cell.close;
  const header = table.getChild("TableHeader");
  const columns = (header && rowAt(state, header)?.cells.length) ?? cells.length;
  return from > cell.close && cells.length < columns;
}

function clamp(at: number, cell: Cell): number {
  return at < cell.open ? cell.start : Math.min(at, cell.close);
}

/** A change that stays in a cell; null if it is what was wanted anyway. */
function within(state: EditorState, cell: Cell, wanted: Change, change: Change): TransactionSpec | null {
  const { from, to, insert } = change;
  const text = state.sliceDoc(cell.open, from) + insert + state.sliceDoc(to, cell.close);
  if (from === wanted.from && to === wanted.to && safe(text, isClosed(state, cell)) === text) return null;
  const rewritten = rewrite(state, cell, change);
  return { changes: rewritten.change, selection: EditorSelection.cursor(rewritten.head), scrollIntoView: true, userEvent: insert ? "input" : "delete" };
}

/** A key that deletes, at a cursor: only within its cell. From outside it goes to the nearest cell and deletes nothing. */
function deleted(state: EditorState, change: Change): TransactionSpec | null {
  const { head } = state.selection.main;
  const place = cellAt(state, head);
  if (place) {
    const here = clamp(head, place.cell);
    const most = Math.max(place.cell.end, here);
    const from = Math.min(Math.max(change.from, Math.min(place.cell.start, here)), most);
    const to = Math.max(Math.min(change.to, most), from);
    return within(state, place.cell, change, { from, to, insert: "" });
  }
  const back = head > change.from;
  const near = cellAt(state, back ? change.from : change.to)?.cell;
  return near ? { selection: EditorSelection.cursor(back ? near.end : near.start), scrollIntoView: true } : null;
}

/** Over several cells: their texts go, their borders stay, and the new text comes into the first. */
function cleared(state: EditorState, first: Place, change: Change): TransactionSpec {
  const from = clamp(change.from, first.cell);
  const start = rewrite(state, first.cell, { from, to: Math.max(from, first.cell.end), insert: change.insert });
  const changes = [start.change];
  for (let row: Row | null = first; row; row = neighbour(state, row, true)) {
    for (const cell of row.cells) {
      const reached = cell.start < change.to && cell.open > first.cell.open;
      if (reached) changes.push(rewrite(state, cell, { from: cell.start, to: Math.min(cell.end, change.to), insert: "" }).change);
    }
  }
  return { changes, selection: EditorSelection.cursor(start.head), scrollIntoView: true, userEvent: "input" };
}

function isClosed(state: EditorState, cell: Cell): boolean {
  return state.sliceDoc(cell.close, cell.close + 1) === "|";
}

/** The smallest change that makes a cell's text what it becomes, safely, and where the cursor is then. */
function rewrite(state: EditorState, cell: Cell, { from, to, insert }: Change): { change: Change; head: number } {
  const before = state.sliceDoc(cell.open, from) + insert;
  const old = state.sliceDoc(cell.open, cell.close);
  const text = safe(before + state.sliceDoc(to, cell.close), isClosed(state, cell));
  const shorter = Math.min(old.length, text.length);
  let start = 0;
  while (start < shorter && old[start] === text[start]) start += 1;
  let rest = 0;
  while (rest < shorter - start && old.at(-1 - rest) === text.at(-1 - rest)) rest += 1;
  const change = { from: cell.open + start, to: cell.close - rest, insert: text.slice(start, text.length - rest) };
  return { change, head: cell.open + Math.min(text.length, safe(before, isClosed(state, cell) && to === cell.close).length) };
}

/** Text as it may stand in a cell: no line breaks, no bare pipes, and a pipe behind it stays bare. */
function safe(text: string, closed: boolean): string {
  const flat = text.replace(/[ \t]*[\r\n]+[ \t]*/g, " ");
  const escaped = flat.replace(/(\\*)\|/g, (_, slashes: string) => `${slashes}${slashes.length % 2 === 0 ? "\\" : ""}|`);
  const tail = /\\*$/.exec(escaped)?.[0].length ?? 0;
  return closed && tail % 2 === 1 ? `${escaped} ` : escaped;
}
