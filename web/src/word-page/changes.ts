/** Where the tracked changes and comments of a page are. */
import type { Node } from "prosemirror-model";
import type { EditorState } from "prosemirror-state";

/** The first place of each tracked change. */
export function changePlaces(doc: Node): Map<string, number> {
  const found = new Map<string, number>();
  const note = (key: unknown, pos: number) => { if (typeof key === "string" && key !== "" && !found.has(key)) found.set(key, pos); };
  doc.descendants((node, pos) => {
    if (node.type.name === "row") note(node.attrs.change, pos + 2);
    if (node.type.name === "deleted") note(node.attrs.change, pos);
    for (const mark of node.marks) if (mark.type.name === "inserted" || mark.type.name === "format") note(mark.attrs.change, pos);
    if (node.type.name === "paragraph") {
      note(node.attrs.formatChange, pos + 1);
      // The end of a paragraph counts where it shows: behind its letters.
      if (node.attrs.change) note(node.attrs.change, pos + node.nodeSize - 1);
    }
    return true;
  });
  return found;
}

/** The tracked change that the cursor is at. */
export function changeAt(state: EditorState): string | null {
  const { $head } = state.selection;
  for (const node of [$head.nodeBefore, $head.nodeAfter]) {
    if (!node) continue;
    if (node.type.name === "deleted") return node.attrs.change as string;
    const mark = node.marks.find((found) => found.type.name === "inserted" || found.type.name === "format");
    if (mark) return mark.attrs.change as string;
  }
  for (let depth = $head.depth; depth > 0; depth -= 1) {
    const node = $head.node(depth);
    if (node.type.name === "row" && node.attrs.change) return node.attrs.change as string;
    if (node.type.name === "paragraph") {
      if (node.attrs.formatChange) return node.attrs.formatChange as string;
      if (node.attrs.change && $head.parentOffset === node.content.size) return node.attrs.change as string;
    }
  }
  return null;
}

/** The first place of each comment's words. */
export function commentPlaces(doc: Node): Map<string, number> {
  const found = new Map<string, number>();
  doc.descendants((node, pos) => {
    for (const mark of node.marks) if (mark.type.name === "comment" && !found.has(mark.attrs.id as string)) found.set(mark.attrs.id as string, pos);
    return true;
  });
  return found;
}

/** The comments whose words the cursor is in. */
export function commentsAt(state: EditorState): string[] {
  const { $head } = state.selection;
  const nodes = [$head.nodeBefore, $head.nodeAfter].filter((node) => node !== null);
  return [...new Set(nodes.flatMap((node) => node.marks.filter((mark) => mark.type.name === "comment").map((mark) => mark.attrs.id as string)))];
}
