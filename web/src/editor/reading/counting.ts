/** Counts words and lines of the text and of what is selected, after the person has paused. */
import type { EditorState, Extension, Text } from "@codemirror/state";
import { type EditorView, type PluginValue, ViewPlugin, type ViewUpdate } from "@codemirror/view";

export interface Counts {
  words: number;
  lines: number;
  /** Words in the selection; null when nothing is selected. */
  selected: number | null;
  /** The line of the cursor, from 1. */
  line: number;
}

const PAUSE_MS = 200;

/** Words, as runs of anything but space, without building the whole text. */
export function wordsIn(doc: Text, from = 0, to = doc.length): number {
  let words = 0;
  let inside = false;
  for (const piece of doc.iterRange(from, to)) {
    for (let index = 0; index < piece.length; index += 1) {
      const code = piece.charCodeAt(index);
      const space = code === 32 || (code >= 9 && code <= 13) || code === 160;
      if (!space && !inside) words += 1;
      inside = !space;
    }
  }
  return words;
}

const known = new WeakMap<Text, number>();

/** The words of a whole text. It shares with the one before it all that has not changed: only what is new is counted. */
export function wordsOf(text: Text): number {
  const found = known.get(text);
  if (found !== undefined) return found;
  // Pieces meet at line breaks, never inside a word.
  const words = text.children === null ? wordsIn(text) : text.children.reduce((sum, piece) => sum + wordsOf(piece), 0);
  known.set(text, words);
  return words;
}

/** What is told of a state. */
export function countsOf({ doc, selection }: EditorState): Counts {
  const chosen = selection.ranges.filter((range) => !range.empty);
  const selected = chosen.length > 0 ? chosen.reduce((sum, { from, to }) => sum + wordsIn(doc, from, to), 0) : null;
  const { number: line } = doc.lineAt(selection.main.head);
  const lines = doc.length === 0 ? 0 : doc.lines - (doc.line(doc.lines).length === 0 ? 1 : 0);
  return { words: wordsOf(doc), lines, selected, line };
}

class Counting implements PluginValue {
  readonly #view: EditorView;
  readonly #tell: (counts: Counts) => void;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(view: EditorView, tell: (counts: Counts) => void) {
    this.#view = view;
    this.#tell = tell;
    this.#soon(PAUSE_MS);
  }

  update(update: ViewUpdate): void {
    if (update.docChanged || update.selectionSet) this.#soon(PAUSE_MS);
  }

  destroy(): void {
    clearTimeout(this.#timer);
  }

  #soon(pause: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => { this.#count(); }, pause);
  }

  #count(): void {
    this.#tell(countsOf(this.#view.state));
  }
}

/** Tells the counts whenever they may have changed. */
export function counting(tell: (counts: Counts) => void): Extension {
  return ViewPlugin.define((view) => new Counting(view, tell));
}
