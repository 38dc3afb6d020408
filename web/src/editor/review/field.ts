/** The edits that wait, kept at their places while the text changes. */
import { syntaxTree } from "@codemirror/language";
import { type ChangeDesc, type EditorState, StateEffect, StateField, type Text, type Transaction } from "@codemirror/state";
import { type Edit, editAt, editsOf, type Hunk } from "./edits";
import { reviewing, type Standing } from "./options";
import type { Span } from "./words";

export const setHunks = StateEffect.define<readonly Hunk[]>();

interface Review {
  readonly hunks: readonly Hunk[];
  readonly edits: readonly Edit[];
  /** Nothing but the places has changed since the state before. */
  readonly isMoved: boolean;
}

const NONE: Review = { hunks: [], edits: [], isMoved: false };

export const reviewField = StateField.define<Review>({
  create: (state) => reviewOf(state, state.facet(reviewing)?.source.hunks() ?? []),
  update(review, transaction) {
    const { state, startState, changes, docChanged, effects } = transaction;
    for (const effect of effects) if (effect.is(setHunks)) return reviewOf(state, effect.value);
    if (review.hunks.length === 0) return review;
    if (docChanged) {
      const hunks = review.hunks.map((hunk) => moved(hunk, changes));
      // Typing far from all edits leaves them as they are, however many there are.
      if (isNear(startState.doc, review.edits, changes)) return reviewOf(state, hunks);
      return { hunks, edits: review.edits.map((edit) => movedEdit(edit, changes)), isMoved: true };
    }
    return isShownOtherwise(transaction) ? reviewOf(state, review.hunks) : review;
  },
});

/** Tables, and the face of the lines, depend on the syntax and on how it is shown: both may come later than the edits. */
function isShownOtherwise({ state, startState, reconfigured }: Transaction): boolean {
  return reconfigured || syntaxTree(state) !== syntaxTree(startState);
}

/** What is written at the edge of a hunk stays outside of it. */
function moved(hunk: Hunk, changes: ChangeDesc): Hunk {
  const to = changes.mapPos(hunk.to, -1);
  return { ...hunk, from: Math.min(changes.mapPos(hunk.from, 1), to), to };
}

/** Whether a change is in the lines of an edit or in a line beside them. Tables depend on more than that. */
function isNear(doc: Text, edits: readonly Edit[], changes: ChangeDesc): boolean {
  if (edits.some(({ table }) => table)) return true;
  let found = false;
  changes.iterChangedRanges((from, to) => {
    const start = doc.lineAt(from).from - 1;
    const end = doc.lineAt(to).to + 1;
    found ||= edits.some(({ parts: [{ lines, place }] }) => (lines?.from ?? place) <= end && (lines?.to ?? place) >= start);
  });
  return found;
}

function movedEdit(edit: Edit, changes: ChangeDesc): Edit {
  const [part] = edit.parts;
  const span = ({ from, to }: Span) => ({ from: changes.mapPos(from), to: changes.mapPos(to) });
  return { ...edit, parts: [{ ...part, lines: part.lines && span(part.lines), added: part.added.map(span), place: changes.mapPos(part.place) }] };
}

function reviewOf(state: EditorState, hunks: readonly Hunk[]): Review {
  if (hunks.length === 0) return NONE;
  const { doc } = state;
  // The text on the page may be a moment behind what the places were made for.
  const within = hunks.map((hunk) => ({ ...hunk, from: Math.min(hunk.from, doc.length), to: Math.min(hunk.to, doc.length) }));
  return { hunks: within, edits: editsOf(doc, within, state.facet(reviewing)?.tablesOf(state, within)), isMoved: false };
}

export function editsIn(state: EditorState): readonly Edit[] {
  return state.field(reviewField, false)?.edits ?? [];
}

/** The new lines of all edits. */
export function linesUnderReview(state: EditorState): readonly Span[] {
  return editsIn(state).flatMap(({ parts }) => parts.flatMap(({ lines }) => (lines ? [lines] : [])));
}

/** The new words of all edits but those of tables; lines that are new as a whole have none. */
export function changesOutsideTables(state: EditorState): readonly Span[] {
  return editsIn(state).flatMap(({ parts: [{ lines, added }], table }) => (table || !lines ? [] : added.length > 0 ? added : [lines]));
}

export function standingOf(state: EditorState): Standing {
  const edits = editsIn(state);
  const current = editAt(state.doc, edits, state.selection.main.head);
  return { count: edits.length, current: current ? edits.indexOf(current) + 1 : 0 };
}
