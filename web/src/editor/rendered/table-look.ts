/** How tables are drawn: each line is a row, each cell stands around its own text, so that typing in it edits the source. */
import type { SyntaxNode, SyntaxNodeRef } from "@lezer/common";
import { BlockWrapper, Decoration } from "@codemirror/view";
import { sourceShown } from "./options";
import type { Sheet, Span } from "./sheet";
import { type Alignment, alignmentsOf, delimiterOf, rowAt } from "./table";
import { source } from "./visit";

const wrapper = BlockWrapper.create({ tagName: "div", attributes: { class: "cm-table", role: "table" } });

/** A table shows as one, but for the line under its head and for lines asked for as source: where one of these is, all of it shows so. */
export function visitTable(ref: SyntaxNodeRef, sheet: Sheet, window: Span): boolean {
  const { doc, selection } = sheet.state;
  const delimiter = delimiterOf(ref.node);
  if (!delimiter) return true;
  const line = doc.lineAt(delimiter.from);
  const inside = selection.ranges.some(({ anchor, head }) => [anchor, head].some((at) => at >= line.from && at <= line.to));
  const asked = sheet.state.facet(sourceShown).some(({ from, to }) => from <= ref.to && to >= ref.from);
  if (asked || (inside && sheet.touches(line.from, line.to))) return source("cm-table-source")(ref, sheet, window);
  sheet.wrap(doc.lineAt(ref.from).from, doc.lineAt(ref.to).to, wrapper);
  sheet.line(delimiter.from).collapsed = true;
  return true;
}

const cellMarks = new Map<string, Decoration>();

/** One mark for each column: two cells beside each other that have the same would become one while a row is written. */
function cellMark(role: "cell" | "columnheader", align: Alignment, column: number): Decoration {
  const key = `${role} ${align} ${String(column)}`;
  const known = cellMarks.get(key) ?? Decoration.mark({ class: `cm-cell cm-cell-${align}`, attributes: { role, "aria-colindex": String(column) }, inclusive: true });
  cellMarks.set(key, known);
  return known;
}

export function visitRow({ node }: SyntaxNodeRef, sheet: Sheet): boolean {
  const { state } = sheet;
  const row = rowAt(state, node);
  const delimiter = row && delimiterOf(row.table);
  if (!row || !delimiter) return true;
  const header = node.name === "TableHeader";
  const alignments = alignmentsOf(state.sliceDoc(delimiter.from, delimiter.to));
  const look = sheet.line(node.from);
  look.classes.add("cm-row").add(header ? "cm-row-head" : "cm-row-body");
  look.attributes = { role: "row" };
  row.cells.forEach((cell, index) => {
    sheet.cell(cell.from, cell.to, cellMark(header ? "columnheader" : "cell", alignments[index] ?? "start", index + 1));
    const typed = Math.max(cell.end, ...sheet.places.filter(({ to }) => to >= cell.open && to <= cell.close).map(({ to }) => to));
    sheet.hide(cell.from, cell.start);
    sheet.hide(typed, cell.to);
  });
  layAtoms(row.cells.map(({ start, end }) => ({ from: start, to: end })), node, sheet);
  return true;
}

/** Between two cells, and between the last of a row and the first of the next, the cursor makes one step. */
function layAtoms(texts: readonly Span[], node: SyntaxNode, sheet: Sheet): void {
  const { doc } = sheet.state;
  texts.forEach(({ from }, index) => {
    const before = texts[index - 1];
    if (before) sheet.atom(before.to, from);
    else sheet.atom(edgeAbove(node, sheet), from);
  });
  const last = texts.at(-1);
  if (last && !node.nextSibling) sheet.atom(last.to, Math.min(doc.length, doc.lineAt(node.to).to + 1));
}

function edgeAbove(node: SyntaxNode, sheet: Sheet): number {
  let above = node.prevSibling;
  while (above && above.name !== "TableRow" && above.name !== "TableHeader") above = above.prevSibling;
  const end = above && rowAt(sheet.state, above)?.cells.at(-1)?.end;
  return end ?? Math.max(0, sheet.state.doc.lineAt(node.from).from - 1);
}
