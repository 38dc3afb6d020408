/**
 * Tab and Shift+Tab: in code they indent as the file does, in lists they nest. Nobody is caught in the text by them: after
 * Escape, Tab goes on to what stands beside it, as everywhere else on the page.
 */
import { forceParsing, syntaxTree } from "@codemirror/language";
import { type ChangeSpec, countColumn, EditorSelection, type EditorState, type Extension, type Line, Prec } from "@codemirror/state";
import { type Command, keymap } from "@codemirror/view";
import { indentationAt, isInCode, leadOf } from "../syntax/indentation";
import { endList, moveItems, quoteLength } from "./list-items";
import { endQuote } from "./quotes";

function selectedLines(state: EditorState): Line[] {
  const lines = new Map<number, Line>();
  for (const { from, to, empty } of state.selection.ranges) {
    for (let line = state.doc.lineAt(from); ; line = state.doc.line(line.number + 1)) {
      // A selection that ends before a line's first letter does not mean that line.
      if (empty || line.from < to || line.from === from) lines.set(line.number, line);
      if (line.to >= to) break;
    }
  }
  return [...lines.values()];
}

/** Where the indentation of a line begins: behind the quote that it is in. */
function startOf(state: EditorState, line: Line): number {
  return line.from + quoteLength(line.text, syntaxTree(state).resolveInner(line.to, -1));
}

/** Writes one step at each cursor, up to the next multiple of it. */
const insertStep: Command = (view) => {
  const { state } = view;
  const changes = state.changeByRange(({ head }) => {
    const unit = indentationAt(state, head);
    const line = state.doc.lineAt(head);
    const column = countColumn(state.sliceDoc(startOf(state, line), head), state.tabSize);
    const insert = unit === "\t" ? unit : " ".repeat(unit.length - (column % unit.length));
    return { changes: { from: head, insert }, range: EditorSelection.cursor(head + insert.length) };
  });
  view.dispatch(state.update(changes, { scrollIntoView: true, userEvent: "input.indent" }));
  return true;
};

function shiftLines(step: (state: EditorState, line: Line) => ChangeSpec | null): Command {
  return (view) => {
    const { state } = view;
    const changes = state.changes(selectedLines(state).flatMap((line) => step(state, line) ?? []));
    if (!changes.empty) view.dispatch({ changes, selection: state.selection.map(changes, 1), scrollIntoView: true, userEvent: "input.indent" });
    return true;
  };
}

const indentLines = shiftLines((state, line) => (line.text.trim() === "" ? null : { from: startOf(state, line), insert: indentationAt(state, line.to) }));

const outdentLines = shiftLines((state, line) => {
  const from = startOf(state, line);
  const lead = leadOf(line.text.slice(from - line.from));
  const unit = indentationAt(state, line.to);
  if (lead.startsWith("\t")) return { from, to: from + 1 };
  const width = countColumn(unit, state.tabSize);
  // What stands between two steps goes back to the one before.
  const gone = lead.length % width || Math.min(width, lead.length);
  return gone === 0 ? null : { from, to: from + gone };
});

function indent(isProse: boolean): Command {
  return (view) => {
    const { state } = view;
    if (state.readOnly) return false;
    if (isProse && moveItems(view, "deeper")) return true;
    const { main, ranges } = state.selection;
    if (ranges.every(({ empty }) => empty)) return insertStep(view);
    // Words of prose are selected to do something with them: Tab goes on to the bar beside them.
    return isProse && !isInCode(state, main.head) ? false : indentLines(view);
  };
}

function outdent(isProse: boolean): Command {
  return (view) => !view.state.readOnly && ((isProse && moveItems(view, "higher")) || outdentLines(view));
}

/** How long Enter may wait, in milliseconds, for the text before it to be read: on a busy computer it would not indent. */
const READ_MS = 100;

const readFirst: Command = (view) => {
  forceParsing(view, view.state.selection.main.head, READ_MS);
  return false;
};

export function tabKeys(isProse: boolean): Extension {
  const tab = keymap.of([{ key: "Tab", run: indent(isProse), shift: outdent(isProse) }]);
  // Before the language's own meaning of Enter in a list or a quote.
  return [tab, Prec.highest(keymap.of([{ key: "Enter", run: isProse ? (view) => endList(view) || endQuote(view) : readFirst }]))];
}
