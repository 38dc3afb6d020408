/** Markdown written by keys and buttons: marks around words, heads of lines, links. Each is taken away by what put it there. */
import { ensureSyntaxTree, syntaxTree } from "@codemirror/language";
import { type ChangeSpec, EditorSelection, type EditorState, type Line, type SelectionRange, type TransactionSpec } from "@codemirror/state";
import type { EditorView } from "@codemirror/view";
import type { SyntaxNode, Tree } from "@lezer/common";

export type InlineMark = "bold" | "italic" | "code" | "strikethrough";
export type LineForm = "bullets" | "numbers" | "tasks" | "quote" | `heading-${"1" | "2" | "3" | "4" | "5" | "6"}` | "paragraph";
export type Format = InlineMark | LineForm | "link";

const MARKS: Record<InlineMark, { sign: string; node: string; mark: string }> = {
  bold: { sign: "**", node: "StrongEmphasis", mark: "EmphasisMark" },
  italic: { sign: "*", node: "Emphasis", mark: "EmphasisMark" },
  code: { sign: "`", node: "InlineCode", mark: "CodeMark" },
  strikethrough: { sign: "~~", node: "Strikethrough", mark: "StrikethroughMark" },
};
/** What stands before the words of a line: its quotes and blanks, then a heading's signs or an item's. */
const HEAD = /^((?:[ \t]*>)*[ \t]*)((?:#{1,6}[ \t]+)|(?:(?:[-+*]|\d{1,9}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?))?/;
const ADDRESS = /^(?:https?:\/\/|mailto:)\S+$/;
/** How long the parser may take, in milliseconds, to reach the selection. */
const PATIENCE_MS = 100;

const isInline = (format: Format): format is InlineMark => format in MARKS;

/** Gives what is selected a form, or takes it away. */
export function format(view: EditorView, wanted: Format): void {
  const { state } = view;
  if (state.readOnly) return;
  const spec = isInline(wanted) ? marked(state, wanted) : wanted === "link" ? linked(state) : formed(state, wanted);
  view.dispatch(spec, { scrollIntoView: true, userEvent: "input.format" });
  view.focus();
}

function treeTo(state: EditorState, to: number): Tree {
  return ensureSyntaxTree(state, to, PATIENCE_MS) ?? syntaxTree(state);
}

/** The signs of a mark's nodes that lie in, or around, a span. */
function signsAt(state: EditorState, from: number, to: number, { node, mark }: (typeof MARKS)[InlineMark]): { around: SyntaxNode[]; inside: SyntaxNode[] } {
  const around: SyntaxNode[] = [];
  const inside: SyntaxNode[] = [];
  treeTo(state, to).iterate({
    from, to,
    enter: (found) => {
      if (found.name !== node) return;
      const signs = found.node.getChildren(mark);
      if (isAround(found.node, signs, from, to)) around.push(...signs);
      else if (from <= found.from && found.to <= to) inside.push(...signs);
    },
  });
  return { around, inside };
}

/** Whether a node holds a span within its signs, or with them, or has the cursor at its outer edge. */
function isAround(node: SyntaxNode, signs: readonly SyntaxNode[], from: number, to: number): boolean {
  const [first, last] = [signs[0], signs.at(-1)];
  if (!first || !last) return false;
  if (from === to) return node.from <= from && to <= node.to;
  return (first.to <= from && to <= last.from) || (node.from === from && node.to === to);
}

/** The word at the cursor, or what is selected without the blanks at its ends. */
function meant(state: EditorState, range: SelectionRange): { from: number; to: number } {
  if (range.empty) return state.wordAt(range.head) ?? range;
  const text = state.sliceDoc(range.from, range.to);
  const from = range.from + (text.length - text.trimStart().length);
  return { from, to: Math.max(from, range.from + text.trimEnd().length) };
}

/** A span cut where its lines end: a mark that runs over a paragraph's end marks nothing. Heads of lines stay outside. */
function spansOf(state: EditorState, from: number, to: number): { from: number; to: number }[] {
  if (from === to) return [{ from, to }];
  const spans: { from: number; to: number }[] = [];
  for (let line = state.doc.lineAt(from); ; line = state.doc.line(line.number + 1)) {
    const start = Math.max(from, line.from + headOf(line).length);
    const text = state.sliceDoc(start, Math.max(start, Math.min(to, line.to)));
    if (text.trim() !== "") spans.push({ from: start + (text.length - text.trimStart().length), to: start + text.trimEnd().length });
    if (line.to >= to || line.number === state.doc.lines) return spans;
  }
}

function headOf(line: Line): string { return HEAD.exec(line.text)?.[0] ?? ""; }

function marked(state: EditorState, wanted: InlineMark): TransactionSpec {
  const kind = MARKS[wanted];
  return state.changeByRange((range) => {
    const { from, to } = meant(state, range);
    const { around } = signsAt(state, from, to, kind);
    const changes: ChangeSpec[] = around.length > 0 ? around.map(taken) : spansOf(state, from, to).flatMap((span) => added(state, span, kind));
    const set = state.changes(changes);
    // A cursor that marked nothing yet stands between the signs; a selection keeps its words.
    const at = (place: number, side: 1 | -1) => set.mapPos(place, side);
    const isNew = around.length === 0 && from === to;
    if (isNew) return { changes: set, range: EditorSelection.cursor(at(from, -1) + kind.sign.length) };
    return { changes: set, range: range.empty ? EditorSelection.cursor(at(range.head, range.head === from ? 1 : -1)) : EditorSelection.range(at(from, around.length > 0 ? -1 : 1), at(to, around.length > 0 ? 1 : -1)) };
  });
}

function taken({ from, to }: { from: number; to: number }): ChangeSpec { return { from, to }; }

/** Signs around a span, in place of those of the same kind that were in it. */
function added(state: EditorState, { from, to }: { from: number; to: number }, kind: (typeof MARKS)[InlineMark]): ChangeSpec[] {
  const inside = signsAt(state, from, to, kind).inside.map(taken);
  if (from === to) return [{ from, insert: kind.sign + kind.sign }];
  return [{ from, insert: kind.sign }, ...inside, { from: to, insert: kind.sign }];
}

/** The lines that a form is for: those that are selected, without blank ones if there are others. */
function linesOf(state: EditorState): Line[] {
  const lines = new Map<number, Line>();
  for (const { from, to } of state.selection.ranges) {
    for (let line = state.doc.lineAt(from); ; line = state.doc.line(line.number + 1)) {
      if (line.from < to || line.from <= from) lines.set(line.number, line);
      if (line.to >= to) break;
    }
  }
  const all = [...lines.values()];
  const written = all.filter((line) => line.text.trim() !== "");
  return written.length > 0 ? written : all;
}

const FORMS: Record<"bullets" | "numbers" | "tasks", RegExp> = {
  bullets: /^[-+*][ \t]+(?!\[[ xX]\])/,
  numbers: /^\d{1,9}[.)][ \t]+/,
  tasks: /^[-+*][ \t]+\[[ xX]\][ \t]+/,
};

function formed(state: EditorState, wanted: LineForm): TransactionSpec {
  const lines = linesOf(state);
  const parts = lines.map((line) => {
    const [, before = "", sign = ""] = HEAD.exec(line.text) ?? [];
    return { line, before, sign };
  });
  if (wanted === "quote") {
    const isQuoted = lines.every((line) => /^[ \t]*>/.test(line.text));
    return { changes: lines.map((line): ChangeSpec => (isQuoted ? { from: line.from, to: line.from + (/^[ \t]*>[ \t]?/.exec(line.text)?.[0].length ?? 0) } : { from: line.from, insert: "> " })) };
  }
  const fresh = (number: number): string => {
    if (wanted === "paragraph") return "";
    if (wanted === "bullets") return "- ";
    if (wanted === "tasks") return "- [ ] ";
    if (wanted === "numbers") return `${number.toString()}. `;
    return `${"#".repeat(Number(wanted.slice("heading-".length)))} `;
  };
  const isForm = (sign: string): boolean => (wanted in FORMS ? FORMS[wanted as keyof typeof FORMS].test(sign) : wanted !== "paragraph" && sign.trim() === fresh(1).trim());
  const isThere = parts.every(({ sign }) => isForm(sign));
  return {
    changes: parts.map(({ line, before, sign }, index): ChangeSpec => {
      const from = line.from + before.length;
      return { from, to: from + sign.length, insert: isThere ? "" : fresh(index + 1) };
    }),
  };
}

/** Words become a link whose address is asked for; an address becomes one whose words are. */
function linked(state: EditorState): TransactionSpec {
  return state.changeByRange((range) => {
    const { from, to } = meant(state, range);
    const text = state.sliceDoc(from, to);
    const isAddress = ADDRESS.test(text);
    const insert = isAddress ? `[](${text})` : `[${text}]()`;
    const at = isAddress || text === "" ? from + 1 : from + text.length + 3;
    return { changes: { from, to, insert }, range: EditorSelection.cursor(at) };
  });
}

/** An address that is pasted over words makes them a link. */
export function pastedLink(state: EditorState, text: string): TransactionSpec | null {
  const address = text.trim();
  const { main, ranges } = state.selection;
  const words = state.sliceDoc(main.from, main.to);
  if (ranges.length > 1 || main.empty || words.includes("\n") || !ADDRESS.test(address) || ADDRESS.test(words.trim())) return null;
  const tree = treeTo(state, main.to);
  for (let node: SyntaxNode | null = tree.resolveInner(main.from, 1); node; node = node.parent) if (/^(?:InlineCode|FencedCode|CodeBlock|Link|Image|URL|FrontMatter)$/.test(node.name)) return null;
  const insert = `[${words}](${address})`;
  return { changes: { from: main.from, to: main.to, insert }, selection: { anchor: main.from + insert.length } };
}
