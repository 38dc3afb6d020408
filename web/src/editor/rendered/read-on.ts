/**
 * Has the parser go on until it has reached what is on the screen. It rests after three seconds of work, and the end
 * of a very long text would show as its source until somebody types again.
 */
import { forceParsing, syntaxTreeAvailable } from "@codemirror/language";
import { type EditorView, ViewPlugin, type ViewUpdate } from "@codemirror/view";

/** Until then the parser is at it by itself. */
const FIRST_MS = 4000;
/** Whoever types goes first: the parser reads on by itself with each key. */
const TYPING_MS = 500;
const PAUSE_MS = 30;
/** Short enough for somebody who types meanwhile. */
const SLICE_MS = 20;

class ReadOn {
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** The parser rests, and this goes on for it. */
  #isReading = false;

  constructor(readonly view: EditorView) {
    this.#wait(FIRST_MS);
  }

  update({ docChanged }: ViewUpdate): void {
    if (!docChanged || this.#timer === undefined) {
      this.#wait(FIRST_MS);
      return;
    }
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#wait(this.#isReading ? TYPING_MS : FIRST_MS);
  }

  destroy(): void {
    clearTimeout(this.#timer);
  }

  #wait(pauseMs: number): void {
    if (this.#timer !== undefined || syntaxTreeAvailable(this.view.state, this.view.viewport.to)) return;
    this.#timer = setTimeout(() => {
      this.#isReading = true;
      // Whatever this changes is an update, which must not begin to wait anew.
      forceParsing(this.view, this.view.viewport.to, SLICE_MS);
      this.#timer = undefined;
      this.#wait(PAUSE_MS);
    }, pauseMs);
  }
}

export const readOn = ViewPlugin.fromClass(ReadOn);
