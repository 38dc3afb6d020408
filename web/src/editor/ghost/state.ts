/**
 * The suggestion at the cursor, as part of the editor's state: nothing, asked for, or shown. Its place follows the
 * text. An answer holds only while what was written since is the beginning of it.
 */
import { Annotation, StateEffect, StateField, type Transaction } from "@codemirror/state";
import type { Suggestion } from "./options";

export interface Ghost {
  readonly phase: "loading" | "active";
  /** Tells one asking from the next. */
  readonly request: number;
  /** Where the cursor is, and what is suggested would go. */
  readonly at: number;
  /** The person asked for it, rather than paused. */
  readonly asked: boolean;
  /** It takes long enough for the person to be told. */
  readonly isLate: boolean;
  /** What was written here since it was asked for; every suggestion begins with it. */
  readonly taken: string;
  /** How much of that was accepted, not typed. */
  readonly accepted: number;
  readonly items: readonly Suggestion[];
  readonly index: number;
}

export const begin = StateEffect.define<{ request: number; asked: boolean }>();
export const arrive = StateEffect.define<{ request: number; suggestion: Suggestion }>();
/** Shows that nothing has arrived yet. */
export const beLate = StateEffect.define<{ request: number }>();
/** Shows what has arrived. */
export const reveal = StateEffect.define<{ request: number }>();
/** Nothing more arrives. */
export const finish = StateEffect.define<{ request: number }>();
export const choose = StateEffect.define<number>();
export const dismiss = StateEffect.define();
/** Marks the writing of an accepted part. */
export const accept = Annotation.define<{ id: string; text: string; whole: boolean }>();

/** What is left of a suggestion to be taken. */
export function restOf({ items, index, taken }: Ghost): string {
  return items[index]?.text.slice(taken.length) ?? "";
}

export const ghostField = StateField.define<Ghost | null>({
  create: () => null,
  update(ghost, transaction) {
    let now = ghost === null ? null : carried(ghost, transaction);
    for (const effect of transaction.effects) {
      if (effect.is(begin)) now = begun(effect.value, transaction);
      else if (effect.is(dismiss)) now = null;
      else if (now !== null) now = told(now, effect);
    }
    return now;
  },
});

function begun({ request, asked }: { request: number; asked: boolean }, { newSelection, state }: Transaction): Ghost | null {
  const { main, ranges } = newSelection;
  if (!main.empty || ranges.length > 1 || state.readOnly) return null;
  return { phase: "loading", request, at: main.head, asked, isLate: false, taken: "", accepted: 0, items: [], index: 0 };
}

function told(ghost: Ghost, effect: StateEffect<unknown>): Ghost | null {
  if (effect.is(arrive)) return effect.value.request === ghost.request ? arrived(ghost, effect.value.suggestion) : ghost;
  if (effect.is(beLate)) return effect.value.request === ghost.request ? { ...ghost, isLate: true } : ghost;
  if (effect.is(reveal)) return effect.value.request === ghost.request && ghost.items.length > 0 ? { ...ghost, phase: "active" } : ghost;
  if (effect.is(finish)) return effect.value.request === ghost.request && ghost.items.length === 0 ? null : ghost;
  if (effect.is(choose)) return { ...ghost, index: effect.value };
  return ghost;
}

/**
 * A suggestion that does not go on from what was written meanwhile is left out, as is one that says the same again. One
 * that is here already is known better now.
 */
function arrived(ghost: Ghost, suggestion: Suggestion): Ghost {
  if (ghost.items.some(({ index }) => index === suggestion.index)) {
    return { ...ghost, items: ghost.items.map((item) => (item.index === suggestion.index ? { ...item, confidence: suggestion.confidence } : item)) };
  }
  if (!goesOn(suggestion, ghost.taken) || ghost.items.some(({ text }) => text === suggestion.text)) return ghost;
  return { ...ghost, items: [...ghost.items, suggestion] };
}

function goesOn({ text }: Suggestion, taken: string): boolean {
  return text.startsWith(taken) && text.slice(taken.length).trim() !== "";
}

/** The suggestion after a transaction; null if it has lost its place. */
function carried(ghost: Ghost, transaction: Transaction): Ghost | null {
  const accepted = transaction.annotation(accept);
  if (accepted) return accepted.whole ? null : taken(ghost, accepted.text);
  const moved = transaction.docChanged ? written(ghost, transaction) : ghost;
  if (moved === null) return null;
  const { main, ranges } = transaction.newSelection;
  return ranges.length === 1 && main.empty && main.head === moved.at ? moved : null;
}

function taken(ghost: Ghost, text: string): Ghost {
  return grown({ ...ghost, at: ghost.at + text.length, accepted: ghost.accepted + text.length }, text);
}

/** Follows changes elsewhere. Here, only typing is followed, and only as long as nothing is shown. */
function written(ghost: Ghost, transaction: Transaction): Ghost | null {
  const { changes } = transaction;
  const here: { text: string; isInsert: boolean }[] = [];
  changes.iterChanges((from, to, _fromNew, _toNew, inserted) => {
    if (from <= ghost.at && to >= ghost.at) here.push({ text: inserted.toString(), isInsert: from === to });
  });
  const [change] = here;
  const at = changes.mapPos(ghost.at, 1);
  if (!change) return { ...ghost, at };
  const isTyped = here.length === 1 && change.isInsert && transaction.isUserEvent("input.type");
  return isTyped && ghost.phase === "loading" ? grown({ ...ghost, at }, change.text) : null;
}

/** What was written here is the beginning of the suggestions that are left. */
function grown(ghost: Ghost, text: string): Ghost {
  const taken = ghost.taken + text;
  const current = ghost.items[ghost.index];
  const items = ghost.items.filter((item) => goesOn(item, taken));
  return { ...ghost, taken, items, index: Math.max(0, items.findIndex((item) => item === current)) };
}
