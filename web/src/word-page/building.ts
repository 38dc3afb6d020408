/** Makes the page's document of what the server tells. */
import { Fragment, type Mark, type Node } from "prosemirror-model";
import type { Block, PageStyle, Paragraph, Piece, Table } from "./model";
import { schema } from "./schema";
import { Sheets } from "./sheets";

export interface Surroundings {
  styles: ReadonlyMap<string, PageStyle>;
  /** Where a picture of the document can be loaded. */
  pictureAt(part: string): string;
  /** What was made of the same blocks before, in the same styles. */
  built?: WeakMap<Block, Node>;
  /** The sheets that paragraphs are on already. */
  sheets?: Sheets;
}

export function documentOf(blocks: readonly Block[], around: Surroundings): Node {
  const made = (around.sheets ?? new Sheets()).laid(blocks, blocks.map((block) => blockOf(block, around)), around.styles);
  blocks.forEach((block, at) => { if (made[at]) around.built?.set(block, made[at]); });
  return schema.node("doc", null, made.length > 0 ? made : [schema.node("paragraph")]);
}

export function blockOf(block: Block, around: Surroundings): Node {
  const known = around.built?.get(block);
  if (known) return known;
  const node = block.kind === "table" ? tableOf(block, around) : paragraphOf(block, around);
  around.built?.set(block, node);
  return node;
}

function tableOf(table: Table, around: Surroundings): Node {
  const rows = table.rows.map((row) => schema.node("row", { change: row.change ?? "", what: row.what ?? "", head: row.isHead ?? false }, row.cells.map((cell) => {
    const blocks = cell.blocks.map((block) => blockOf(block, around));
    return schema.node("cell", { columns: cell.columns ?? 1, rows: cell.rows ?? 1 }, blocks.length > 0 ? blocks : [schema.node("paragraph")]);
  })));
  // A row whose cells have all grown over from above has none of its own.
  return schema.node("table", null, rows.filter((row) => row.childCount > 0));
}

const PLAIN = { style: "", marker: "", level: 0, align: "", indent: 0, change: "", end: "", formatChange: "" };

export function paragraphOf(block: Paragraph, around: Surroundings): Node {
  const { pieces = [], number } = block;
  const told = { ...PLAIN, ...block };
  const heading = Math.min(around.styles.get(told.style)?.level ?? 0, 6);
  const list = told.marker === "" ? "" : /[\p{L}\p{N}]/u.test(told.marker) ? "number" : "bullet";
  // Without a number it can only be read: a tracked change took it away.
  const attrs = { ...told, number, cut: 0, locked: number === 0, heading, list };
  return schema.node("paragraph", attrs, Fragment.from(pieces.map((piece) => pieceOf(piece, around))));
}

function pieceOf(piece: Piece, around: Surroundings): Node {
  const { kind = "text", text, change = "" } = piece;
  const marks = marksOf(piece);
  if (kind === "text") return schema.text(text, marks);
  if (kind === "deleted") return schema.node("deleted", { text, change }, undefined, marks.filter((mark) => mark.type.name !== "inserted"));
  const source = piece.part ? around.pictureAt(piece.part) : "";
  return schema.node("thing", { kind, text, source, width: piece.width ?? 0, height: piece.height ?? 0, why: piece.why ?? "" }, undefined, marks);
}

function marksOf(piece: Piece): Mark[] {
  const { change, formatChange, link, script, comments = [] } = piece;
  const found: Mark[] = comments.map((id) => schema.mark("comment", { id }));
  if (change) found.push(schema.mark("inserted", { change }));
  if (formatChange) found.push(schema.mark("format", { change: formatChange }));
  if (link) found.push(schema.mark("link", { href: link }));
  found.push(...lookOf(piece));
  for (const name of ["bold", "italic", "underline", "strike"] as const) {
    const on = piece[name] ?? null;
    if (on !== null) found.push(schema.mark(name, { on }));
  }
  if (script) found.push(schema.mark("script", { kind: script }));
  return found;
}

function lookOf({ colour = "", highlight = "", size = 0, style = "" }: Piece): Mark[] {
  return colour || highlight || size || style ? [schema.mark("look", { colour, highlight, size, style })] : [];
}
