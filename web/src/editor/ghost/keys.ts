/** The keys of a suggestion. They mean something else only while one shows; two plusses ask for one. */
import { type Extension, Prec } from "@codemirror/state";
import { type Command, EditorView } from "@codemirror/view";
import { acceptAll, acceptLine, acceptWord, asking, canSuggest, dismissSuggestion, nextSuggestion, previousSuggestion } from "./commands";
import { wasSeen } from "./asker";
import { ghostPlace } from "./options";
import { asksAt } from "./rule";
import type { Ghost } from "../../ghost/ghost";
import { dismiss, ghostField } from "./state";

/** Two plusses are one wish when they come within this time. */
const TWICE_MS = 300;
const MODIFIERS = new Set(["Shift", "Control", "Alt", "AltGraph", "Meta", "CapsLock", "NumLock", "ScrollLock", "Fn"]);

type Press = Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey" | "altKey" | "shiftKey">;

/** What a key does to a suggestion that shows; null for any other key. */
export function meaningOf({ key, ctrlKey, metaKey, altKey, shiftKey }: Press, ghost: Ghost): Command | null {
  if (altKey || shiftKey) return null;
  if (ctrlKey !== metaKey) return HELD[key] ?? null;
  if (ctrlKey) return null;
  return PLAIN[key] ?? (ghost.asked ? (ASKED[key] ?? null) : null);
}

const HELD: Record<string, Command> = { ArrowRight: acceptWord, End: acceptLine };
const ASKED: Record<string, Command> = { Enter: acceptAll, ArrowRight: acceptAll };
const PLAIN: Record<string, Command> = {
  Tab: acceptAll, ArrowUp: previousSuggestion, ArrowDown: nextSuggestion, Escape: dismissSuggestion, ArrowLeft: dismissSuggestion,
};

function onKey(event: KeyboardEvent, view: EditorView): boolean {
  const ghost = view.state.field(ghostField, false) ?? null;
  if (ghost === null || event.isComposing || MODIFIERS.has(event.key)) return false;
  if (ghost.phase === "loading") {
    if (event.key === "Escape") dismissSuggestion(view);
    return false;
  }
  // A key that was pressed before the suggestion could be seen was not meant for it.
  const meaning = wasSeen(view, event.timeStamp) ? meaningOf(event, ghost) : null;
  if (meaning === null) {
    dismissSuggestion(view);
    return false;
  }
  event.stopPropagation();
  return meaning(view);
}

interface Plusses {
  /** Where the first one stands, and when it was typed. */
  at: number;
  time: number;
  /** Both are typed and gone. */
  isTaken: boolean;
}

const NONE: Plusses = { at: -1, time: -Infinity, isTaken: false };

function plusses(): Extension {
  let last = NONE;
  return EditorView.inputHandler.of((view, from, to, text) => {
    if (text !== "+") return false;
    const time = performance.now();
    const before = from === to && time - last.time <= TWICE_MS ? last : NONE;
    last = { at: from, time, isTaken: false };
    if (before.isTaken) return before.at === from && giveBack(view, from);
    if (before.at < 0 || before.at + 1 !== from || !canAsk(view, before.at)) return false;
    last = { at: before.at, time, isTaken: true };
    return ask(view, before.at);
  });
}

function canAsk(view: EditorView, at: number): boolean {
  const place = view.state.facet(ghostPlace);
  return place !== null && view.state.sliceDoc(at, at + 1) === "+" && canSuggest(view) && asksAt(view.state, at, place.language);
}

/** Writes the second plus and takes both away, in steps of their own: undoing brings them back. */
function ask(view: EditorView, at: number): true {
  const endStep = () => view.state.facet(ghostPlace)?.endStep();
  view.dispatch({ changes: { from: at + 1, insert: "+" }, selection: { anchor: at + 2 }, userEvent: "input.type" });
  endStep();
  view.dispatch({ changes: { from: at, to: at + 2 }, selection: { anchor: at }, effects: asking(true), userEvent: "delete" });
  endStep();
  return true;
}

/** A third plus says that three were meant. */
function giveBack(view: EditorView, at: number): boolean {
  if (view.state.field(ghostField)?.phase !== "loading") return false;
  view.dispatch({ changes: { from: at, insert: "+++" }, selection: { anchor: at + 3 }, effects: dismiss.of(null), userEvent: "input.type" });
  return true;
}

/** Whatever it is, it ends the suggestion and means what it always means. */
function goes(_event: Event, view: EditorView): boolean {
  dismissSuggestion(view);
  return false;
}

export function ghostKeys(): Extension {
  return [Prec.highest(EditorView.domEventHandlers({ keydown: onKey, mousedown: goes, compositionstart: goes, blur: goes })), plusses()];
}
