/** One text that is shared with the server: its Yjs document, its undo, and how it stands. */
import * as Y from "yjs";

/** Who made a change, as Yjs passes it on: typing here, an AI, or anybody else. */
export const TYPING = Symbol("typing");
export const BY_AI = Symbol("by AI");
export const BY_OTHERS = Symbol("by others");

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
  /** What was written offline on a text that the server no longer knows. */
  left: string | null;
}

export const UNKNOWN: TextStatus = {
  synced: false, online: false, waiting: 0, saved: true, saving: false, gone: false, problem: null, needsUtf8: false, theirs: null, refused: null, left: null,
};

export class LiveText {
  readonly path: string;
  readonly doc = new Y.Doc();
  readonly text = this.doc.getText("text");
  /** Undoes what was typed here and what an AI wrote, never what other people did. */
  readonly undo: Y.UndoManager;
  /** Which history this is a copy of; another one can't be merged. */
  epoch: string | null = null;

  constructor(path: string) {
    this.path = path;
    this.undo = new Y.UndoManager(this.text, { trackedOrigins: new Set<unknown>([TYPING, BY_AI]) });
  }

  get content(): string {
    return this.text.toJSON();
  }

  /** Calls back for each edit made here, undo included. */
  onEdit(take: (update: Uint8Array) => void): void {
    this.doc.on("update", (update: Uint8Array, origin: unknown) => {
      if (origin !== BY_AI && origin !== BY_OTHERS) take(update);
    });
  }

  apply(update: Uint8Array, origin: typeof BY_AI | typeof BY_OTHERS): void {
    // An AI's edit is a step of its own, not the end of what was being typed.
    if (origin === BY_AI) this.undo.stopCapturing();
    Y.applyUpdate(this.doc, update, origin);
    if (origin === BY_AI) this.undo.stopCapturing();
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
