/** The browser's database of unsent edits. */
import type { UnsentRecord, UnsentStore } from "./unsent";

/** Removed by name when somebody signs out, in core/unsent-edits.ts. */
const DATABASE = "recto-unsent";
const TABLE = "edits";
const BY_TEXT = "text";
/** So many texts are kept; beyond, the one that was written in longest ago goes. */
const MOST = 200;

export class BrowserUnsent implements UnsentStore {
  #opened: Promise<IDBDatabase> | null = null;

  async of(address: string, path: string): Promise<UnsentRecord[]> {
    const table = await this.#table("readonly");
    return done(table.index(BY_TEXT).getAll([address, path]) as IDBRequest<UnsentRecord[]>);
  }

  async put(record: UnsentRecord): Promise<void> {
    const table = await this.#table("readwrite");
    await done(table.put(record));
    if ((await done(table.count())) <= MOST) return;
    const kept = (await done(table.getAll() as IDBRequest<UnsentRecord[]>)).toSorted((one, two) => two.at - one.at);
    for (const { key } of kept.slice(MOST)) await done(table.delete(key));
  }

  async remove({ key, stamp }: Pick<UnsentRecord, "key" | "stamp">): Promise<void> {
    const table = await this.#table("readwrite");
    const kept = await done(table.get(key) as IDBRequest<UnsentRecord | undefined>);
    if (kept?.stamp === stamp) await done(table.delete(key));
  }

  async #table(mode: IDBTransactionMode): Promise<IDBObjectStore> {
    this.#opened ??= open(() => { this.#opened = null; });
    return (await this.#opened).transaction(TABLE, mode, { durability: "strict" }).objectStore(TABLE);
  }
}

async function open(forget: () => void): Promise<IDBDatabase> {
  const asked = indexedDB.open(DATABASE, 1);
  asked.onupgradeneeded = () => {
    asked.result.createObjectStore(TABLE, { keyPath: "key" }).createIndex(BY_TEXT, ["address", "path"]);
  };
  const database = await done(asked);
  // Whoever signs out, in whatever tab, removes it all: nothing may hold it.
  database.onversionchange = () => {
    database.close();
    forget();
  };
  return database;
}

function done<T>(asked: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    asked.onsuccess = () => { resolve(asked.result); };
    asked.onerror = () => { reject(asked.error ?? new DOMException("The browser's database does not answer.")); };
  });
}
