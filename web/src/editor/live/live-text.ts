/** One text that is shared with the server: its Yjs document, its undo, what of it waits for review, and how it stands. */
import { Text } from "@codemirror/state";
import * as Y from "yjs";
import type { Hunk, ReviewSource, WireHunk } from "../review";
import { UndoSteps } from "./undo-steps";

/** Who made a change, as Yjs passes it on: typing or pasting here, an AI, or anybody else. */
export const TYPING = Symbol("typing");
export const PASTING = Symbol("pasting");
export const BY_AI = Symbol("by AI");
export const BY_OTHERS = Symbol("by others");
/** What was typed in a page that could not send it, brought in again. */
export const RESTORED = Symbol("restored");

/** What was written on a text that the server no longer has so: the text that it was written on, and the one it made. */
export interface LeftEdits {
  base: string;
  mine: string;
}

/** An accepted suggestion, or a part of it, by the id of its answer. */
export class Accepting {
  constructor(readonly id: string) {}
}

/** What people are told of a text besides its words. */
export interface TextStatus {
  /** Everything the server has is here: the text may be shown and edited. */
  synced: boolean;
  online: boolean;
  /** Edits that the server has not stored yet. */
  waiting: number;
  saved: boolean;
  saving: boolean;
  /** The file is not on the disk any more. */
  gone: boolean;
  problem: string | null;
  /** The problem is a letter that the file's encoding lacks. */
  needsUtf8: boolean;
  /** The version on disk, when the same lines were changed there. */
  theirs: string | null;
  /** Why the file can't be edited. */
  refused: string | null;
  /** What was written offline, or in a page that ended, on a text that the server no longer knows. */
  left: LeftEdits | null;
}

export const UNKNOWN: TextStatus = {
  synced: false, online: false, waiting: 0, saved: true, saving: false, gone: false, problem: null, needsUtf8: false, theirs: null, refused: null, left: null,
};

/** How an edit made here came about; for an accepted suggestion, the id of its answer. */
export type Way = "typed" | "pasted" | "undone" | { accepted: string };

export class LiveText implements ReviewSource {
  path: string;
  readonly doc = new Y.Doc();
  readonly text = this.doc.getText("text");
  /** Undoes what was typed here and what an AI wrote, never what other people did. */
  readonly undo: Y.UndoManager;
  readonly steps = new UndoSteps(() => { this.undo.stopCapturing(); });
  /** Which history this is a copy of; another one can't be merged. */
  epoch: string | null = null;
  review: string | null = null;
  #waiting: readonly WireHunk[] = [];
  /** A place of what waits could not be found yet: its words are still on their way. */
  #isAhead = false;
  readonly #followers = new Set<() => void>();

  constructor(path: string) {
    this.path = path;
    this.undo = new Y.UndoManager(this.text, { trackedOrigins: new Set<unknown>([TYPING, PASTING, Accepting, BY_AI]) });
  }

  get content(): string {
    return this.text.toJSON();
  }

  /** Puts words in the place of others, as one step of the undo. */
  replace(from: number, to: number, words: string): void {
    this.change([{ from, to, insert: words }]);
  }

  /** Makes changes from the back to the front, as one step of the undo. */
  change(places: readonly { from: number; to: number; insert: string }[]): void {
    this.undo.stopCapturing();
    this.doc.transact(() => {
      for (const { from, to, insert } of places) {
        this.text.delete(from, to - from);
        this.text.insert(from, insert);
      }
    }, TYPING);
    this.undo.stopCapturing();
  }

  /** Calls back before each edit made here. */
  beforeEdit(call: () => void): void {
    this.doc.on("beforeTransaction", ({ origin }: Y.Transaction) => {
      if (origin !== BY_AI && origin !== BY_OTHERS) call();
    });
  }

  /** Calls back for each edit made here, undo included. */
  onEdit(take: (update: Uint8Array, way: Way) => void): void {
    this.doc.on("update", (update: Uint8Array, origin: unknown) => {
      if (origin === BY_AI || origin === BY_OTHERS) return;
      take(update, this.#wayOf(origin));
    });
  }

  #wayOf(origin: unknown): Way {
    if (origin instanceof Accepting) return { accepted: origin.id };
    return origin === this.undo ? "undone" : origin === PASTING ? "pasted" : "typed";
  }

  apply(update: Uint8Array, origin: typeof BY_AI | typeof BY_OTHERS): void {
    // An AI's edit is a step of its own, not the end of what was being typed.
    if (origin === BY_AI) this.undo.stopCapturing();
    Y.applyUpdate(this.doc, update, origin);
    if (origin === BY_AI) this.undo.stopCapturing();
    if (this.#isAhead) this.#tellFollowers();
  }

  /** Brings in edits that were made here before; those that are in it already change nothing. */
  restore(update: Uint8Array): void {
    this.undo.stopCapturing();
    Y.applyUpdate(this.doc, update, RESTORED);
  }

  /** Takes note of what waits for review now. */
  takeReview(review: string | null, hunks: readonly WireHunk[]): void {
    this.review = review;
    this.#waiting = hunks;
    this.#tellFollowers();
  }

  hunks(): readonly Hunk[] {
    this.#isAhead = false;
    return this.#waiting.flatMap(({ id, from, to, old, by }) => {
      const start = this.#placeOf(from);
      const end = this.#placeOf(to);
      if (start === null || end === null) {
        this.#isAhead = true;
        return [];
      }
      // Between two places that hold on to their neighbours something may have been written.
      return [{ id, from: Math.min(start, end), to: end, old, by }];
    });
  }

  follow(at: number): () => number {
    const place = Y.createRelativePositionFromTypeIndex(this.text, at);
    return () => this.#placeOf(place) ?? at;
  }

  onReview(call: () => void): () => void {
    this.#followers.add(call);
    return () => this.#followers.delete(call);
  }

  #placeOf(place: Y.RelativePosition): number | null {
    return Y.createAbsolutePositionFromRelativePosition(place, this.doc)?.index ?? null;
  }

  #tellFollowers(): void {
    for (const call of [...this.#followers]) call();
  }

  version(): Uint8Array {
    return Y.encodeStateVector(this.doc);
  }

  missing(version: Uint8Array): Uint8Array {
    return Y.encodeStateAsUpdate(this.doc, version);
  }

  destroy(): void {
    this.undo.destroy();
    this.doc.destroy();
  }
}

/** The words of a live text, as the editor keeps them. */
export function textOf(live: LiveText): Text {
  return Text.of(live.content.split("\n"));
}
