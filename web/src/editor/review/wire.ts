/** What the server says of edits that wait for review, read strictly. */
import * as Y from "yjs";

/** Which edit of an AI a hunk comes from. */
export interface By {
  readonly editId: string;
  readonly model: string;
  /** Milliseconds. */
  readonly at: number;
}

/** One change that waits: what stood there, and between which characters the new words stand. */
export interface WireHunk {
  readonly id: string;
  readonly from: Y.RelativePosition;
  readonly to: Y.RelativePosition;
  readonly old: string;
  readonly by: readonly By[];
}

/** What a hunk may hold before it is read. */
interface Given {
  id?: unknown;
  from?: unknown;
  to?: unknown;
  old?: unknown;
  by?: unknown;
  editId?: unknown;
  model?: unknown;
  at?: unknown;
}

export function readHunks(value: unknown): WireHunk[] {
  return listOf(value).map((one) => {
    const { id, from, to, old, by } = givenIn(one);
    return { id: textOf(id), from: placeOf(from), to: placeOf(to), old: textOf(old), by: listOf(by).map(readBy) };
  });
}

function readBy(value: unknown): By {
  const { editId, model, at } = givenIn(value);
  if (typeof at !== "number") throw new TypeError("The time of an edit is not a number.");
  return { editId: textOf(editId), model: textOf(model), at };
}

function placeOf(value: unknown): Y.RelativePosition {
  if (typeof value !== "object" || value === null) throw new TypeError("A place of a hunk is not an object.");
  return Y.createRelativePositionFromJSON(value);
}

function listOf(value: unknown): unknown[] {
  if (!Array.isArray(value)) throw new TypeError("The hunks of a review are not a list.");
  return value;
}

function givenIn(value: unknown): Given {
  if (typeof value !== "object" || value === null) throw new TypeError("A hunk is not an object.");
  return value;
}

function textOf(value: unknown): string {
  if (typeof value !== "string") throw new TypeError("A field of a hunk is not text.");
  return value;
}
