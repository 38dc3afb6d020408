/** Where threads are in a live text: by its characters, so that no edit elsewhere moves them. */
import * as Y from "yjs";

/** What this needs of a live text. */
export interface ThreadText {
  readonly path: string;
  readonly doc: Y.Doc;
  readonly text: Y.Text;
  readonly content: string;
  readonly epoch: string | null;
}

/** A passage by its first and last character, as pages and server tell it to each other. */
export interface Place {
  /** Which history of the text this belongs to. */
  epoch: string;
  from: object;
  to: object;
}

export interface Span {
  from: number;
  to: number;
}

/** Where a passage is now: empty when its characters are all gone; null where they are not known here, or not yet. */
export function spanOf(live: ThreadText, { epoch, from, to }: Place): Span | null {
  if (epoch !== live.epoch) return null;
  const start = indexOf(live, from);
  const end = indexOf(live, to);
  return start === null || end === null ? null : { from: start, to: Math.max(start, end) };
}

/** Holds on to a passage: what is written at its edges does not belong to it. */
export function placeOf({ text, epoch }: ThreadText, { from, to }: Span): Place | null {
  if (epoch === null) return null;
  const at = (index: number, assoc: number): object => Y.createRelativePositionFromTypeIndex(text, index, assoc);
  return { epoch, from: at(from, 0), to: at(to, -1) };
}

function indexOf({ doc }: ThreadText, place: object): number | null {
  return Y.createAbsolutePositionFromRelativePosition(Y.createRelativePositionFromJSON(place), doc)?.index ?? null;
}
