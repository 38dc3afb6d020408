/**
 * What was typed and is not stored by the server yet, kept by the browser so that its crash loses nothing. A record goes as
 * soon as the server has what is in it. The browser keeps it for this address alone, port included; signing out removes all.
 */
import * as Y from "yjs";

export interface UnsentRecord {
  key: string;
  address: string;
  path: string;
  /** The history that the edits belong to; another one can't take them. */
  epoch: string;
  update: Uint8Array;
  /** The whole text, for a person who must bring the edits in by hand. */
  content: string;
  /** Which writing of this record it is: one that was written again is not removed for the one before. */
  stamp: string;
}

export interface UnsentStore {
  of(address: string, path: string): Promise<UnsentRecord[]>;
  put(record: UnsentRecord): Promise<void>;
  /** Removes a record, unless it was written again meanwhile. */
  remove(record: Pick<UnsentRecord, "key" | "stamp">): Promise<void>;
}

/** So long edits may be on their way before they are kept. */
const KEEP_MS = 300;

/** The unsent edits of one text in one tab. */
export class Unsent {
  readonly #store: UnsentStore;
  readonly #address: string;
  readonly #tab = crypto.randomUUID();
  #edits: { upTo: number; update: Uint8Array }[] = [];
  #kept: UnsentRecord | null = null;
  /** What an earlier page left, and with which edit it is stored. */
  #found: { record: UnsentRecord; upTo: number }[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;
  #work: Promise<void> = Promise.resolve();

  constructor(store: UnsentStore, address: string) {
    this.#store = store;
    this.#address = address;
  }

  /** Takes an edit, and keeps it unless the server soon has it. */
  add(upTo: number, update: Uint8Array, text: () => { path: string; epoch: string; content: string }): void {
    this.#edits.push({ upTo, update });
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      if (this.#edits.length > 0) this.#keep(text());
    }, KEEP_MS);
  }

  /** The server has stored everything up to this edit. */
  stored(upTo: number): void {
    this.#edits = this.#edits.filter((edit) => edit.upTo > upTo);
    if (this.#edits.length === 0 && this.#kept) {
      this.#remove(this.#kept);
      this.#kept = null;
    }
    for (const { record } of this.#found.filter((found) => found.upTo <= upTo)) this.#remove(record);
    this.#found = this.#found.filter((found) => found.upTo > upTo);
  }

  /** The server has another history: what could not be sent is kept until a person has dealt with it. */
  setAside(): void {
    this.#edits = [];
    if (this.#kept) this.#found.push({ record: this.#kept, upTo: Infinity });
    this.#kept = null;
  }

  /** A person has dealt with what could not be brought in. */
  forgetAside(): void {
    for (const { record } of this.#found.filter((found) => found.upTo === Infinity)) this.#remove(record);
    this.#found = this.#found.filter((found) => found.upTo !== Infinity);
  }

  /** What earlier pages left of a text. */
  left(path: string): Promise<UnsentRecord[]> {
    return this.#store.of(this.#address, path);
  }

  /** A record was brought in; the server has it with this edit. Infinity is for one that only a person can bring in. */
  took(record: UnsentRecord, upTo: number): void {
    this.#found.push({ record, upTo });
  }

  /** When all that was begun is done. */
  settled(): Promise<void> {
    return this.#work;
  }

  #keep({ path, epoch, content }: { path: string; epoch: string; content: string }): void {
    const upTo = this.#edits.at(-1)?.upTo ?? 0;
    const update = Y.mergeUpdates(this.#edits.map((edit) => edit.update));
    // One stays one: a long time offline is not merged anew with each pause.
    this.#edits = [{ upTo, update }];
    const old = this.#kept;
    const record = { key: `${this.#address}|${path}|${this.#tab}`, address: this.#address, path, epoch, update, content, stamp: crypto.randomUUID() };
    this.#kept = record;
    this.#do(() => this.#store.put(record));
    if (old && old.key !== record.key) this.#remove(old);
  }

  #remove(record: UnsentRecord): void {
    this.#do(() => this.#store.remove(record));
  }

  /** In order, and never in the way of typing: a browser that keeps nothing is told of once. */
  #do(work: () => Promise<void>): void {
    this.#work = this.#work.then(work).catch((error: unknown) => {
      if (!(error instanceof DOMException)) throw error;
      console.warn("This browser keeps no edits: what is not stored yet would be lost with it.", error);
    });
  }
}
