/** What is pasted: paragraphs without numbers of others, tables as their texts, headings and lists in the document's own styles. */
import { Fragment, type Node, Slice } from "prosemirror-model";
import { schema } from "./schema";

/** What a page draws for pictures, notes, formulas and fields, which only the server could copy. */
const THINGS = /class="[^"]*\bword-(?:picture|note-mark|thing)\b/;

export function hasThings(html: string): boolean {
  return THINGS.test(html);
}

export function fitted(slice: Slice, headings: ReadonlyMap<number, string>): Slice {
  const tables: Node[] = [];
  const blocks: Node[] = [];
  slice.content.descendants((node) => {
    if (node.type.name === "table") tables.push(node);
    if (node.isTextblock) blocks.push(styled(node, headings));
    return !node.isTextblock;
  });
  if (tables.length > 0) return new Slice(Fragment.from(blocks), 0, 0);
  return blocks.length === slice.content.childCount ? new Slice(Fragment.from(blocks), slice.openStart, slice.openEnd) : slice;
}

/** A heading with the style that the document has for its level; plain where it has none. */
function styled(node: Node, headings: ReadonlyMap<number, string>): Node {
  const level = node.attrs.heading as number;
  if (level === 0) return node;
  const style = headings.get(level);
  return schema.node("paragraph", { ...node.attrs, style: style ?? "", heading: style === undefined ? 0 : level }, node.content);
}
