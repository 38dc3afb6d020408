/** What is typed or pasted into a text that is shown but not live yet: kept for the moment in which it is. */
import { EditorState, type Extension } from "@codemirror/state";
import { EditorView } from "@codemirror/view";

/** Longer than a text takes to become live. Nobody still expects what was typed before. */
const KEPT_MS = 10_000;

/** Words, and the part of the text that was selected when they were typed. */
interface Typed {
  from: number;
  to: number;
  words: string;
}

export class EarlyTyping {
  #typed: Typed[] = [];
  #path = "";
  #lastMs = 0;
  #isPasted = false;

  /** For a text that is only shown. */
  shown(path: string): Extension {
    return [
      EditorState.readOnly.of(true),
      EditorView.domEventObservers({
        beforeinput: (event, view) => {
          const words = wordsOf(event);
          if (words !== null) this.#keep(path, view, words);
        },
        // The browser deletes nothing at the beginning of a text, and says nothing of it either.
        keydown: ({ key, ctrlKey, metaKey, altKey }) => {
          if (key === "Backspace" && !ctrlKey && !metaKey && !altKey) this.#takeBack(path);
        },
        compositionend: (event, view) => { this.#keep(path, view, event.data); },
        paste: ({ clipboardData }, view) => {
          const words = clipboardData?.getData("text/plain") ?? "";
          this.#keep(path, view, words.replace(/\r\n?/g, "\n"));
          this.#isPasted ||= words !== "";
        },
      }),
    ];
  }

  /** Writes what was typed, if the text is live now. Whatever was pasted makes all of it count as pasted. */
  write(path: string, view: EditorView): void {
    if (view.state.readOnly) return;
    const typed = this.#path === path && performance.now() - this.#lastMs < KEPT_MS ? this.#typed : [];
    const last = typed.at(-1);
    if (!last) return;
    this.#typed = [];
    const within = (at: number) => Math.min(at, view.state.doc.length);
    const changes = view.state.changes(typed.map(({ from, to, words }) => ({ from: within(from), to: within(to), insert: view.state.toText(words) })));
    const userEvent = this.#isPasted ? "input.paste" : "input.type";
    view.dispatch({ changes, selection: { anchor: changes.mapPos(within(last.to), 1) }, userEvent, scrollIntoView: true });
  }

  #keep(path: string, view: EditorView, words: string): void {
    if (this.#path !== path || performance.now() - this.#lastMs > KEPT_MS) this.#typed = [];
    if (this.#typed.length === 0) this.#isPasted = false;
    this.#path = path;
    this.#lastMs = performance.now();
    const { from, to } = view.state.selection.main;
    const last = this.#typed.at(-1);
    if (last?.from === from && last.to === to) last.words += words;
    else this.#typed.push({ from, to, words });
  }

  #takeBack(path: string): void {
    const last = this.#typed.at(-1);
    if (last && this.#path === path) last.words = Array.from(last.words).slice(0, -1).join("");
  }
}

/** What an event would write; null when it does something else. */
function wordsOf({ inputType, data }: InputEvent): string | null {
  if (inputType === "insertText") return data;
  return inputType === "insertParagraph" || inputType === "insertLineBreak" ? "\n" : null;
}
