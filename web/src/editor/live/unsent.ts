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
  /** The whole text with the edits, and as it was before the first of them: for a history that can't take them. */
  content: string;
  base: string;
  at: number;
  /** Which writing of this record it is: one that was written again is not removed for the one before. */
  stamp: string;
}

export interface UnsentStore {
  of(address: string, path: string): Promise<UnsentRecord[]>;
  put(record: UnsentRecord): Promise<void>;
  /** Removes a record, unless it was written again meanwhile. */
  remove(record: Pick<UnsentRecord, "key" | "stamp">): Promise<void>;
}

/** A live text, as far as its edits are kept. */
interface Written {
  path: string;
  epoch: string | null;
  content: string;
}

/** So long edits may be on their way before they are kept. */
const KEEP_MS = 300;

/** The unsent edits of one text in one tab. */
export class Unsent {
  readonly #store: UnsentStore | null;
  readonly #address: string;
  readonly #tab = crypto.randomUUID();
  #edits: { upTo: number; update: Uint8Array; at: number }[] = [];
  #base: string | null = null;
  #kept: UnsentRecord | null = null;
  /** What an earlier page left, and with which edit it is stored. */
  #found: { record: UnsentRecord; upTo: number }[] = [];
  /** What another history could not take, for a person to decide. */
  #aside: UnsentRecord[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;
  #work: Promise<void> = Promise.resolve();

  constructor(store: UnsentStore | null, address: string) {
    this.#store = store;
    this.#address = address;
  }

  /** Before an edit: the text that the first unsent one is made on. */
  before(text: () => string): void {
    this.#base ??= text();
  }

  /** Takes an edit, and keeps it unless the server soon has it. */
  add(upTo: number, update: Uint8Array, text: Written): void {
    this.#edits.push({ upTo, update, at: performance.now() });
    this.#keepIn(KEEP_MS, text);
  }

  /** An edit that the server is about to store is not written down: that takes the whole text. */
  #keepIn(pauseMs: number, text: Written): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      const [oldest] = this.#edits;
      if (!oldest) return;
      const left = oldest.at + KEEP_MS - performance.now();
      if (left > 0) this.#keepIn(left, text);
      else this.#keep(text);
    }, pauseMs);
  }

  /** The server has stored everything up to this edit. */
  stored(upTo: number): void {
    this.#edits = this.#edits.filter((edit) => edit.upTo > upTo);
    if (this.#edits.length === 0) {
      this.#base = null;
      if (this.#kept) this.#remove(this.#kept);
      this.#kept = null;
    }
    for (const { record } of this.#found.filter((found) => found.upTo <= upTo)) this.#remove(record);
    this.#found = this.#found.filter((found) => found.upTo > upTo);
  }

  /** The server has another history: what could not be sent waits for a person. */
  setAside(text: Written): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#edits.length > 0) this.#keep(text);
    if (this.#kept) this.#aside.push(this.#kept);
    this.#edits = [];
    this.#base = null;
    this.#kept = null;
  }

  /** The record of an earlier page that this history can't take. */
  putAside(record: UnsentRecord): void {
    this.#aside.push(record);
  }

  /** What waits for a person, the oldest first. */
  get aside(): UnsentRecord | null {
    return this.#aside[0] ?? null;
  }

  /** A person has dealt with the oldest; what was brought in is stored with an edit of this number. */
  settleAside(upTo: number): void {
    const record = this.#aside.shift();
    if (record) this.took(record, upTo);
  }

  /** What earlier pages left of a text. */
  async left(path: string): Promise<UnsentRecord[]> {
    try {
      const all = (await this.#store?.of(this.#address, path)) ?? [];
      return all.filter(({ key }) => !key.includes(this.#tab)).toSorted((one, two) => one.at - two.at);
    } catch (error) {
      warn(error);
      return [];
    }
  }

  /** A record was brought in; the server has it with this edit. */
  took(record: UnsentRecord, upTo: number): void {
    this.#found.push({ record, upTo });
  }

  /** When all that was begun is done. */
  settled(): Promise<void> {
    return this.#work;
  }

  #keep({ path, epoch, content }: Written): void {
    const upTo = this.#edits.at(-1)?.upTo ?? 0;
    const update = Y.mergeUpdates(this.#edits.map((edit) => edit.update));
    // One stays one: a long time offline is not merged anew with each pause.
    this.#edits = [{ upTo, update, at: performance.now() }];
    const old = this.#kept;
    const record = {
      key: `${this.#address}|${path}|${this.#tab}|${epoch ?? ""}`, address: this.#address, path, epoch: epoch ?? "", update, content,
      base: this.#base ?? "", at: Date.now(), stamp: crypto.randomUUID(),
    };
    this.#kept = record;
    this.#do((store) => store.put(record));
    if (old && old.key !== record.key) this.#remove(old);
  }

  #remove(record: UnsentRecord): void {
    this.#do((store) => store.remove(record));
  }

  /** In order, and never in the way of typing. */
  #do(work: (store: UnsentStore) => Promise<void>): void {
    const store = this.#store;
    if (store) this.#work = this.#work.then(() => work(store)).catch(warn);
  }
}

/** Whether a text can take kept edits: it has all that they build on. */
export function takes(doc: Y.Doc, update: Uint8Array): boolean {
  const tried = new Y.Doc();
  Y.applyUpdate(tried, Y.encodeStateAsUpdate(doc));
  Y.applyUpdate(tried, update);
  const fits = tried.store.pendingStructs === null && tried.store.pendingDs === null;
  tried.destroy();
  return fits;
}

/** A browser whose database does not answer keeps nothing; the page still asks before it is left. */
function warn(error: unknown): void {
  if (!(error instanceof DOMException)) throw error;
  console.warn("This browser keeps no edits: what is not stored yet would be lost with it.", error);
}
