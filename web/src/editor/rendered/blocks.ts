/** How blocks are drawn: headings, quotes, lists, code, rules, tables, formulas, front matter. */
import type { SyntaxNode, SyntaxNodeRef } from "@lezer/common";
import { Decoration, type WidgetType } from "@codemirror/view";
import { numberingOf } from "../citing/numbering";
import { DrawnDiagram } from "./embedded";
import { renderedOptions } from "./options";
import type { Sheet, Span } from "./sheet";
import { source, type Visit } from "./visit";
import { visitRow, visitTable } from "./table-look";
import { Properties } from "./properties";
import { Checkbox, Formula, Label } from "./widgets";

const quoteMark = Decoration.mark({ class: "cm-quote-mark" });
const itemMark = Decoration.mark({ class: "cm-item-mark" });
const footnoteLabel = Decoration.mark({ class: "cm-footnote-label" });

function depthIn(node: SyntaxNode, names: RegExp): number {
  let depth = 0;
  for (let parent: SyntaxNode | null = node; parent; parent = parent.parent) if (names.test(parent.name)) depth += 1;
  return depth;
}

/** The end of a mark and of the spaces behind it, at most as many as told. */
function pastSpace(sheet: Sheet, to: number, most = Infinity): number {
  const line = sheet.state.doc.lineAt(to);
  let end = to;
  while (end < line.to && end - to < most && /[ \t]/.test(line.text[end - line.from] ?? "")) end += 1;
  return end;
}

function heading(level: number): Visit {
  return ({ node }, sheet, window) => {
    const attributes = { role: "heading", "aria-level": String(level) };
    const touched = sheet.touches(node.from, node.to);
    const setext = node.name.startsWith("Setext");
    const marks = node.getChildren("HeaderMark");
    sheet.eachLine(node, window, (at) => {
      const look = sheet.line(at);
      look.classes.add("cm-heading").add(`cm-heading-${String(level)}`);
      look.attributes = attributes;
    });
    if (touched) return true;
    for (const mark of marks) {
      if (setext) sheet.line(mark.from).collapsed = true;
      else sheet.hide(mark.from === node.from ? mark.from : beforeSpace(sheet, mark.from), pastSpace(sheet, mark.to));
    }
    return true;
  };
}

function beforeSpace(sheet: Sheet, at: number): number {
  const line = sheet.state.doc.lineAt(at);
  return line.from + line.text.slice(0, at - line.from).trimEnd().length;
}

function visitQuote({ node }: SyntaxNodeRef, sheet: Sheet, window: Span): boolean {
  const depth = depthIn(node, /^Blockquote$/);
  const callout = depth === 1 ? calloutOf(node, sheet) : null;
  sheet.eachLine(node, window, (at) => {
    const look = sheet.line(at);
    look.quote = depth;
    if (callout) look.classes.add("cm-callout").add(`cm-callout-${callout.look}`);
    if (callout && at === callout.line) look.classes.add("cm-callout-title");
  });
  if (callout && !sheet.lineTouched(callout.line)) sheet.replace(callout.from, callout.to, new Label("cm-callout-name", callout.name));
  return true;
}

const CALLOUT = /^[ \t]*>[ \t]?(\[!([\w-]+)\][+-]?[ \t]*)(.*)$/;
const CALLOUT_LOOKS: Readonly<Record<string, string>> = {
  tip: "good", hint: "good", success: "good", check: "good", done: "good",
  warning: "warning", caution: "warning", attention: "warning", question: "warning", help: "warning", faq: "warning",
  danger: "danger", error: "danger", failure: "danger", fail: "danger", missing: "danger", bug: "danger",
  quote: "plain", cite: "plain", abstract: "plain", summary: "plain", example: "plain",
};

/** A quotation that begins with `[!note]`: what it is, in words, before a title of its own. */
function calloutOf(node: SyntaxNode, sheet: Sheet): { line: number; from: number; to: number; name: string; look: string } | null {
  const line = sheet.state.doc.lineAt(node.from);
  const [, mark, kind, title = ""] = CALLOUT.exec(line.text) ?? [];
  if (mark === undefined || kind === undefined) return null;
  const from = line.from + line.text.indexOf(mark);
  const word = kind.toLowerCase().replaceAll("-", " ");
  const name = word.charAt(0).toUpperCase() + word.slice(1);
  return { line: line.from, from, to: from + mark.length, name: title.trim() === "" ? name : `${name}: `, look: CALLOUT_LOOKS[kind.toLowerCase()] ?? "note" };
}

/** Where they show, all quote marks of a line stand together in its indentation. */
function visitQuoteMark({ from, to }: SyntaxNodeRef, sheet: Sheet): boolean {
  if (!sheet.lineTouched(from)) sheet.hide(from, pastSpace(sheet, to, 1));
  else {
    const line = sheet.state.doc.lineAt(from);
    const [marks = ""] = /^>(?:[ \t]*>)*[ \t]?/.exec(line.text.slice(from - line.from)) ?? [];
    if (!/>\s*$/.test(line.text.slice(0, from - line.from))) sheet.mark(from, from + marks.length, quoteMark);
  }
  return false;
}

/** Indentation in the source becomes indentation on the page. */
function visitItem({ node }: SyntaxNodeRef, sheet: Sheet, window: Span): boolean {
  const mark = node.getChild("ListMark");
  if (!mark) return true;
  const { doc } = sheet.state;
  const depth = depthIn(node, /^(?:Bullet|Ordered)List$/);
  const first = doc.lineAt(node.from);
  const column = pastSpace(sheet, mark.to) - first.from;
  sheet.eachLine(node, window, (at) => {
    const look = sheet.line(at);
    look.list = depth;
    look.hangs = at === first.from;
    if (look.hangs) return;
    const { text } = doc.lineAt(at);
    hideIndent(sheet, at, at + Math.min(column, text.length - text.trimStart().length));
  });
  hideIndent(sheet, beforeSpace(sheet, node.from), node.from);
  visitMark(node, mark, sheet);
  return true;
}

function hideIndent(sheet: Sheet, from: number, to: number): void {
  // A cursor inside the indentation must be seen to move.
  if (to > from && !sheet.touches(from, to - 1)) sheet.hide(from, to);
}

function visitMark(item: SyntaxNode, mark: SyntaxNode, sheet: Sheet): void {
  const box = item.getChild("Task")?.getChild("TaskMarker");
  if (box && !sheet.touches(mark.from, box.to)) {
    const { state } = sheet;
    const checked = /x/i.test(state.sliceDoc(box.from, box.to));
    const task = state.sliceDoc(box.to, state.doc.lineAt(box.to).to).trim();
    if (checked) sheet.line(item.from).classes.add("cm-done");
    sheet.replace(mark.from, pastSpace(sheet, box.to, 1), new Checkbox(checked, task, state.readOnly));
  } else if (!box && item.parent?.name === "BulletList" && !sheet.touches(mark.from, mark.to)) {
    sheet.replace(mark.from, pastSpace(sheet, mark.to), new Label("cm-item-mark cm-bullet", "•"));
  } else sheet.mark(mark.from, pastSpace(sheet, box?.to ?? mark.to), itemMark);
}

/** In a quotation each line of a block has its own marks. */
function markQuotes(node: SyntaxNode, sheet: Sheet): void {
  for (const mark of depthIn(node, /^Blockquote$/) > 0 ? node.getChildren("QuoteMark") : []) visitQuoteMark(mark, sheet);
}

function visitFence({ node }: SyntaxNodeRef, sheet: Sheet, window: Span): boolean {
  const { doc } = sheet.state;
  const first = doc.lineAt(node.from);
  const last = doc.lineAt(node.to);
  const [open, close] = node.getChildren("CodeMark");
  const touched = sheet.touches(node.from, node.to);
  sheet.eachLine(node, window, (at) => {
    const look = sheet.line(at);
    look.verbatim = true;
    look.classes.add("cm-code");
    if (at === first.from) look.classes.add("cm-code-first");
    if (at === last.from) look.classes.add("cm-code-last");
  });
  markQuotes(node, sheet);
  if (!open || touched) return false;
  const info = node.getChild("CodeInfo");
  if (close && drawDiagram(node, sheet, window)) return false;
  sheet.line(first.from).classes.add("cm-code-head");
  sheet.replace(node.from, first.to, new Label("cm-code-language", info ? (/^[^\s{]*/.exec(sheet.state.sliceDoc(info.from, info.to))?.[0] ?? "") : ""));
  if (close && close.from > first.to) {
    sheet.hide(close.from, last.to);
    sheet.line(last.from).thin = true;
  }
  return false;
}

function visitRule({ node }: SyntaxNodeRef, sheet: Sheet): boolean {
  if (sheet.touches(node.from, node.to)) return false;
  const look = sheet.line(node.from);
  look.classes.add("cm-rule");
  look.attributes = { role: "separator" };
  sheet.hide(node.from, node.to);
  return false;
}

/** Shows the picture of a diagram in place of its source; false while there is none. */
function drawDiagram(node: SyntaxNode, sheet: Sheet, window: Span): boolean {
  const info = node.getChild("CodeInfo");
  if (!info || sheet.state.sliceDoc(info.from, info.to).trim() !== "mermaid" || depthIn(node, /^(?:Blockquote|ListItem)$/) > 0) return false;
  const source = node.getChild("CodeText");
  const text = source ? sheet.state.sliceDoc(source.from, source.to) : "";
  const diagram = text.trim() === "" ? null : sheet.state.facet(renderedOptions).diagram(text);
  if (!diagram) return false;
  sheet.eachLine(node, window, (at) => {
    sheet.line(at).classes.clear();
    sheet.line(at).verbatim = false;
  });
  fold(node, sheet, window, new DrawnDiagram(text, diagram));
  return true;
}

/** Shows one widget for a block of several lines: in its first line, and the others collapse. */
function fold(node: SyntaxNode, sheet: Sheet, window: Span, widget: WidgetType): void {
  const first = sheet.state.doc.lineAt(node.from);
  sheet.replace(node.from, Math.min(first.to, node.to), widget);
  sheet.eachLine(node, window, (at) => {
    if (at > first.from) sheet.line(at).collapsed = true;
  });
}

function visitBlockMath(ref: SyntaxNodeRef, sheet: Sheet, window: Span): boolean {
  const { node } = ref;
  const [open, close] = node.getChildren("MathMark");
  if (!open || !close || sheet.touches(node.from, node.to)) return source("cm-math-block")(ref, sheet, window);
  const marks = node.getChildren("QuoteMark");
  const tex = marks.length > 0 ? withoutMarks(node, marks, sheet, close.from) : sheet.state.sliceDoc(open.to, close.from);
  const number = numberingOf(sheet.state).numbers.get(sheet.state.sliceDoc(close.to, node.to).trim().slice(2, -1));
  fold(node, sheet, window, new Formula(number === undefined ? tex.trim() : `${tex.trim()} \\qquad (${number})`, true));
  return false;
}

function withoutMarks(node: SyntaxNode, marks: readonly SyntaxNode[], sheet: Sheet, end: number): string {
  let text = "";
  let at = node.from + 2;
  for (const mark of marks) {
    text += sheet.state.sliceDoc(at, mark.from);
    at = mark.to;
  }
  return text + sheet.state.sliceDoc(at, end);
}

function visitFrontMatter(ref: SyntaxNodeRef, sheet: Sheet, window: Span): boolean {
  const { node } = ref;
  if (!node.getChild("FrontMatterMark") || sheet.touches(node.from, node.to)) return source("cm-front-matter")(ref, sheet, window);
  const lines = sheet.state.sliceDoc(node.from, node.to).split("\n");
  fold(node, sheet, window, new Properties(lines.slice(1, -1).join("\n")));
  return false;
}

function visitFootnote({ node }: SyntaxNodeRef, sheet: Sheet, window: Span): boolean {
  sheet.eachLine(node, window, (at) => {
    sheet.line(at).classes.add("cm-footnote");
  });
  const label = node.getChild("FootnoteLabel");
  if (label) sheet.mark(label.from, label.to, footnoteLabel);
  if (sheet.lineTouched(node.from)) return true;
  for (const mark of node.getChildren("FootnoteMark")) sheet.hide(mark.from, mark.to);
  return true;
}

const headings = [1, 2, 3, 4, 5, 6].map((level) => [`ATXHeading${String(level)}`, heading(level)] as const);

export const blocks: Readonly<Record<string, Visit>> = {
  ...Object.fromEntries(headings),
  SetextHeading1: heading(1),
  SetextHeading2: heading(2),
  Blockquote: visitQuote,
  QuoteMark: visitQuoteMark,
  ListItem: visitItem,
  FencedCode: visitFence,
  CodeBlock: visitFence,
  HTMLBlock: source("cm-html"),
  CommentBlock: source("cm-html"),
  ProcessingInstructionBlock: source("cm-html"),
  LinkReference: source("cm-reference"),
  HorizontalRule: visitRule,
  BlockMath: visitBlockMath,
  FrontMatter: visitFrontMatter,
  FootnoteDefinition: visitFootnote,
  Table: visitTable,
  TableHeader: visitRow,
  TableRow: visitRow,
};
