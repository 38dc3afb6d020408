/** The cells of a table: where each one stands in the source of its row. */
import { syntaxTree } from "@codemirror/language";
import type { EditorState } from "@codemirror/state";
import type { SyntaxNode } from "@lezer/common";

export interface Cell {
  /** All that belongs to the cell: together the cells cover their line. */
  readonly from: number;
  readonly to: number;
  /** Between the pipes. */
  readonly open: number;
  readonly close: number;
  /** The text, without the space around it; where it will stand, if there is none yet. */
  readonly start: number;
  readonly end: number;
}

export type Alignment = "start" | "center" | "end";

/** Where the pipes are that part cells. */
function pipesIn(row: string): number[] {
  const pipes: number[] = [];
  for (let at = 0; at < row.length; at += 1) {
    if (row[at] === "\\") at += 1;
    else if (row[at] === "|") pipes.push(at);
  }
  return pipes;
}

/** The cells of a row that stands at a position. What is before it in its line belongs to the first cell. */
export function cellsOf(row: string, at: number, lineFrom = at): Cell[] {
  const pipes = pipesIn(row);
  const leads = row.trimStart().startsWith("|");
  const closes = pipes.length > (leads ? 1 : 0) && pipes.at(-1) === row.trimEnd().length - 1;
  const opens = leads ? pipes.map((pipe) => pipe + 1) : [0, ...pipes.map((pipe) => pipe + 1)];
  const count = closes ? opens.length - 1 : opens.length;
  return opens.slice(0, count).map((open, index) => {
    const next = opens[index + 1];
    const close = next === undefined ? row.length : next - 1;
    const from = index === 0 ? lineFrom : at + open - 1;
    const to = index === count - 1 ? at + row.length : at + close;
    return { from, to, open: at + open, close: at + close, ...textIn(row, at, open, close) };
  });
}

function textIn(row: string, at: number, open: number, close: number): { start: number; end: number } {
  const inside = row.slice(open, close);
  const text = inside.trim();
  const start = at + open + (text === "" ? Math.min(1, inside.length) : inside.indexOf(text));
  return { start, end: start + text.length };
}

/** How the columns are aligned, by the line under the head. */
export function alignmentsOf(delimiter: string): Alignment[] {
  return cellsOf(delimiter, 0).map(({ start, end }) => {
    const rule = delimiter.slice(start, end);
    if (!rule.endsWith(":")) return "start";
    return rule.startsWith(":") ? "center" : "end";
  });
}

/** The line under the head of a table. */
export function delimiterOf(table: SyntaxNode): SyntaxNode | null {
  return table.getChild("TableDelimiter");
}

export interface Row {
  readonly table: SyntaxNode;
  readonly node: SyntaxNode;
  readonly cells: readonly Cell[];
}

export interface Place extends Row {
  readonly index: number;
  readonly cell: Cell;
}

/** Reads a row from its node. */
export function rowAt(state: EditorState, node: SyntaxNode): Row | null {
  if (!node.parent || (node.name !== "TableRow" && node.name !== "TableHeader")) return null;
  const line = state.doc.lineAt(node.from);
  return { table: node.parent, node, cells: cellsOf(state.sliceDoc(node.from, line.to), node.from, line.from) };
}

/** The cell that a position is in; null outside tables and in the line under a head. */
export function cellAt(state: EditorState, at: number): Place | null {
  const line = state.doc.lineAt(at);
  const width = line.text.trimEnd().length;
  if (width === 0) return null;
  // The last sign of a line is part of its row; the first may belong to a quote or a list around the table.
  let node: SyntaxNode | null = syntaxTree(state).resolveInner(line.from + width, -1);
  while (node && node.name !== "TableRow" && node.name !== "TableHeader") node = node.parent;
  const row = node && rowAt(state, node);
  if (!row) return null;
  const found = row.cells.findIndex((cell) => at <= cell.close);
  const index = found < 0 ? row.cells.length - 1 : found;
  const cell = row.cells[index];
  return cell ? { ...row, index, cell } : null;
}

/** The row above or below, leaving out the line under the head. */
export function neighbour(state: EditorState, row: Row, forward: boolean): Row | null {
  let node = forward ? row.node.nextSibling : row.node.prevSibling;
  while (node && node.name !== "TableRow" && node.name !== "TableHeader") node = forward ? node.nextSibling : node.prevSibling;
  return node && rowAt(state, node);
}
