/** Finds words in all messages of one chat, also in those that are not in the page or not read yet. */
import type { ChatSession } from "./chat-session.svelte";
import { type Item, seqOf, textOf } from "./chat-items";

const TEXTS = new WeakMap<Item, string>();

export class ChatFind {
  query = $state("");
  /** The place among those found; from 1, and 0 before one was shown. */
  at = $state(0);
  isReading = $state(false);
  readonly #session: ChatSession;
  /** The messages in which the words stand, the newest first. */
  readonly found: readonly Item[] = $derived.by(() => this.#search());

  constructor(session: ChatSession) {
    this.#session = session;
  }

  /** Reads what was not read yet: only then is it known how often the words stand there. */
  async readAll(): Promise<void> {
    this.isReading = true;
    try {
      await this.#session.readAll();
    } finally {
      this.isReading = false;
    }
  }

  type(query: string): void {
    this.query = query;
    this.at = 0;
    this.step(1);
  }

  /** Shows the next message with the words, or the one before; after the last comes the first. */
  step(step: 1 | -1): void {
    const { found } = this;
    if (found.length === 0) return;
    this.at = ((this.at - 1 + step + found.length) % found.length) + 1;
    const item = found[this.at - 1];
    if (item) this.#session.wanted = { seq: seqOf(item), words: [this.query.trim()] };
  }

  #search(): readonly Item[] {
    const wanted = this.query.trim().toLowerCase();
    return wanted === "" ? [] : this.#session.items.filter((item) => lettersOf(item).includes(wanted)).reverse();
  }
}

/** What was said, in small letters; kept for as long as the message does not change. */
function lettersOf(item: Item): string {
  const known = TEXTS.get(item);
  if (known !== undefined) return known;
  const text = (item.kind === "answer" ? textOf(item) : "text" in item.entry ? item.entry.text : "").toLowerCase();
  TEXTS.set(item, text);
  return text;
}
