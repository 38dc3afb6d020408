/** The suggestion at the cursor, as part of the editor's state. Its place follows the text. */
import { Annotation, StateEffect, StateField, type Transaction } from "@codemirror/state";
import { begun, type Ghost, type GhostNews, grown, taken, told } from "../../ghost/ghost";

export const begin = StateEffect.define<{ request: number; asked: boolean }>();
export const tell = StateEffect.define<GhostNews>();
export const dismiss = StateEffect.define();
/** Marks the writing of an accepted part. */
export const accept = Annotation.define<{ id: string; text: string; whole: boolean }>();

export const ghostField = StateField.define<Ghost | null>({
  create: () => null,
  update(ghost, transaction) {
    let now = ghost === null ? null : carried(ghost, transaction);
    for (const effect of transaction.effects) {
      if (effect.is(begin)) now = begunBy(effect.value, transaction);
      else if (effect.is(dismiss)) now = null;
      else if (effect.is(tell) && now !== null) now = told(now, effect.value);
    }
    return now;
  },
});

function begunBy({ request, asked }: { request: number; asked: boolean }, { newSelection, state }: Transaction): Ghost | null {
  const { main, ranges } = newSelection;
  return !main.empty || ranges.length > 1 || state.readOnly ? null : begun(request, asked, main.head);
}

/** The suggestion after a transaction; null if it has lost its place. */
function carried(ghost: Ghost, transaction: Transaction): Ghost | null {
  const accepted = transaction.annotation(accept);
  if (accepted) return accepted.whole ? null : taken(ghost, accepted.text, ghost.at + accepted.text.length);
  const moved = transaction.docChanged ? written(ghost, transaction) : ghost;
  if (moved === null) return null;
  const { main, ranges } = transaction.newSelection;
  return ranges.length === 1 && main.empty && main.head === moved.at ? moved : null;
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
  return isTyped && ghost.phase === "loading" ? grown(ghost, change.text, at) : null;
}
