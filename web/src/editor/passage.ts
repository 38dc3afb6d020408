/** The selected passage of a text. */
import type { EditorState } from "@codemirror/state";

export interface Passage {
  path: string;
  before: string;
  text: string;
  after: string;
}

/** How many characters around a passage go along with it. */
const AROUND = 200;

/** The selected passage with what stands around it; null when nothing is selected. */
export function passageIn({ doc, selection }: EditorState, path: string): Passage | null {
  const { from, to, empty } = selection.main;
  if (empty) return null;
  const cut = (start: number, end: number) => doc.sliceString(Math.max(0, start), Math.min(doc.length, end));
  return { path, before: cut(from - AROUND, from), text: cut(from, to), after: cut(to, to + AROUND) };
}

/** Where the main selection is, in UTF-16 units; null when nothing is selected. */
export function selectedIn({ selection: { main } }: EditorState, path: string): { path: string; start: number; end: number } | null {
  return main.empty ? null : { path, start: main.from, end: main.to };
}
