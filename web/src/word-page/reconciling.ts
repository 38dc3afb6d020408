/**
 * Brings the page in line with what the server has, and leaves alone what agrees already: the cursor stays where it is, and
 * what can be undone stays undoable.
 */
import { Mark, type Node } from "prosemirror-model";
import { TextSelection, type EditorState, type Transaction } from "prosemirror-state";
import { FROM_SERVER } from "./numbers";
import { findParagraph, lettersBefore, numberOf, placeIn } from "./paragraphs";
import { lettersOf } from "./schema";

export function reconciled(state: EditorState, target: Node): Transaction {
  const change = state.tr.setMeta("addToHistory", false).setMeta(FROM_SERVER, true);
  if (state.doc.eq(target)) return change;
  const kept = selectionOf(state);
  if (isSameShape(state.doc, target)) alignChildren(change, state.doc, target, 0);
  else replaceDifference(change, target);
  // What the finer steps can't do is done whole.
  if (!change.doc.eq(target)) replaceDifference(change, target);
  return kept ? restore(change, kept) : change;
}

/** Whether both hold the same paragraphs, in the same tables. */
function isSameShape(one: Node, other: Node): boolean {
  if (one.type !== other.type || one.childCount !== other.childCount) return false;
  if (one.type.name === "paragraph") return numberOf(one) === numberOf(other) && one.attrs.locked === other.attrs.locked;
  for (let at = 0; at < one.childCount; at += 1) {
    const child = one.child(at);
    const like = other.child(at);
    if (child === like) continue;
    if (child.type.name === "paragraph" ? numberOf(child) !== numberOf(like) || like.type !== child.type : !isSameShape(child, like)) return false;
  }
  return true;
}

function alignChildren(change: Transaction, holder: Node, target: Node, start: number): void {
  // From the end, so that places before are still what they were.
  let pos = start + holder.content.size;
  for (let at = holder.childCount - 1; at >= 0; at -= 1) {
    const child = holder.child(at);
    const like = target.child(at);
    pos -= child.nodeSize;
    if (child.eq(like)) continue;
    if (child.type.name === "paragraph") alignParagraph(change, child, like, pos);
    else {
      alignChildren(change, child, like, pos + 1);
      if (!sameAttributes(child, like)) change.setNodeMarkup(pos, null, like.attrs);
    }
  }
}

function sameAttributes(one: Node, other: Node): boolean {
  return JSON.stringify(one.attrs) === JSON.stringify(other.attrs);
}

function alignParagraph(change: Transaction, node: Node, target: Node, pos: number): void {
  if (lettersOf(node) === lettersOf(target)) {
    alignDeleted(change, node, target, pos);
    alignMarks(change, target, pos);
  }
  const now = change.doc.nodeAt(pos);
  if (now && !now.content.eq(target.content)) replaceInside(change, now, target, pos);
  if (now && !(sameAttributes(now, target) && Mark.sameSet(now.marks, target.marks))) change.setNodeMarkup(pos, null, target.attrs, target.marks);
}

interface Deleted {
  letter: number;
  node: Node;
  offset: number;
}

function deletedIn(node: Node): Deleted[] {
  const found: Deleted[] = [];
  node.forEach((child, offset) => {
    if (child.type.name === "deleted") found.push({ letter: lettersBefore(node, offset), node: child, offset });
  });
  return found;
}

/** What tracked changes took away shows where the server has it. */
function alignDeleted(change: Transaction, node: Node, target: Node, pos: number): void {
  const wanted = deletedIn(target);
  const have = deletedIn(node);
  const isWanted = (item: Deleted) => wanted.some((other) => other.letter === item.letter && other.node.eq(item.node));
  for (const item of have.filter((found) => !isWanted(found)).reverse()) change.delete(pos + 1 + item.offset, pos + 2 + item.offset);
  const missing = wanted.filter((item) => !have.some((other) => other.letter === item.letter && other.node.eq(item.node)));
  for (const item of missing.reverse()) {
    const now = change.doc.nodeAt(pos);
    if (now) change.insert(placeIn(now, pos, item.letter), item.node);
  }
}

function alignMarks(change: Transaction, target: Node, pos: number): void {
  const now = change.doc.nodeAt(pos);
  if (now?.content.size !== target.content.size || now.content.eq(target.content)) return;
  target.forEach((child, offset) => {
    const from = pos + 1 + offset;
    const to = from + child.nodeSize;
    change.doc.nodesBetween(from, to, (inside, at) => {
      if (!inside.isInline) return;
      const start = Math.max(from, at);
      const end = Math.min(to, at + inside.nodeSize);
      for (const mark of inside.marks) if (!mark.isInSet(child.marks)) change.removeMark(start, end, mark);
      for (const mark of child.marks) if (!mark.isInSet(inside.marks)) change.addMark(start, end, mark);
    });
  });
}

function replaceInside(change: Transaction, node: Node, target: Node, pos: number): void {
  const start = node.content.findDiffStart(target.content);
  if (start === null) return;
  const end = node.content.findDiffEnd(target.content);
  let { a, b } = end ?? { a: node.content.size, b: target.content.size };
  const overlap = start - Math.min(a, b);
  if (overlap > 0) {
    a += overlap;
    b += overlap;
  }
  change.replaceWith(pos + 1 + start, pos + 1 + a, target.content.cut(start, b));
}

/** Blocks that are others are put in whole. */
function replaceDifference(change: Transaction, target: Node): void {
  const { doc } = change;
  const most = Math.min(doc.childCount, target.childCount);
  let first = 0;
  while (first < most && doc.child(first).eq(target.child(first))) first += 1;
  let behind = 0;
  while (behind < most - first && doc.child(doc.childCount - 1 - behind).eq(target.child(target.childCount - 1 - behind))) behind += 1;
  const sizeOf = (node: Node, from: number, to: number) => {
    let size = 0;
    for (let at = from; at < to; at += 1) size += node.child(at).nodeSize;
    return size;
  };
  const from = sizeOf(doc, 0, first);
  const to = from + sizeOf(doc, first, doc.childCount - behind);
  const blocks: Node[] = [];
  for (let at = first; at < target.childCount - behind; at += 1) blocks.push(target.child(at));
  change.replaceWith(from, to, blocks);
}

interface Kept {
  anchor: { number: number; letter: number };
  head: { number: number; letter: number };
}

function selectionOf(state: EditorState): Kept | null {
  const { $anchor, $head } = state.selection;
  if (!$anchor.parent.isTextblock || !$head.parent.isTextblock) return null;
  return {
    anchor: { number: numberOf($anchor.parent), letter: lettersBefore($anchor.parent, $anchor.parentOffset) },
    head: { number: numberOf($head.parent), letter: lettersBefore($head.parent, $head.parentOffset) },
  };
}

function restore(change: Transaction, { anchor, head }: Kept): Transaction {
  const now = change.selection;
  const { $anchor } = now;
  // Mapped positions are right unless their paragraph was put in anew.
  if ($anchor.parent.isTextblock && numberOf($anchor.parent) === anchor.number && lettersBefore($anchor.parent, $anchor.parentOffset) === anchor.letter) return change;
  const from = findParagraph(change.doc, anchor.number);
  const to = findParagraph(change.doc, head.number);
  if (!from || !to) return change;
  return change.setSelection(TextSelection.create(change.doc, placeIn(from.node, from.pos, anchor.letter), placeIn(to.node, to.pos, head.letter)));
}
