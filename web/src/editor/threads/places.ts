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

/** Which part of a text an editor shows; null while it shows nothing of it. All of it without this. */
export type PartShown = () => Span | null;

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

/** Where a passage is in an editor that shows a part of a text; null for one that is not all in it. */
export function spanIn(live: ThreadText, place: Place, part: PartShown | undefined): Span | null {
  const span = spanOf(live, place);
  if (!part || !span) return span;
  const shown = part();
  return shown && span.from >= shown.from && span.to <= shown.to ? { from: span.from - shown.from, to: span.to - shown.from } : null;
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
