/** What can be done with a suggestion: ask for one, take all of it or a part, look at another, send it away. */
import { EditorSelection, type StateEffect } from "@codemirror/state";
import { type Command, EditorView } from "@codemirror/view";
import { type Ghost, restOf } from "../../ghost/ghost";
import { ghostPlace } from "./options";
import { firstLine, firstWord } from "./parts";
import { isInTable } from "./rule";
import { accept, begin, dismiss, ghostField, tell } from "./state";

let requests = 0;

/** The beginning of a new asking. */
export function asking(asked: boolean): StateEffect<unknown> {
  requests += 1;
  return begin.of({ request: requests, asked });
}

/** The suggestion that shows, if one does. */
export function shown(view: EditorView): Ghost | null {
  const ghost = view.state.field(ghostField, false) ?? null;
  return ghost?.phase === "active" ? ghost : null;
}

/** Whether a suggestion may be made where the cursor is. */
export function canSuggest({ state, compositionStarted }: EditorView): boolean {
  const { main, ranges } = state.selection;
  const place = state.facet(ghostPlace);
  if (!place || place.source.settings().suggest === "off") return false;
  return main.empty && ranges.length === 1 && !state.readOnly && !compositionStarted && !isInTable(state, main.head);
}

/** Asks for a suggestion at the cursor. */
export const suggest: Command = (view) => {
  if (!canSuggest(view)) return false;
  view.dispatch({ effects: asking(true) });
  return true;
};

/** Writes a part of what is suggested; without a part, all of it but for the white space at its end. */
function take(view: EditorView, ghost: Ghost, part: string): true {
  const { state } = view;
  const rest = restOf(ghost);
  const isWhole = rest.slice(part.length).trim() === "";
  const next = state.sliceDoc(ghost.at, ghost.at + 1);
  // A blank before a word that follows is needed; the cursor stands before it all the same.
  const needsBlank = isWhole && /\S/.test(next);
  const whole = rest.trimEnd();
  const text = !isWhole ? part : needsBlank ? rest : whole;
  const length = isWhole ? whole.length : part.length;
  const endStep = () => state.facet(ghostPlace)?.endStep();
  endStep();
  view.dispatch({
    changes: { from: ghost.at, insert: state.toText(text) },
    selection: EditorSelection.cursor(ghost.at + length),
    annotations: accept.of({ id: ghost.items[ghost.index]?.id ?? "", text, whole: isWhole }),
    userEvent: "input.complete",
    scrollIntoView: true,
  });
  endStep();
  return true;
}

/** A suggestion as it is said: a sentence that ends. */
export function spoken(name: string, text: string): string {
  const words = text.trim();
  return `${name}: ${words}${/[\p{L}\p{N}]$/u.test(words) ? "." : ""}`;
}

type Part = (rest: string) => string;

function taking(part: Part): Command {
  return (view) => {
    const ghost = shown(view);
    return ghost !== null && take(view, ghost, part(restOf(ghost)));
  };
}

export const acceptAll = taking((rest) => rest);
export const acceptWord = taking(firstWord);
export const acceptLine = taking(firstLine);

function stepping(step: 1 | -1): Command {
  return (view) => {
    const ghost = shown(view);
    if (!ghost) return false;
    const count = ghost.items.length;
    const index = (ghost.index + step + count) % count;
    const text = ghost.items[index]?.text.slice(ghost.taken.length) ?? "";
    view.dispatch({ effects: [tell.of({ is: "choose", index }), EditorView.announce.of(spoken(`Suggestion ${String(index + 1)} of ${String(count)}`, text))] });
    return true;
  };
}

export const nextSuggestion = stepping(1);
export const previousSuggestion = stepping(-1);

export const dismissSuggestion: Command = (view) => {
  if (view.state.field(ghostField, false) === null) return false;
  view.dispatch({ effects: dismiss.of(null) });
  return true;
};
