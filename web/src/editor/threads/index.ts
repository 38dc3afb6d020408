/** Threads in a text: their passages marked, a dot for each in the right margin, and going from one to the next. */
import { EditorSelection, type EditorState, type Extension } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { dots } from "./dots";
import { type FoundThread, setThreads, threadAt, type ThreadContext, threadContext, threadField, type ThreadLook, threadsIn } from "./field";
import { type PartShown, type Place, placeOf, spanOf } from "./places";
import { telling } from "./rest";

export { setThreads, threadsIn } from "./field";
export type { SeenThreads, ThreadLook, ThreadsAround } from "./field";

/** A selected passage that may get a thread. */
export interface NewPassage {
  path: string;
  text: string;
  line: number;
  place: Place;
  /** Where it is now, in UTF-16 units, and its words now; null once it is gone, or the text is closed. */
  where(): { start: number; end: number; text: string } | null;
}

/** Shows the threads of a live text. */
export function threadMarks(context: ThreadContext): Extension {
  return [threadContext.of(context), threadField, dots, telling];
}

/** Shows those of a part of it, in an editor of its own; where they are the page hears from the whole. */
export function threadMarksInPart(context: ThreadContext & { part: PartShown }): Extension {
  return [threadContext.of(context), threadField, dots];
}

/** Follows the threads of a text that is not seen itself, for editors that show its parts. */
export function threadsUnseen(context: ThreadContext): Extension {
  return [threadContext.of(context), threadField, telling];
}

/** The threads that a text was given. */
export function looksIn(state: EditorState): readonly ThreadLook[] {
  return [...state.field(threadField).looks.values()];
}

/** The threads of whatever text a view shows. */
export class TextThreads {
  readonly #view: EditorView;

  constructor(view: EditorView) {
    this.#view = view;
  }

  /** Shows these in a text; false when the view shows another. */
  show(path: string, looks: readonly ThreadLook[]): boolean {
    if (this.#live?.path !== path) return false;
    this.#view.dispatch({ effects: setThreads.of(looks) });
    return true;
  }

  /** The selected passage, to begin a thread at; null when nothing but space is selected. */
  selected(): NewPassage | null {
    const live = this.#live;
    const { state } = this.#view;
    const { from, to } = state.selection.main;
    const words = state.sliceDoc(from, to);
    const text = words.trim();
    const start = from + words.length - words.trimStart().length;
    const place = live && text !== "" ? placeOf(live, { from: start, to: start + text.length }) : null;
    if (!live || !place) return null;
    const where = () => {
      const span = live.doc.isDestroyed ? null : spanOf(live, place);
      return span && span.to > span.from ? { start: span.from, end: span.to, text: live.content.slice(span.from, span.to) } : null;
    };
    return { path: live.path, text, line: state.doc.lineAt(start).number, place, where };
  }

  /** The thread whose passage the cursor is in. */
  here(): string | null {
    const { state } = this.#view;
    return this.#live ? (threadAt(state, state.selection.main.head)?.look.id ?? null) : null;
  }

  /** Puts the cursor at a thread's passage; false when the text does not show it. */
  goTo(id: string): boolean {
    return this.#goTo(this.#live ? threadsIn(this.#view.state).find(({ look }) => look.id === id) : undefined);
  }

  /** Goes to the next or previous thread; after the last comes the first. Tells which it is. */
  step(step: 1 | -1): string | null {
    const all = this.#all();
    const { head } = this.#view.state.selection.main;
    const next = step > 0 ? (all.find(({ from }) => from > head) ?? all[0]) : (all.findLast(({ from }) => from < head) ?? all.at(-1));
    return next && this.#goTo(next) ? next.look.id : null;
  }

  #goTo(thread: FoundThread | undefined): boolean {
    if (!thread) return false;
    const selection = EditorSelection.cursor(thread.from);
    this.#view.dispatch({ selection, effects: EditorView.scrollIntoView(selection, { y: "center" }) });
    this.#view.focus();
    return true;
  }

  #all(): FoundThread[] {
    return this.#live ? threadsIn(this.#view.state).filter(({ look }) => look.name !== null) : [];
  }

  get #live(): ThreadContext["live"] | null {
    return this.#view.state.facet(threadContext)?.live ?? null;
  }
}
