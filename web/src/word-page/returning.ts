/** New rows, and what comes back when somebody undoes that it was taken away. */
import type { Node } from "prosemirror-model";
import type { Edit } from "./model";
import { eachParagraph, type Known, knownOf, numberOf } from "./paragraphs";
import { lettersOf } from "./schema";

/** Where something stands: behind or before a paragraph, or the table that this is in. */
interface Beside {
  after: number;
  before: number;
  besideTable: boolean;
}

function numbersIn(holder: Node): number[] {
  const found: number[] = [];
  if (holder.type.name === "paragraph") found.push(numberOf(holder));
  else eachParagraph(holder, (node) => { found.push(numberOf(node)); });
  return found.filter((number) => number !== 0);
}

/** Adds the edits that make them, and knows them from then on. */
export class Returning {
  readonly #known: Map<number, Known>;
  readonly #edits: Edit[];

  /** Behind what things come back where nothing else is: a paragraph that goes. */
  readonly #last: number;

  constructor(known: Map<number, Known>, edits: Edit[], last: number) {
    this.#known = known;
    this.#edits = edits;
    this.#last = last;
  }

  run(holder: Node): void {
    holder.forEach((node, _offset, at) => {
      if (node.type.name === "table") this.#table(holder, node, at);
      else if (this.#isBack(node)) this.#bringBack(node, this.#beside(holder, at));
    });
  }

  #table(holder: Node, table: Node, at: number): void {
    if (this.#isBack(table)) {
      this.#bringBack(table, this.#beside(holder, at));
      return;
    }
    table.forEach((row, _offset, index) => {
      if (this.#isBack(row)) this.#bringBack(row, this.#beside(table, index));
      else if (numbersIn(row).some((number) => this.#known.has(number))) row.forEach((cell) => { this.run(cell); });
      else if (numbersIn(row).length > 0) this.#addRow(row, this.#beside(table, index).after);
    });
  }

  /** Whether all of it was there before, and is not any more. */
  #isBack(node: Node): boolean {
    const numbers = numbersIn(node);
    return numbers.length > 0 && numbers.every((number) => number > 0 && !this.#known.has(number));
  }

  #bringBack(node: Node, { after, before, besideTable }: Beside): void {
    const what = node.type.name as "paragraph" | "row" | "table";
    const isParagraph = what === "paragraph";
    const paragraph = numbersIn(node)[0] ?? 0;
    this.#edits.push({ do: "back", what, paragraph, after, before, text: isParagraph ? lettersOf(node) : "", style: isParagraph ? (node.attrs.style as string) : "", besideTable });
    const learn = (inside: Node) => { if (numberOf(inside) > 0) this.#known.set(numberOf(inside), knownOf(inside)); };
    if (isParagraph) learn(node);
    else eachParagraph(node, learn);
  }

  #addRow(row: Node, above: number): void {
    if (above === 0) return;
    const asked: number[] = [];
    row.forEach((cell) => {
      const first = cell.firstChild;
      if (!first || first.type.name !== "paragraph") return;
      asked.push(numberOf(first));
      this.#known.set(numberOf(first), { ...knownOf(first), node: row, text: "", spans: "[]" });
    });
    this.#edits.push({ do: "addRow", paragraph: above, new: asked });
  }

  #beside(holder: Node, at: number): Beside {
    const siblings = holder.children;
    const behind = (node: Node) => numbersIn(node).find((number) => this.#known.has(number));
    const above = siblings.slice(0, at).reverse().find((node) => behind(node) !== undefined);
    const below = siblings.slice(at + 1).find((node) => behind(node) !== undefined);
    const anchor = above ?? below;
    const number = anchor ? (behind(anchor) ?? 0) : 0;
    if (!anchor) return { after: this.#last, before: 0, besideTable: false };
    return { after: above ? number : 0, before: above ? 0 : number, besideTable: anchor.type.name === "table" };
  }
}
