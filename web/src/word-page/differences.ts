/** What a person changed since page and server last agreed, as the edits that the server makes. */
import type { Node } from "prosemirror-model";
import type { Edit } from "./model";
import { Returning } from "./returning";
import { chainsOf, eachParagraph, type Known, knownOf, numberOf, spansOf } from "./paragraphs";
import { lettersOf } from "./schema";

/** What page and server last agreed upon. */
export interface Agreed {
  doc: Node;
  known: ReadonlyMap<number, Known>;
  /** The numbers of paragraphs that follow each other, in the body and in each cell. */
  chains: readonly (readonly number[])[];
  /** The paragraphs of each row of a table. */
  rows: readonly (readonly number[])[];
}

export function agreedOn(doc: Node): Agreed {
  const known = new Map<number, Known>();
  eachParagraph(doc, (node) => { if (numberOf(node) > 0) known.set(numberOf(node), knownOf(node)); });
  const chains = chainsOf(doc).map(({ items }) => items.map(({ node }) => numberOf(node)).filter((number) => number > 0));
  const rows: number[][] = [];
  doc.descendants((node) => {
    if (node.type.name !== "row") return node.type.name !== "paragraph";
    const numbers: number[] = [];
    eachParagraph(node, (inside) => { if (numberOf(inside) > 0) numbers.push(numberOf(inside)); });
    if (numbers.length > 0) rows.push(numbers);
    return true;
  });
  return { doc, known, chains, rows };
}

export function differences(doc: Node, agreed: Agreed): Edit[] {
  // Asked with every change of others: most often nothing was typed.
  if (doc === agreed.doc) return [];
  const here = new Set<number>();
  eachParagraph(doc, (node) => { here.add(numberOf(node)); });
  const gone = new Set([...agreed.known.keys()].filter((number) => !here.has(number)));
  const edits = removedRows(agreed, gone);
  const following = followers(agreed.chains, gone);
  for (const number of following.get(0) ?? []) edits.push({ do: "remove", paragraph: number, base: agreed.known.get(number)?.text ?? "" });
  const known = new Map(agreed.known);
  new Returning(known, edits, following.get(0)?.at(-1) ?? 0).run(doc);
  for (const { items } of chainsOf(doc)) new ChainDiffer(items.map(({ node }) => node), { ...agreed, known }, following, edits).run();
  return edits;
}

/** Rows of which nothing is left go as rows, not paragraph by paragraph. */
function removedRows(agreed: Agreed, gone: Set<number>): Edit[] {
  const edits: Edit[] = [];
  if (gone.size === 0) return edits;
  for (const row of agreed.rows) {
    if (!row.every((number) => gone.has(number))) continue;
    edits.push({ do: "removeRow", paragraph: row[0] ?? 0 });
    for (const number of row) gone.delete(number);
  }
  return edits;
}

/** The paragraphs that are gone, by the one before them that is still there; 0 if there is none. */
function followers(chains: Agreed["chains"], gone: ReadonlySet<number>): Map<number, number[]> {
  const found = new Map<number, number[]>();
  if (gone.size === 0) return found;
  for (const chain of chains) {
    let last = 0;
    for (const number of chain) {
      if (gone.has(number)) found.set(last, [...(found.get(last) ?? []), number]);
      else last = number;
    }
  }
  return found;
}

class ChainDiffer {
  readonly #nodes: readonly Node[];
  readonly #agreed: Agreed;
  readonly #following: ReadonlyMap<number, number[]>;
  readonly #edits: Edit[];

  constructor(nodes: readonly Node[], agreed: Agreed, following: ReadonlyMap<number, number[]>, edits: Edit[]) {
    this.#nodes = nodes;
    this.#agreed = agreed;
    this.#following = following;
    this.#edits = edits;
  }

  run(): void {
    let before = 0;
    for (let at = 0; at < this.#nodes.length; at += 1) {
      const node = this.#nodes[at];
      if (!node) continue;
      const number = numberOf(node);
      const known = this.#agreed.known.get(number);
      const parts = known ? this.#partsBehind(at, number) : [];
      if (known) this.#change(node, parts, known);
      else if (number < 0) this.#add(node, before, before === 0 ? this.#behind(at) : 0);
      at += parts.length;
      const last = parts.at(-1) ?? node;
      if (numberOf(last) !== 0) before = numberOf(last);
    }
  }

  /** The next paragraph that is known. */
  #behind(at: number): number {
    return this.#nodes.slice(at + 1).map(numberOf).find((number) => this.#agreed.known.has(number)) ?? 0;
  }

  /** The paragraphs that were cut from one, right behind it. */
  #partsBehind(at: number, number: number): Node[] {
    const parts: Node[] = [];
    for (const node of this.#nodes.slice(at + 1)) {
      if (numberOf(node) >= 0 || node.attrs.cut !== number) break;
      parts.push(node);
    }
    return parts;
  }

  #change(node: Node, parts: readonly Node[], known: Known): void {
    const number = numberOf(node);
    const gone = this.#following.get(number) ?? [];
    if (node === known.node && parts.length + gone.length === 0) return;
    const text = [node, ...parts].map(lettersOf).join("");
    const partner = parts.length === 0 && text !== known.text ? this.#partner(text, gone) : null;
    this.#remove(gone.filter((other) => other !== partner?.number));
    if (partner) this.#edits.push({ do: "join", paragraph: number, base: known.text, following: partner.number, followingBase: partner.text, text });
    else if (text !== known.text) this.#edits.push({ do: "text", paragraph: number, base: known.text, text });
    this.#cut(node, parts, text);
    // The parts have the style and look of what they were cut from, until they are given another one.
    if (!partner) this.#dress(node, known);
    for (const part of parts) this.#dress(part, { ...known, text: "" });
  }

  #remove(gone: readonly number[]): void {
    for (const paragraph of gone) this.#edits.push({ do: "remove", paragraph, base: this.#textOf(paragraph) });
  }

  #textOf(number: number): string {
    return this.#agreed.known.get(number)?.text ?? "";
  }

  /** The paragraph that was joined to one: the last that is gone, if the text goes on with its end. */
  #partner(text: string, gone: readonly number[]): { number: number; text: string } | null {
    const number = gone.at(-1);
    if (number === undefined) return null;
    const other = this.#textOf(number);
    return endsAlike(text, other) ? { number, text: other } : null;
  }

  #cut(node: Node, parts: readonly Node[], text: string): void {
    let whole = text;
    let from = node;
    for (const part of parts) {
      const at = lettersOf(from).length;
      this.#edits.push({ do: "split", paragraph: numberOf(from), base: whole, at, new: numberOf(part) });
      whole = whole.slice(at);
      from = part;
    }
  }

  /** Style and look, where they are others. */
  #dress(node: Node, known: Known): void {
    const { style, list, level } = node.attrs as { style: string; list: Known["list"]; level: number };
    if (style !== known.style || list !== known.list || level !== known.level) {
      const kind = list !== known.list || level !== known.level ? list : "keep";
      this.#edits.push({ do: "style", paragraph: numberOf(node), style, list: kind as "" | "keep" | "bullet" | "number", level });
    }
    const text = lettersOf(node);
    const spans = spansOf(node);
    if (spans.length > 0 && (text !== known.text || JSON.stringify(spans) !== known.spans)) this.#edits.push({ do: "format", paragraph: numberOf(node), base: text, spans });
  }

  #add(node: Node, before: number, behind: number): void {
    // Where all that was there is gone, what is new stands behind it.
    const after = before === 0 && behind === 0 ? (this.#following.get(0)?.at(-1) ?? 0) : before;
    if (after === 0 && behind === 0) return;
    const number = numberOf(node);
    const text = lettersOf(node);
    this.#edits.push({ do: "add", after, text, style: node.attrs.style as string, new: number, ...(after === 0 ? { before: behind } : {}) });
    this.#dress(node, { node, text, spans: JSON.stringify([{ start: 0, end: text.length, bold: null, italic: null, underline: null, strike: null, script: "" }]), style: node.attrs.style as string, list: "", level: 0 });
  }
}

/** Whether a text goes on with another one's end: then that one was joined to it, and not taken away. */
function endsAlike(text: string, other: string): boolean {
  if (other === "") return false;
  return text.endsWith(other) || (text.length > 0 && text.at(-1) === other.at(-1) && text.slice(-3) === other.slice(-3));
}
