/** Stretches of a text with an author, in order; carried through edits until the server tells them anew. */
import type { ChangeDesc } from "@codemirror/state";

export interface AuthoredSpan {
  readonly from: number;
  readonly to: number;
  /** Whose it is: an index into a list that the page keeps. */
  readonly author: number;
}

/** The same stretches after a change. What was inserted belongs to nobody known yet. */
export function carry(spans: readonly AuthoredSpan[], changes: ChangeDesc): AuthoredSpan[] {
  const carried: AuthoredSpan[] = [];
  let next = 0;
  changes.iterGaps((fromOld, fromNew, length) => {
    const end = fromOld + length;
    while (next < spans.length && (spans[next]?.to ?? 0) <= fromOld) next += 1;
    for (let index = next; index < spans.length; index += 1) {
      const span = spans[index];
      if (!span || span.from >= end) break;
      const shift = fromNew - fromOld;
      carried.push({ from: Math.max(span.from, fromOld) + shift, to: Math.min(span.to, end) + shift, author: span.author });
    }
  });
  return carried;
}

/** The index of the first stretch that ends after a place. */
export function firstAfter(spans: readonly AuthoredSpan[], at: number): number {
  let low = 0;
  let high = spans.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((spans[middle]?.to ?? 0) <= at) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The stretch a character belongs to, if its author is known. */
export function spanAt(spans: readonly AuthoredSpan[], at: number): AuthoredSpan | null {
  const span = spans[firstAfter(spans, at)];
  return span && span.from <= at ? span : null;
}
