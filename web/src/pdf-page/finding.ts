/** The words of a page as one text, what is found in them, and where that stands in the page's letters. */

export interface PageText {
  text: string;
  /** Where each piece begins in the text. */
  starts: readonly number[];
}

export interface Match {
  page: number;
  start: number;
  end: number;
}

interface Piece {
  str: string;
  hasEOL: boolean;
}

/** A line's end counts as one space, so that words are found across it. */
export function textOf({ items }: { items: readonly object[] }): PageText {
  const starts: number[] = [];
  let text = "";
  for (const item of items) {
    if (!isPiece(item)) continue;
    starts.push(text.length);
    text += item.str;
    if (item.hasEOL) text += " ";
  }
  return { text, starts };
}

/** All places of some words on a page, whatever their case; a space stands for any run of spaces. */
export function findIn({ text }: PageText, wanted: string, page: number): Match[] {
  const words = wanted.trim().split(/\s+/).filter(Boolean).map(escaped);
  if (words.length === 0) return [];
  return [...text.matchAll(new RegExp(words.join("\\s+"), "giu"))].map(({ 0: found, index }) => ({ page, start: index, end: index + found.length }));
}

/** Where a match stands in the elements of a page's letters; null while they are not drawn. */
export function rangeOf({ starts }: PageText, { start, end }: Match, elements: readonly HTMLElement[]): Range | null {
  const [from, to] = [placeOf(starts, start, elements), placeOf(starts, end - 1, elements)];
  if (!from || !to) return null;
  const range = document.createRange();
  range.setStart(from.node, from.offset);
  range.setEnd(to.node, Math.min(to.offset + 1, to.node.length));
  return range;
}

function placeOf(starts: readonly number[], at: number, elements: readonly HTMLElement[]): { node: Text; offset: number } | null {
  const piece = starts.findLastIndex((start) => start <= at);
  const node = elements[piece]?.firstChild;
  return node instanceof Text ? { node, offset: Math.min(at - (starts[piece] ?? 0), node.length) } : null;
}

function isPiece(item: object): item is Piece {
  return "str" in item && typeof item.str === "string";
}

function escaped(word: string): string {
  return word.replaceAll(/[.*+?^${}()|[\]\\/-]/g, "\\$&");
}
