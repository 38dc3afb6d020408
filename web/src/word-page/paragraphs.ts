/** The paragraphs of a page: where they are, how they read and look. */
import type { Node } from "prosemirror-model";
import type { Span } from "./model";
import { lettersOf } from "./schema";

/** Paragraphs that follow each other, in the body or in a cell. */
export interface Chain {
  items: { node: Node; pos: number }[];
}

/** All paragraphs, by what holds them. What comes between two, such as a table, parts no chain. */
export function chainsOf(doc: Node): Chain[] {
  const chains: Chain[] = [];
  const collect = (holder: Node, start: number) => {
    const items: Chain["items"] = [];
    holder.forEach((node, offset) => {
      const pos = start + offset;
      if (node.type.name === "paragraph") items.push({ node, pos });
      else collect(node, pos + 1);
    });
    if (items.length > 0) chains.push({ items });
  };
  collect(doc, 0);
  return chains;
}

export function numberOf(node: Node): number {
  return node.attrs.number as number;
}

export function eachParagraph(doc: Node, visit: (node: Node, pos: number) => void): void {
  doc.descendants((node, pos) => {
    if (node.type.name !== "paragraph") return !node.isTextblock;
    visit(node, pos);
    return false;
  });
}

const counted = new WeakMap<Node, number>();

/** How many words there are; a paragraph is counted once for as long as it reads the same. */
export function wordsIn(doc: Node): number {
  let words = 0;
  doc.descendants((node) => {
    if (!node.isTextblock) return true;
    let count = counted.get(node);
    if (count === undefined) {
      count = lettersOf(node).split(/\s+/).filter(Boolean).length;
      counted.set(node, count);
    }
    words += count;
    return false;
  });
  return words;
}

export function findParagraph(doc: Node, number: number): { node: Node; pos: number } | null {
  const found: { node: Node; pos: number }[] = [];
  eachParagraph(doc, (node, pos) => { if (numberOf(node) === number) found.push({ node, pos }); });
  return found[0] ?? null;
}

/** Where letters of a paragraph are: the place before the letter with this number. */
export function placeIn(node: Node, pos: number, letter: number): number {
  let left = letter;
  let place = pos + 1;
  for (const child of node.children) {
    const size = child.isText ? (child.text ?? "").length : lettersOfLeaf(child).length;
    if (left < size) return place + (child.isText ? left : 0);
    left -= size;
    place += child.nodeSize;
  }
  return place;
}

/** How many letters of a paragraph are before a place in it. */
export function lettersBefore(node: Node, offset: number): number {
  let count = 0;
  node.forEach((child, at) => {
    if (at >= offset) return;
    count += child.isText ? Math.min((child.text ?? "").length, offset - at) : lettersOfLeaf(child).length;
  });
  return count;
}

function lettersOfLeaf(node: Node): string {
  return node.type.spec.leafText?.(node) ?? "";
}

/** How the letters of a paragraph look, neighbours of one look together. */
export function spansOf(node: Node): Span[] {
  const spans: Span[] = [];
  let at = 0;
  node.forEach((child) => {
    const size = child.isText ? (child.text ?? "").length : lettersOfLeaf(child).length;
    const start = at;
    at += size;
    if (!child.isText || size === 0) return;
    const on = (name: string) => child.marks.find((mark) => mark.type.name === name)?.attrs.on as boolean | undefined ?? null;
    const script = (child.marks.find((mark) => mark.type.name === "script")?.attrs.kind ?? "") as Span["script"];
    const span = { start, end: at, bold: on("bold"), italic: on("italic"), underline: on("underline"), strike: on("strike"), script };
    const last = spans.at(-1);
    if (last?.end === start && isSameLook(last, span)) last.end = at;
    else spans.push(span);
  });
  return spans;
}

function isSameLook(one: Span, other: Span): boolean {
  return one.bold === other.bold && one.italic === other.italic && one.underline === other.underline && one.strike === other.strike && one.script === other.script;
}

/** How a paragraph read and looked when page and server last agreed. */
export interface Known {
  node: Node;
  text: string;
  spans: string;
  style: string;
  list: string;
  level: number;
}

const known = new WeakMap<Node, Known>();

export function knownOf(node: Node): Known {
  const found = known.get(node) ?? readOf(node);
  known.set(node, found);
  return found;
}

function readOf(node: Node): Known {
  return { node, text: lettersOf(node), spans: JSON.stringify(spansOf(node)), style: node.attrs.style as string, list: node.attrs.list as string, level: node.attrs.level as number };
}
