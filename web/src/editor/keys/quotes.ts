/** Enter in an empty line of a Markdown quote: it ends the quote, as it ends a list. */
import { ensureSyntaxTree, syntaxTree } from "@codemirror/language";
import type { EditorView } from "@codemirror/view";

const PARSE_MS = 100;
/** What stands before the innermost mark of a line that has nothing else. */
const EMPTY = /^([ \t]*(?:>[ \t]*)*)>[ \t]*$/;

export function endQuote(view: EditorView): boolean {
  const { state } = view;
  const { head, empty } = state.selection.main;
  const line = state.doc.lineAt(head);
  const outer = EMPTY.exec(line.text)?.[1];
  if (state.readOnly || !empty || head !== line.to || outer === undefined) return false;
  const tree = ensureSyntaxTree(state, head, PARSE_MS) ?? syntaxTree(state);
  const marks = tree.resolveInner(line.from + outer.length, 1);
  if (marks.name !== "QuoteMark") return false;
  const above = line.number > 1 ? state.doc.line(line.number - 1).text : "";
  // Two such lines are one end, and the language takes both.
  if (EMPTY.exec(above)?.[1] === outer) return false;
  // Right behind words of a quote the next ones would still belong to it.
  const insert = above.startsWith(`${outer}>`) ? `${outer.trimEnd()}\n${outer}` : outer;
  view.dispatch({ changes: { from: line.from, to: line.to, insert }, selection: { anchor: line.from + insert.length }, scrollIntoView: true, userEvent: "input" });
  return true;
}
