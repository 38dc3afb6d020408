/**
 * Paragraphs that follow each other are drawn in one element, a sheet: what is out of sight costs the browser a look at its
 * sheet with each key, and not one at each of its paragraphs. It is a mark of theirs, so that the document itself stays flat.
 */
import { DOMSerializer, Mark, type Node } from "prosemirror-model";
import type { Block, PageStyle } from "./model";
import { schema } from "./schema";

/** A key has the letters of its own sheet read again: with more paragraphs that would take longer than the looks that it saves. */
const PARAGRAPHS = 16;
const MOST_PARAGRAPHS = 48;

/** Which sheet each paragraph is on: it stays there, whatever comes and goes around it. */
export class Sheets {
  readonly #of = new Map<number, number>();
  #last = 0;

  /** Those of a document that is drawn already. */
  static of(doc: Node): Sheets {
    const sheets = new Sheets();
    doc.forEach((node) => {
      const sheet = sheetOf(node);
      if (sheet === 0) return;
      sheets.#of.set(node.attrs.number as number, sheet);
      sheets.#last = Math.max(sheets.#last, sheet);
    });
    return sheets;
  }

  /** The blocks on their sheets; tables are on none, for all that is in them would be read again with the paragraphs beside them. */
  laid(blocks: readonly Block[], nodes: readonly Node[], styles: ReadonlyMap<string, PageStyle>): Node[] {
    const isNew = this.#last === 0;
    const usual = [...styles.values()].find((style) => style.isDefault === true && style.kind === "paragraph");
    let now: Sheet = NONE;
    return nodes.map((node, at) => {
      const block = blocks[at];
      now = block?.kind === "paragraph" ? this.#next(block.number, now, styles.get(block.style ?? "") ?? usual, isNew) : NONE;
      return now === NONE ? node : onSheet(node, now.id);
    });
  }

  /** The sheet that a paragraph is on, below those on another one. */
  #next(number: number, now: Sheet, style: PageStyle | undefined, mayEnd: boolean): Sheet {
    const ends = now === NONE || (mayEnd && isFull(now, style));
    const id = this.#of.get(number) ?? (ends ? (this.#last += 1) : now.id);
    if (number !== 0) this.#of.set(number, id);
    return { id, count: id === now.id ? now.count + 1 : 1, style };
  }
}

interface Sheet {
  id: number;
  /** How many paragraphs are on it, and the style of the last one. */
  count: number;
  style: PageStyle | undefined;
}

const NONE: Sheet = { id: 0, count: 0, style: undefined };

/** The distance that both of two paragraphs keep would be kept twice where a sheet ends between them. */
function isFull({ count, style: above }: Sheet, style: PageStyle | undefined): boolean {
  return count >= MOST_PARAGRAPHS || (count >= PARAGRAPHS && !(above?.after && style?.before));
}

/** The sheet of a paragraph; 0 where it is on none. */
export function sheetOf(node: Node | null | undefined): number {
  return (node?.marks.find((mark) => mark.type.name === "sheet")?.attrs.id ?? 0) as number;
}

/** One mark for all of a sheet: whether two are the same is asked of each paragraph with each key, and then a look. */
const marksOf = new Map<number, readonly Mark[]>();

function onSheet(node: Node, sheet: number): Node {
  const marks = marksOf.get(sheet) ?? [schema.mark("sheet", { id: sheet })];
  marksOf.set(sheet, marks);
  return Mark.sameSet(node.marks, marks) ? node : node.mark(marks);
}

/** What is copied is paragraphs, on no sheet. */
export const withoutSheets = new DOMSerializer(DOMSerializer.nodesFromSchema(schema), Object.fromEntries(Object.entries(DOMSerializer.marksFromSchema(schema)).filter(([name]) => name !== "sheet")));
