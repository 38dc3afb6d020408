/** Dims every paragraph but the one at hand, for who wants to see only that. */
import type { EditorState, Range } from "@codemirror/state";
import { Decoration, type DecorationSet, type EditorView, ViewPlugin, type ViewUpdate } from "@codemirror/view";

/** A paragraph is looked for this many lines up and down; a text without blank lines is no prose. */
const FAR = 500;

const dim = Decoration.line({ class: "cm-dim" });

/** The lines of the paragraph around a place: those between blank ones. */
export function paragraphAt(state: EditorState, at: number): { first: number; last: number } {
  const { doc } = state;
  const blank = (number: number) => doc.line(number).text.trim() === "";
  const here = doc.lineAt(at).number;
  let first = here;
  let last = here;
  if (blank(here)) return { first, last };
  while (first > 1 && here - first < FAR && !blank(first - 1)) first -= 1;
  while (last < doc.lines && last - here < FAR && !blank(last + 1)) last += 1;
  return { first, last };
}

function draw(view: EditorView): DecorationSet {
  const { state } = view;
  const { from, to } = state.selection.main;
  const first = paragraphAt(state, from).first;
  const last = paragraphAt(state, to).last;
  const dimmed: Range<Decoration>[] = [];
  for (const window of view.visibleRanges) {
    for (let at = window.from; at <= window.to; ) {
      const line = state.doc.lineAt(at);
      if (line.number < first || line.number > last) dimmed.push(dim.range(line.from));
      at = line.to + 1;
    }
  }
  return Decoration.set(dimmed, true);
}

export const dimming = ViewPlugin.define(
  (view) => ({
    lines: draw(view),
    update(update: ViewUpdate) {
      if (update.docChanged || update.selectionSet || update.viewportChanged) this.lines = draw(update.view);
    },
  }),
  { decorations: (plugin) => plugin.lines },
);
