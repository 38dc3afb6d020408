/**
 * Has the parser go on until it has reached what is on the screen. It rests after three seconds of work, and the end
 * of a very long text would show as its source until somebody types again.
 */
import { forceParsing, syntaxTreeAvailable } from "@codemirror/language";
import { type EditorView, ViewPlugin } from "@codemirror/view";

/** Until then the parser is at it by itself. */
const FIRST_MS = 4000;
const PAUSE_MS = 30;
/** Short enough for somebody who types meanwhile. */
const SLICE_MS = 20;

class ReadOn {
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(readonly view: EditorView) {
    this.#wait(FIRST_MS);
  }

  update(): void {
    this.#wait(FIRST_MS);
  }

  destroy(): void {
    clearTimeout(this.#timer);
  }

  #wait(pauseMs: number): void {
    if (this.#timer !== undefined || syntaxTreeAvailable(this.view.state, this.view.viewport.to)) return;
    this.#timer = setTimeout(() => {
      // Whatever this changes is an update, which must not begin to wait anew.
      forceParsing(this.view, this.view.viewport.to, SLICE_MS);
      this.#timer = undefined;
      this.#wait(PAUSE_MS);
    }, pauseMs);
  }
}

export const readOn = ViewPlugin.fromClass(ReadOn);
