/** Which tables some passages are in, for whoever draws on them. */
import { syntaxTree } from "@codemirror/language";
import type { EditorState } from "@codemirror/state";
import type { SyntaxNode } from "@lezer/common";
import type { Span } from "./sheet";
import { type Alignment, alignmentsOf, cellsOf, delimiterOf } from "./table";

export interface TableAround extends Span {
  readonly alignments: readonly Alignment[];
}

/** For each passage the table it is inside of; null where there is none, or where one of the passages shows its source. */
export function tablesAround(state: EditorState, passages: readonly Span[]): (TableAround | null)[] {
  const found = passages.map((passage) => around(state, passage));
  const asSource = new Set(found.flatMap((one) => (one?.table === null ? [one.from] : [])));
  return found.map((one) => (one && !asSource.has(one.from) ? one.table : null));
}

/** Without its line under the head, or with a passage that reaches out of it, a table is none. */
function around(state: EditorState, { from, to }: Span): { from: number; table: TableAround | null } | null {
  const node = tableNode(state, from, 1) ?? tableNode(state, from, -1);
  const delimiter = node && delimiterOf(node);
  if (!node || !delimiter) return null;
  const line = state.doc.lineAt(delimiter.from);
  const end = state.doc.lineAt(node.to).to;
  const isTouched = from <= line.to && to > line.from;
  if (isTouched || from < state.doc.lineAt(node.from).from || to > end + 1) return { from: node.from, table: null };
  return { from: node.from, table: { from: node.from, to: end, alignments: alignmentsOf(state.sliceDoc(delimiter.from, delimiter.to)) } };
}

/** The parts of some passages that are in tables. */
export function partsInTables(state: EditorState, passages: readonly Span[]): Span[] {
  const found: Span[] = [];
  for (const { from, to } of passages) {
    syntaxTree(state).iterate({
      from,
      to,
      enter: (node) => {
        if (node.name === "Table") found.push({ from: Math.max(from, node.from), to: Math.min(to, node.to) });
      },
    });
  }
  return found;
}

function tableNode(state: EditorState, at: number, side: 1 | -1): SyntaxNode | null {
  let node: SyntaxNode | null = syntaxTree(state).resolveInner(at, side);
  while (node && node.name !== "Table") node = node.parent;
  return node;
}

/** Where the texts of the cells of a row are in it. */
export function cellTexts(row: string): Span[] {
  return cellsOf(row, 0).map(({ start, end }) => ({ from: start, to: end }));
}
