/** What a person does to a page by keys and buttons. */
import { chainCommands, createParagraphNear, liftEmptyBlock, splitBlockAs, toggleMark, baseKeymap } from "prosemirror-commands";
import { redo, undo } from "prosemirror-history";
import { keymap } from "prosemirror-keymap";
import type { Node } from "prosemirror-model";
import { type Command, type EditorState, Plugin, TextSelection } from "prosemirror-state";
import type { EditorView } from "prosemirror-view";
import { lettersBefore, numberOf, placeIn } from "./paragraphs";
import { lettersOf, schema } from "./schema";

export type MarkName = "bold" | "italic" | "underline" | "strike";

export function toggleFormat(name: MarkName): Command {
  return toggleMark(schema.marks[name] ?? schema.mark(name).type, { on: true });
}

export function toggleScript(kind: "super" | "sub"): Command {
  return toggleMark(schema.mark("script").type, { kind });
}

/** Gives the selected paragraphs attributes. */
export function setParagraphs(attrs: Record<string, unknown>): Command {
  return (state, dispatch) => {
    const change = state.tr;
    for (const { node, pos } of selectedParagraphs(state)) change.setNodeMarkup(pos, null, { ...node.attrs, ...attrs });
    if (!change.docChanged) return false;
    dispatch?.(change);
    return true;
  };
}

export function selectedParagraphs(state: EditorState): { node: Node; pos: number }[] {
  const found: { node: Node; pos: number }[] = [];
  const { from, to } = state.selection;
  state.doc.nodesBetween(from, to, (node, pos) => {
    if (node.type.name !== "paragraph") return true;
    if (!node.attrs.locked) found.push({ node, pos });
    return false;
  });
  return found;
}

/** A selected passage in one paragraph, in the letters that the server counts. */
export function passageOf(state: EditorState): { paragraph: number; base: string; start: number; end: number; text: string } | null {
  const { $from, $to, empty } = state.selection;
  if (empty || !$from.parent.isTextblock) return null;
  const node = $from.parent;
  const start = lettersBefore(node, $from.parentOffset);
  const base = lettersOf(node);
  const end = $to.sameParent($from) ? lettersBefore(node, $to.parentOffset) : base.length;
  return start < end ? { paragraph: numberOf(node), base, start, end, text: base.slice(start, end) } : null;
}

/** A selection by its first and last letter, each in its paragraph. */
export function placeOf(state: EditorState): { paragraph: number; start: number; last: number; end: number; text: string } | null {
  const { $from, $to, from, to, empty } = state.selection;
  if (empty || !$from.parent.isTextblock || !$to.parent.isTextblock || $from.parent.attrs.locked === true || $to.parent.attrs.locked === true) return null;
  const place = { paragraph: numberOf($from.parent), start: lettersBefore($from.parent, $from.parentOffset), last: numberOf($to.parent), end: lettersBefore($to.parent, $to.parentOffset) };
  return place.paragraph === place.last && place.start === place.end ? null : { ...place, text: state.doc.textBetween(from, to, "\n") };
}

/** A list of a kind around the selection, or none if it is one already. */
export function toggleList(kind: "bullet" | "number"): Command {
  return (state, dispatch, view) => {
    const is = selectedParagraphs(state).every(({ node }) => node.attrs.list === kind);
    return setParagraphs(is ? { list: "", marker: "", level: 0 } : { list: kind, marker: kind === "bullet" ? "•" : "1." })(state, dispatch, view);
  };
}

function indent(step: 1 | -1): Command {
  return (state, dispatch, view) => {
    const [first] = selectedParagraphs(state);
    if (!first || first.node.attrs.list === "") return false;
    return setParagraphs({ level: Math.max(0, Math.min(8, (first.node.attrs.level as number) + step)) })(state, dispatch, view);
  };
}

const leaveList: Command = (state, dispatch, view) => {
  const { $from, empty } = state.selection;
  if (!empty || $from.parentOffset > 0 || $from.parent.attrs.list === "" || !$from.parent.isTextblock) return false;
  return setParagraphs({ list: "", marker: "", level: 0 })(state, dispatch, view);
};

const leaveEmptyItem: Command = (state, dispatch, view) => (state.selection.$from.parent.content.size === 0 ? leaveList(state, dispatch, view) : false);

/** Behind a heading comes plain text; behind anything else, more of the same. */
export const splitParagraph = splitBlockAs((node, atEnd) => ({ type: node.type, attrs: atEnd && node.attrs.heading ? {} : node.attrs }));

function insertThing(kind: "break" | "pageBreak", text: string): Command {
  return (state, dispatch) => {
    if (!state.selection.$from.parent.isTextblock) return false;
    dispatch?.(state.tr.replaceSelectionWith(schema.node("thing", { kind, text })).scrollIntoView());
    return true;
  };
}

export const insertPageBreak = insertThing("pageBreak", "[page break]");

/** The cell that the cursor is in, by its depth; 0 outside of tables. */
function cellDepth(state: EditorState): number {
  const { $head } = state.selection;
  let depth = $head.depth;
  while (depth > 0 && $head.node(depth).type.name !== "cell") depth -= 1;
  return depth;
}

/** Goes to the next or previous cell of a table. */
function goToCell(step: 1 | -1): Command {
  return (state, dispatch) => {
    const { $head } = state.selection;
    const depth = cellDepth(state);
    if (depth === 0) return false;
    const cells: number[] = [];
    const table = $head.node(depth - 2);
    const start = $head.start(depth - 2);
    table.descendants((node, pos) => { if (node.type.name === "cell") cells.push(start + pos); return node.type.name !== "cell"; });
    const next = cells[cells.indexOf($head.before(depth)) + step];
    if (next === undefined) return false;
    const $cell = state.doc.resolve(next + 1);
    dispatch?.(state.tr.setSelection(TextSelection.near($cell)).scrollIntoView());
    return true;
  };
}

/** A row below that of the cursor; not in tables with cells that grow over rows, where only the server knows what is below. */
export const addRow: Command = (state, dispatch) => {
  const { $head } = state.selection;
  const depth = cellDepth(state);
  if (depth === 0) return false;
  const row = $head.node(depth - 1);
  const isPlain = $head.node(depth - 2).children.every((one) => one.children.every((cell) => cell.attrs.rows === 1));
  if (!isPlain || row.attrs.what !== "") return false;
  const cells = row.children.map((cell) => schema.node("cell", { ...cell.attrs }, schema.node("paragraph", { style: (cell.firstChild?.attrs.style ?? "") as string })));
  const place = $head.after(depth - 1);
  const change = state.tr.insert(place, schema.node("row", null, cells));
  dispatch?.(change.setSelection(TextSelection.near(change.doc.resolve(place + 2))).scrollIntoView());
  return true;
};

/** Takes the row of the cursor out, and a table that has no other. */
export const removeRow: Command = (state, dispatch) => {
  const { $head } = state.selection;
  const depth = cellDepth(state);
  if (depth === 0) return false;
  const level = $head.node(depth - 2).childCount === 1 ? depth - 2 : depth - 1;
  if (level === depth - 2 && $head.node(depth - 3).childCount === 1) return false;
  dispatch?.(state.tr.delete($head.before(level), $head.after(level)).scrollIntoView());
  return true;
};

/** What a typewriter's key does where it means nothing else. */
const insertTab: Command = (state, dispatch) => {
  if (!state.selection.$from.parent.isTextblock) return false;
  dispatch?.(state.tr.insertText("\t").scrollIntoView());
  return true;
};

/** Puts a paragraph's letters in the place of what it reads now. */
export function setLetters(state: EditorState, pos: number, node: Node, text: string) {
  const from = placeIn(node, pos, 0);
  const to = pos + 1 + node.content.size;
  return text === "" ? state.tr.delete(from, to) : state.tr.replaceWith(from, to, schema.text(text));
}

/** Forms of what is selected, by the names that commands have for them. */
export const FORMS: Readonly<Record<string, Command>> = {
  bold: toggleFormat("bold"),
  italic: toggleFormat("italic"),
  strikethrough: toggleFormat("strike"),
  bullets: toggleList("bullet"),
  numbers: toggleList("number"),
};

/**
 * Has the view read what is selected. The browser tells of a new selection a moment after it: on a busy computer the next
 * key is faster, would be about the old selection, and would put it back.
 */
export function readSelection(view: EditorView): void {
  if (!view.composing) document.dispatchEvent(new Event("selectionchange"));
}

const readsBeforeKeys = new Plugin({
  props: { handleDOMEvents: { keydown: (view) => { readSelection(view); return false; } } },
});

export function keys(): Plugin[] {
  return [
    readsBeforeKeys,
    keymap({
      "Mod-u": toggleFormat("underline"),
      "Mod-z": undo, "Mod-y": redo, "Shift-Mod-z": redo,
      Enter: chainCommands(leaveEmptyItem, createParagraphNear, liftEmptyBlock, splitParagraph),
      "Shift-Enter": insertThing("break", "<br>"), "Mod-Enter": insertPageBreak,
      Backspace: leaveList,
      Tab: chainCommands(goToCell(1), addRow, indent(1), insertTab), "Shift-Tab": chainCommands(goToCell(-1), indent(-1)),
    }),
    keymap(baseKeymap),
  ];
}
