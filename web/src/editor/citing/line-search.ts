/** Finds the lines of a text that matter. A text shares with the one before it all that has not changed: only what is new is searched. */
import type { Text } from "@codemirror/state";

export interface FoundLine<Found> {
  readonly from: number;
  readonly number: number;
  readonly found: Found;
}

export class LineSearch<Found> {
  /** By the smallest pieces of a text; places are counted from their piece's beginning. */
  readonly #known = new WeakMap<Text, readonly FoundLine<Found>[]>();
  /** Whether there is any, by pieces of every size. */
  readonly #any = new WeakMap<Text, boolean>();

  /** `find` says what is in a line, or null if it does not matter. */
  constructor(readonly find: (line: string) => Found | null) {}

  /** Whether any line matters. Of a text that has changed, only the pieces around the change are looked at. */
  has(text: Text): boolean {
    const known = this.#any.get(text);
    if (known !== undefined) return known;
    const any = text.children === null ? this.#search(text).length > 0 : text.children.some((piece) => this.has(piece));
    this.#any.set(text, any);
    return any;
  }

  linesOf(text: Text): FoundLine<Found>[] {
    const lines: FoundLine<Found>[] = [];
    this.#collect(text, 0, 1, lines);
    return lines;
  }

  #collect(text: Text, from: number, number: number, lines: FoundLine<Found>[]): void {
    if (text.children === null) {
      for (const line of this.#search(text)) lines.push({ from: from + line.from, number: number + line.number, found: line.found });
      return;
    }
    for (const piece of text.children) {
      if (this.has(piece)) this.#collect(piece, from, number, lines);
      from += piece.length + 1;
      number += piece.lines;
    }
  }

  #search(piece: Text): readonly FoundLine<Found>[] {
    const known = this.#known.get(piece);
    if (known) return known;
    const lines: FoundLine<Found>[] = [];
    let from = 0;
    for (const [number, line] of piece.toJSON().entries()) {
      const found = this.find(line);
      if (found !== null) lines.push({ from, number, found });
      from += line.length + 1;
    }
    this.#known.set(piece, lines);
    return lines;
  }
}
