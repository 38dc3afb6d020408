/** Ties an editor to a live text: what is typed goes there, what others write comes here, undo is the text's own. */
import { Annotation, EditorState, type Extension, type TransactionSpec } from "@codemirror/state";
import { EditorView, keymap, type PluginValue, ViewPlugin, type ViewUpdate } from "@codemirror/view";
import type * as Y from "yjs";
import { accept } from "../ghost";
import { reads } from "./difference";
import { Accepting, type LiveText, PASTING, TYPING } from "./live-text";
import { typingOver } from "../keys/typing-over";

/** Marks what came from the live text, so that it does not go back there. */
const fromText = Annotation.define<true>();

interface Span {
  from: number;
  to: number;
  insert: string;
}

/** The editor in which somebody undoes just now, of those that show the same text. */
let undoing: EditorView | null = null;

function undoIn(view: EditorView, undo: () => unknown): void {
  undoing = view;
  try {
    undo();
  } finally {
    undoing = null;
  }
}

class Binding implements PluginValue {
  readonly #view: EditorView;
  readonly #live: LiveText;
  readonly #edited: () => void;
  /** What comes from the text now is what this editor just wrote there. */
  #isWriting = false;
  readonly #observer = (event: Y.YTextEvent, transaction: Y.Transaction): void => {
    if (!this.#isWriting) this.#show(event, transaction.origin === this.#live.undo);
  };

  constructor(view: EditorView, live: LiveText, edited: () => void) {
    this.#view = view;
    this.#live = live;
    this.#edited = edited;
    live.text.observe(this.#observer);
  }

  update(update: ViewUpdate): void {
    if (!update.docChanged || update.transactions.some((transaction) => transaction.annotation(fromText))) return;
    this.#isWriting = true;
    try {
      writeEdits(this.#live, update);
    } finally {
      this.#isWriting = false;
    }
    this.#edited();
  }

  destroy(): void {
    this.#live.text.unobserve(this.#observer);
  }

  #show(event: Y.YTextEvent, undone: boolean): void {
    const changes = spans(event);
    const last = changes.at(-1);
    const spec: TransactionSpec = { changes, annotations: fromText.of(true) };
    // On the other side of a split, somebody else's place is kept.
    if (!undone || !last || (undoing !== null && undoing !== this.#view)) {
      this.#view.dispatch(spec);
      return;
    }
    // Whoever undoes looks at what changed: the cursor goes there.
    const before = changes.slice(0, -1).reduce((sum, span) => sum + span.insert.length - (span.to - span.from), 0);
    this.#view.dispatch({ ...spec, selection: { anchor: last.from + before + last.insert.length }, scrollIntoView: true });
  }
}

/** Writes what was done in an editor into the live text; `start` is where the part of it begins that the editor shows. */
export function writeEdits({ doc, steps, text }: LiveText, update: ViewUpdate, start = 0): void {
  steps.before(update, start);
  doc.transact(() => {
    let shift = start;
    update.changes.iterChanges((from, to, _fromNew, _toNew, inserted) => {
      const fresh = inserted.toString();
      if (to > from) text.delete(from + shift, to - from);
      if (fresh !== "") text.insert(from + shift, fresh);
      shift += fresh.length - (to - from);
    });
  }, originOf(update));
}

/** Whether words came from the keyboard, from elsewhere, or from a suggestion. */
function originOf({ transactions }: ViewUpdate): unknown {
  const accepted = transactions.map((transaction) => transaction.annotation(accept)).find((one) => one !== undefined);
  if (accepted) return new Accepting(accepted.id);
  const isPasted = transactions.some((transaction) => transaction.isUserEvent("input.paste") || transaction.isUserEvent("input.drop"));
  return isPasted ? PASTING : TYPING;
}

/** The changes of an event, in places of the text as it was. */
function spans(event: Y.YTextEvent): Span[] {
  const changes: Span[] = [];
  let at = 0;
  for (const step of event.delta) {
    if (step.insert !== undefined) changes.push({ from: at, to: at, insert: typeof step.insert === "string" ? step.insert : "" });
    else if (step.delete !== undefined) {
      changes.push({ from: at, to: at + step.delete, insert: "" });
      at += step.delete;
    } else at += step.retain ?? 0;
  }
  return changes;
}

/** Brings an editor's text in line with the live one, after it was out of sight. */
export function catchUp(view: EditorView, live: LiveText): void {
  const fresh = live.content;
  if (reads(view.state.doc, fresh)) return;
  const old = view.state.doc.toString();
  const shorter = Math.min(old.length, fresh.length);
  let from = 0;
  while (from < shorter && old.charCodeAt(from) === fresh.charCodeAt(from)) from += 1;
  let end = 0;
  while (end < shorter - from && old.charCodeAt(old.length - 1 - end) === fresh.charCodeAt(fresh.length - 1 - end)) end += 1;
  view.dispatch({ changes: { from, to: old.length - end, insert: fresh.slice(from, fresh.length - end) }, annotations: fromText.of(true) });
}

/** `edited` hears of every change that is made in this editor, and of none that comes from elsewhere. */
export function liveBinding(live: LiveText, save: () => void, edited: () => void = () => undefined): Extension {
  const act = (run: () => unknown) => (view: EditorView) => {
    undoIn(view, run);
    return true;
  };
  return [
    ViewPlugin.define((view) => new Binding(view, live, edited)),
    typingOver,
    // The text's own lines end in "\n"; anything else is a character of it, or the places would not agree.
    EditorState.lineSeparator.of("\n"),
    EditorView.clipboardInputFilter.of((text) => text.replace(/\r\n?/g, "\n")),
    keymap.of([
      { key: "Mod-z", run: act(() => live.undo.undo()), preventDefault: true },
      { key: "Mod-y", mac: "Mod-Shift-z", run: act(() => live.undo.redo()), preventDefault: true },
      { key: "Mod-Shift-z", run: act(() => live.undo.redo()), preventDefault: true },
      { key: "Mod-s", run: act(save), preventDefault: true },
    ]),
  ];
}
