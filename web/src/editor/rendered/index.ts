/**
 * Markdown shown as it reads, in the editor: the text stays the truth, its syntax shows where the cursor is. An
 * extension to be put in and out by a compartment; its parser needs `renderedSyntax`.
 */
import { EditorSelection, type Extension, Prec } from "@codemirror/state";
import { type EditorView, keymap } from "@codemirror/view";
import { links } from "./links";
import { type RenderedOptions, renderedOptions } from "./options";
import { drawingOf, page } from "./page";
import { readOn } from "./read-on";
import { tableGuard } from "./table-edit";
import { tableKeys } from "./table-keys";

export { type Diagram, type NamedPicture, type NoteShown, type RenderedOptions, sourceShown, type Target } from "./options";
export { redraw } from "./redraw";
export { aroundLines, headOf, Still } from "./still";
export { renderedSyntax } from "./syntax";
export { cellTexts, partsInTables, tablesAround } from "./tables-around";
export { unseenIn } from "./unseen";

/** Up from under a block goes to its last line, which then opens, not over it. */
function upIntoBlock(view: EditorView): boolean {
  const { doc, selection } = view.state;
  const { head, empty } = selection.main;
  const line = doc.lineAt(head);
  const above = line.number > 1 ? doc.line(line.number - 1) : null;
  if (!empty || selection.ranges.length > 1 || !above || !drawingOf(view).passed.has(above.from)) return false;
  const up = view.moveVertically(selection.main, false).head;
  if (up >= line.from && up < head) return false;
  view.dispatch({ selection: EditorSelection.cursor(Math.min(above.to, above.from + head - line.from)), scrollIntoView: true, userEvent: "select" });
  return true;
}

/** The rendered view of a Markdown document. */
export function rendered(options: RenderedOptions): Extension {
  return [renderedOptions.of(options), tableKeys, Prec.high(keymap.of([{ key: "ArrowUp", run: upIntoBlock }])), page, readOn, links, tableGuard];
}
