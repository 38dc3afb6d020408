/** How tall each message of a conversation is, as measured or guessed, and so where each begins. A place is found without walking the list. */
import type { Item } from "../../state/chat-items";

/** Between two messages: the gap that the style sheet puts there. */
export const GAP = 20;
/** Letters in a line of a message, its height, and what stands around the words: close enough for what was never seen. */
const LINE_LETTERS = 80;
const LINE = 24;
const AROUND_ANSWER = 60;
const AROUND_MESSAGE = 40;
const FOLDED_LINES = 12;
const ROW = 24;
const WORK_LINE = 26;

export class Heights {
  #items: readonly Item[] = [];
  #places = new Map<string, number>();
  readonly #known = new Map<string, number>();
  #heights: number[] = [];
  /** Where each message begins; the last number is where all end. */
  #starts: number[] = [0];
  /** Up to here the starts are right. */
  #right = 0;

  get count(): number {
    return this.#items.length;
  }

  /** Where all messages end. */
  get total(): number {
    return this.startOf(this.count);
  }

  /** Takes the list as it is now. What was measured stays known. */
  take(items: readonly Item[]): void {
    if (items === this.#items) return;
    let same = 0;
    while (same < items.length && items[same]?.key === this.#items[same]?.key) same += 1;
    if (same < this.#items.length) this.#places = new Map(this.#items.slice(0, same).map(({ key }, place) => [key, place]));
    this.#heights.length = same;
    for (const [past, item] of items.slice(same).entries()) {
      this.#places.set(item.key, same + past);
      this.#heights.push(this.#known.get(item.key) ?? guess(item));
    }
    this.#items = items;
    this.#starts.length = items.length + 1;
    this.#right = Math.min(this.#right, same);
  }

  placeOf(key: string): number {
    return this.#places.get(key) ?? -1;
  }

  keyAt(place: number): string | null {
    return this.#items[place]?.key ?? null;
  }

  /** Notes how tall a message is. */
  note(key: string, height: number): void {
    this.#known.set(key, height);
    const place = this.placeOf(key);
    if (place < 0 || this.#heights[place] === height) return;
    this.#heights[place] = height;
    this.#right = Math.min(this.#right, place);
  }

  /** Where a message begins. */
  startOf(place: number): number {
    for (let at = this.#right; at < place; at += 1) this.#starts[at + 1] = (this.#starts[at] ?? 0) + (this.#heights[at] ?? 0) + GAP;
    this.#right = Math.max(this.#right, place);
    return this.#starts[place] ?? 0;
  }

  /** The message at a height: the last one that begins at or above it. */
  at(top: number): number {
    let low = 0;
    let high = Math.max(0, this.count - 1);
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if (this.startOf(middle) <= top) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /** How tall the messages from one place up to another are together. */
  between(from: number, to: number): number {
    return to > from ? this.startOf(to) - this.startOf(from) - GAP : 0;
  }
}

function guess(item: Item): number {
  if (item.kind === "answer") return AROUND_ANSWER + item.parts.reduce((sum, part) => sum + (part.kind === "text" ? LINE * linesOf(part.text) : WORK_LINE), 0);
  if (item.entry.kind !== "user") return ROW;
  return AROUND_MESSAGE + LINE * Math.min(FOLDED_LINES, linesOf(item.entry.text));
}

function linesOf(text: string): number {
  return Math.ceil(text.length / LINE_LETTERS);
}
