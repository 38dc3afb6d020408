/** A list that the server keeps, read whole: one read at a time, and one more when something changed meanwhile. */
import { type Problem, problemOf } from "../api";

interface Page<T> {
  items: T[];
  nextCursor: string | null;
}

export class ServerList<T extends { id: string }> {
  items = $state.raw<readonly T[]>([]);
  isLoaded = $state(false);
  /** Why it could not be read. */
  problem = $state.raw<Problem | null>(null);
  readonly #readPage: (cursor?: string) => Promise<Page<T>>;
  #reading: Promise<void> | null = null;
  #again = false;
  #changes = 0;

  constructor(readPage: (cursor?: string) => Promise<Page<T>>) {
    this.#readPage = readPage;
  }

  /** Reads the list. What is asked for during a read is one more read after it. */
  load(): Promise<void> {
    this.#again = true;
    this.#reading ??= this.#readUntilStill().finally(() => { this.#reading = null; });
    return this.#reading;
  }

  find(id: string): T | null {
    return this.items.find((item) => item.id === id) ?? null;
  }

  /** Takes an item as the server answered it. A new one comes first. */
  put(item: T): void {
    this.#changes += 1;
    const isKnown = this.find(item.id) !== null;
    this.items = isKnown ? this.items.map((other) => (other.id === item.id ? item : other)) : [item, ...this.items];
  }

  drop(id: string): void {
    this.#changes += 1;
    this.items = this.items.filter((item) => item.id !== id);
  }

  async #readUntilStill(): Promise<void> {
    try {
      while (this.#again) {
        this.#again = false;
        const before = this.#changes;
        const found = await this.#readAll();
        // A read that began before a change of this page's own may not know of it.
        if (before === this.#changes) this.items = found;
        else this.#again = true;
        this.isLoaded = true;
        this.problem = null;
      }
    } catch (error) {
      this.problem = problemOf(error);
    }
  }

  async #readAll(): Promise<T[]> {
    const found: T[] = [];
    let cursor: string | null | undefined;
    do {
      const page = await this.#readPage(cursor ?? undefined);
      found.push(...page.items);
      cursor = page.nextCursor;
    } while (cursor !== null);
    return found;
  }
}
