/** What is typed or pasted into a text that is shown but not live yet: kept until it is, however long that takes. */
import { ChangeSet, EditorState, type Extension, type Text } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { difference } from "./difference";
import type { ViewedText } from "../surroundings";

/** Words, and the part of the text that was selected when they were typed. */
interface Typed {
  from: number;
  to: number;
  words: string;
}

/** What waits for one text. */
interface Waiting {
  typed: Typed[];
  /** The text that the places are in. */
  doc: Text;
  isPasted: boolean;
}

export class EarlyTyping {
  readonly #waiting = new Map<string, Waiting>();

  /** Whether something waits for a text to become live. */
  get isWaiting(): boolean {
    return [...this.#waiting.values()].some(({ typed }) => typed.some(({ words }) => words !== ""));
  }

  /** For a text that is only shown. One that is shown in parts never becomes live. */
  shown({ path, part }: ViewedText): Extension {
    const readOnly = EditorState.readOnly.of(true);
    return part ? readOnly : [
      readOnly,
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
          this.#keep(path, view, words.replace(/\r\n?/g, "\n"), words !== "");
        },
      }),
    ];
  }

  /** Writes what was typed, if the text is live now. Whatever was pasted makes all of it count as pasted. */
  write(path: string, view: EditorView): void {
    const waiting = view.state.readOnly ? undefined : this.#waiting.get(path);
    const last = waiting?.typed.at(-1);
    if (!waiting || !last) return;
    this.#waiting.delete(path);
    follow(waiting, view.state.doc);
    const changes = view.state.changes(waiting.typed.map(({ from, to, words }) => ({ from, to, insert: view.state.toText(words) })));
    const userEvent = waiting.isPasted ? "input.paste" : "input.type";
    view.dispatch({ changes, selection: { anchor: changes.mapPos(last.to, 1) }, userEvent, scrollIntoView: true });
  }

  /** Forgets texts that are not open any more. */
  keepOnly(paths: readonly string[]): void {
    for (const path of this.#waiting.keys()) if (!paths.includes(path)) this.#waiting.delete(path);
  }

  #keep(path: string, view: EditorView, words: string, isPasted = false): void {
    const waiting = this.#waiting.get(path) ?? { typed: [], doc: view.state.doc, isPasted: false };
    this.#waiting.set(path, waiting);
    follow(waiting, view.state.doc);
    waiting.isPasted ||= isPasted;
    const { from, to } = view.state.selection.main;
    const last = waiting.typed.at(-1);
    if (last?.from === from && last.to === to) last.words += words;
    else waiting.typed.push({ from, to, words });
  }

  #takeBack(path: string): void {
    const last = this.#waiting.get(path)?.typed.at(-1);
    if (last) last.words = Array.from(last.words).slice(0, -1).join("");
  }
}

/** Takes the places along into a newer version of their text. */
function follow(waiting: Waiting, doc: Text): void {
  const change = waiting.doc === doc ? null : difference(waiting.doc, doc.toString());
  if (change) {
    const changes = ChangeSet.of(change, waiting.doc.length);
    for (const typed of waiting.typed) {
      typed.from = changes.mapPos(typed.from, 1);
      typed.to = Math.max(typed.from, changes.mapPos(typed.to, -1));
    }
  }
  waiting.doc = doc;
}

/** What an event would write; null when it does something else. */
function wordsOf({ inputType, data }: InputEvent): string | null {
  if (inputType === "insertText") return data;
  return inputType === "insertParagraph" || inputType === "insertLineBreak" ? "\n" : null;
}
