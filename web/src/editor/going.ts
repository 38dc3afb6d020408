/** Goes to a place in the text. */
import { EditorSelection } from "@codemirror/state";
import { EditorView } from "@codemirror/view";

/** Puts the cursor at a line and column, both from 1 and as far as there are any, in the middle of the view. */
export function goToLine(view: EditorView, line: number, column: number): void {
  const { doc } = view.state;
  const at = doc.line(Math.min(Math.max(1, line), doc.lines));
  const selection = EditorSelection.cursor(Math.min(at.to, at.from + Math.max(0, column - 1)));
  view.dispatch({ selection, effects: EditorView.scrollIntoView(selection, { y: "center" }) });
  view.focus();
}
