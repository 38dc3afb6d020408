/**
 * Reviewing what an AI wrote, in the text: what went stands above what came, which is the real text and can be
 * edited; each edit is accepted or rejected at its foot or by keys.
 */
import { type Extension, Prec } from "@codemirror/state";
import { EditorView, keymap, type PluginValue, ViewPlugin } from "@codemirror/view";
import { decideHere, goToEdit } from "./decide";
import { drawing } from "./draw";
import { reviewField, setHunks, standingOf } from "./field";
import { type Reviewing, reviewing, type ReviewSource, type Standing } from "./options";

export { decideHere, goToEdit, goToFirstEdit } from "./decide";
export type { Hunk } from "./edits";
export { changesOutsideTables, reviewField, standingOf } from "./field";
export type { Reading, ReviewOptions, ReviewSource, Standing, Verdict } from "./options";
export { type By, readHunks, type WireHunk } from "./wire";
export type { Span } from "./words";

/** Brings an editor in line with what waits now, after it was out of sight. */
export function lookAgain(view: EditorView, source: ReviewSource): void {
  if (view.state.field(reviewField, false)) view.dispatch({ effects: setHunks.of(source.hunks()) });
}

class Follower implements PluginValue {
  readonly #stop: () => void;
  constructor(view: EditorView, source: ReviewSource) {
    this.#stop = source.onReview(() => { lookAgain(view, source); });
  }
  destroy(): void {
    this.#stop();
  }
}

const keys = Prec.high(
  keymap.of([
    { key: "Mod-Enter", run: decideHere("accept") },
    { key: "Mod-Alt-Enter", run: decideHere("reject") },
    { key: "Alt-ArrowDown", run: goToEdit(1) },
    { key: "Alt-ArrowUp", run: goToEdit(-1) },
  ]),
);

/** Shows the edits of a text that wait for review; tells how far that is. */
export function review(context: Reviewing, onStanding: (standing: Standing) => void): Extension {
  return [
    reviewing.of(context),
    reviewField,
    drawing,
    keys,
    ViewPlugin.define((view) => new Follower(view, context.source)),
    EditorView.updateListener.of(({ state, startState, docChanged, selectionSet }) => {
      if (docChanged || selectionSet || state.field(reviewField) !== startState.field(reviewField, false)) onStanding(standingOf(state));
    }),
  ];
}
