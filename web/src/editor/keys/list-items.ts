/** Items of Markdown lists, a level deeper or higher: with all that is in them, and numbers counted anew. */
import { ensureSyntaxTree, syntaxTree } from "@codemirror/language";
import { type ChangeDesc, type ChangeSet, type ChangeSpec, countColumn, type EditorState, type Line } from "@codemirror/state";
import type { EditorView } from "@codemirror/view";
import type { SyntaxNode, Tree } from "@lezer/common";
import { indentationAt, leadOf } from "../syntax/indentation";

/** Markdown's own: a tab goes to the next multiple of four columns. */
const TAB = 4;
/** So far behind the text of the item above an item may stand and still be inside it. */
const SLACK = 3;
const PARSE_MS = 100;

interface Item {
  node: SyntaxNode;
  /** In which column its mark stands, and its text; quote marks before them are not counted. */
  column: number;
  content: number;
}

function treeTo(state: EditorState, to: number): Tree {
  return ensureSyntaxTree(state, to, PARSE_MS) ?? syntaxTree(state);
}

/** How much of a line belongs to the quotes around a node. */
export function quoteLength(line: string, node: SyntaxNode | null): number {
  let quotes = 0;
  for (let outer = node?.parent ?? null; outer; outer = outer.parent) if (outer.name === "Blockquote") quotes += 1;
  return quotes === 0 ? 0 : (new RegExp(`^(?:[ \\t]*> ?){0,${String(quotes)}}`).exec(line)?.[0].length ?? 0);
}

function itemOf(state: EditorState, node: SyntaxNode): Item | null {
  const line = state.doc.lineAt(node.from);
  const quoted = quoteLength(line.text, node);
  const lead = line.text.slice(quoted, node.from - line.from);
  const found = /^(?:[-+*]|\d{1,9}[.)])( {1,4}(?! ))?/.exec(state.sliceDoc(node.from, Math.min(line.to, node.from + 16)));
  // An item whose mark stands behind another mark has no indentation of its own.
  if (!found || lead.trim() !== "") return null;
  const column = countColumn(lead, TAB);
  return { node, column, content: column + found[0].length + (found[1] === undefined ? 1 : 0) };
}

/** The innermost item that a line belongs to; null where the line is none of a list, or code inside of one. */
function itemOn(state: EditorState, tree: Tree, line: Line): Item | null {
  const at = /\S/.exec(line.text)?.index;
  if (at === undefined) return null;
  const start = tree.resolveInner(line.from + at, 1);
  const inside = start.name === "QuoteMark" ? tree.resolveInner(line.from + (/[^\s>]/.exec(line.text)?.index ?? at), 1) : start;
  for (let node: SyntaxNode | null = inside; node; node = node.parent) {
    if (node.name === "FencedCode" || node.name === "CodeBlock") return null;
    if (node.name === "ListItem") return itemOf(state, node);
  }
  return null;
}

/** The items of the selected lines; of those inside each other only the outer ones. Null where a line is in no item. */
function selectedItems(state: EditorState): Item[] | null {
  const tree = treeTo(state, state.selection.main.to);
  const items = new Map<number, Item>();
  for (const { from, to, empty } of state.selection.ranges) {
    for (let line = state.doc.lineAt(from); ; line = state.doc.line(line.number + 1)) {
      const isTouched = empty || line.from < to || line.from === from;
      const item = isTouched ? itemOn(state, tree, line) : null;
      if (isTouched && !item && (line.text.trim() !== "" || empty)) return null;
      if (item) items.set(item.node.from, item);
      if (line.to >= to) break;
    }
  }
  const all = [...items.values()].sort((one, other) => one.node.from - other.node.from);
  return all.filter(({ node }) => !all.some((other) => other.node.from < node.from && other.node.to >= node.to));
}

const isList = (node: SyntaxNode | null): node is SyntaxNode => node !== null && (node.name === "BulletList" || node.name === "OrderedList");

/** What stands before a node on its level, marks of quotes aside. */
function before(node: SyntaxNode | null): SyntaxNode | null {
  let found = node?.prevSibling ?? null;
  while (found?.name === "QuoteMark") found = found.prevSibling;
  return found;
}

/** The item before this one on the same level; a list of another kind right above counts, too. */
function itemAbove(state: EditorState, { node }: Item): Item | null {
  const beside = before(node);
  const list = before(node.parent);
  const above = beside ?? (isList(list) ? list.lastChild : null);
  return above?.name === "ListItem" ? itemOf(state, above) : null;
}

/** The column of an item inside another: as those that are there already, else by the file's own indentation. */
function columnInside(state: EditorState, parent: Item): number {
  const list = parent.node.getChild("BulletList") ?? parent.node.getChild("OrderedList");
  const first = list?.firstChild && itemOf(state, list.firstChild);
  if (first) return first.column;
  const wanted = parent.column + countColumn(indentationAt(state, parent.node.from), TAB);
  // Two spaces are too few below a number: the item's own text is the place then.
  return wanted - parent.column >= TAB && wanted >= parent.content && wanted <= parent.content + SLACK ? wanted : parent.content;
}

function parentOf(state: EditorState, { node }: Item): Item | null {
  const outer = node.parent?.parent ?? null;
  return outer?.name === "ListItem" ? itemOf(state, outer) : null;
}

function whiteSpace(columns: number, isTabbed: boolean): string {
  return isTabbed ? "\t".repeat(Math.floor(columns / TAB)) + " ".repeat(columns % TAB) : " ".repeat(columns);
}

/** Moves every line of an item by some columns. */
function shifted(state: EditorState, { node }: Item, by: number): ChangeSpec[] {
  const isTabbed = indentationAt(state, node.from) === "\t";
  const changes: ChangeSpec[] = [];
  const last = state.doc.lineAt(node.to).number;
  for (let number = state.doc.lineAt(node.from).number; number <= last; number += 1) {
    const line = state.doc.line(number);
    const quoted = quoteLength(line.text, node);
    const lead = leadOf(line.text.slice(quoted));
    if (quoted + lead.length === line.length) continue;
    const fresh = whiteSpace(Math.max(0, countColumn(lead, TAB) + by), isTabbed);
    changes.push({ from: line.from + quoted, to: line.from + quoted + lead.length, insert: fresh });
  }
  return changes;
}

/** The numbered lists in a range, each by its items. */
function numberedLists(tree: Tree, from: number, to: number): SyntaxNode[][] {
  const lists: SyntaxNode[][] = [];
  tree.iterate({ from, to, enter: ({ name, node }) => { if (name === "OrderedList") lists.push(node.getChildren("ListItem")); } });
  return lists;
}

function numberOf(state: EditorState, item: SyntaxNode): string {
  return /^\d{1,9}/.exec(state.sliceDoc(item.from, item.from + 9))?.[0] ?? "1";
}

/** Whether the items of a list all have the same number: whoever writes so leaves the counting to others. */
function isUncounted(state: EditorState, items: readonly SyntaxNode[]): boolean {
  return items.length > 1 && new Set(items.map((item) => numberOf(state, item))).size === 1;
}

/** Room for a number that has grown, before the lines below it: else what is in the item would fall out of it. */
function widened(state: EditorState, item: SyntaxNode, by: number): ChangeSpec[] {
  const changes: ChangeSpec[] = [];
  const last = state.doc.lineAt(item.to).number;
  for (let number = state.doc.lineAt(item.from).number + 1; by > 0 && number <= last; number += 1) {
    const line = state.doc.line(number);
    if (line.text.trim() !== "") changes.push({ from: line.from + quoteLength(line.text, item), insert: " ".repeat(by) });
  }
  return changes;
}

/** Counts the numbered lists anew that have got or lost an item. A list that has begun just now begins with 1. */
function recounted(state: EditorState, after: EditorState, moved: ChangeDesc, from: number, to: number): ChangeSpec[] {
  const old = numberedLists(treeTo(state, to), from, to);
  if (old.some((items) => isUncounted(state, items))) return [];
  const placesOf = (items: readonly SyntaxNode[]) => items.map((item) => moved.mapPos(item.from, 1));
  const known = new Set(old.map((items) => placesOf(items).join()));
  const heads = new Set(old.map((items) => placesOf(items)[0]));
  const end = moved.mapPos(to, 1);
  const lists = numberedLists(treeTo(after, end), moved.mapPos(from, -1), end);
  return lists.filter((items) => !known.has(items.map((item) => item.from).join())).flatMap((items) => {
    const [head] = items;
    const first = head && heads.has(head.from) ? Number(numberOf(after, head)) : 1;
    return items.flatMap((item, index): ChangeSpec[] => {
      const number = numberOf(after, item);
      const fresh = String(first + index);
      return fresh === number ? [] : [{ from: item.from, to: item.from + number.length, insert: fresh }, ...widened(after, item, fresh.length - number.length)];
    });
  });
}

/** The lists around a node, and those right beside them: all whose numbers may change. */
function listsAround(node: SyntaxNode): { from: number; to: number } {
  let outer = node;
  for (let at: SyntaxNode | null = node; at; at = at.parent) if (isList(at)) outer = at;
  let [first, last] = [outer, outer];
  while (isList(first.prevSibling)) first = first.prevSibling;
  while (isList(last.nextSibling)) last = last.nextSibling;
  return { from: first.from, to: last.to };
}

/** Moves the selected items. False where the selection is not in a list; true also where there is no level to move to. */
export function moveItems(view: EditorView, way: "deeper" | "higher"): boolean {
  const { state } = view;
  const items = selectedItems(state);
  const [first] = items ?? [];
  if (!items || !first) return false;
  const goal = way === "deeper" ? itemAbove(state, first) : parentOf(state, first);
  if (!goal) return true;
  const by = (way === "deeper" ? columnInside(state, goal) : goal.column) - first.column;
  const changes = state.changes(items.filter((item) => item.column + by >= 0).flatMap((item) => shifted(state, item, by)));
  const all = changes.compose(countedAnew(state, changes, first.node));
  view.dispatch({ changes: all, selection: state.selection.map(all, 1), scrollIntoView: true, userEvent: "input.indent" });
  return true;
}

const EMPTY_ITEM = /^(?:[-+*]|\d{1,9}[.)])[ \t]*(?:\[[ xX]\][ \t]*)?$/;

/** Whether a line is the empty last item of a list that is in no other, and in no quote. */
function isEmptyEnd(state: EditorState, line: Line): boolean {
  const item = itemOn(state, treeTo(state, line.to), line)?.node;
  if (!item || item.from < line.from || !EMPTY_ITEM.test(state.sliceDoc(item.from, line.to))) return false;
  return item.nextSibling === null && item.parent?.parent?.name !== "ListItem" && quoteLength(line.text, item) === 0;
}

/** Ends a list at its last item, if that is empty. Without a blank line, what is written next would still be in the item before. */
export function endList(view: EditorView): boolean {
  const { state } = view;
  const { head, empty } = state.selection.main;
  const line = state.doc.lineAt(head);
  if (state.readOnly || !empty || head !== line.to || line.number === 1 || !isEmptyEnd(state, line)) return false;
  const insert = state.doc.line(line.number - 1).text.trim() === "" ? "" : "\n";
  view.dispatch({ changes: { from: line.from, to: line.to, insert }, selection: { anchor: line.from + insert.length }, scrollIntoView: true, userEvent: "input" });
  return true;
}

function countedAnew(state: EditorState, changes: ChangeSet, node: SyntaxNode): ChangeSet {
  const after = state.update({ changes }).state;
  const { from, to } = listsAround(node);
  return after.changes(recounted(state, after, changes, from, to));
}
