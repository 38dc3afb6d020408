import { splitBlock } from "prosemirror-commands";
import { EditorState, TextSelection } from "prosemirror-state";
import { expect, test } from "vitest";
import { documentOf } from "./building";
import { addRow, removeRow, setParagraphs, splitParagraph, toggleFormat } from "./commands";
import { agreedOn, differences } from "./differences";
import type { Block, Edit } from "./model";
import { numbering } from "./numbers";
import { findParagraph, placeIn } from "./paragraphs";
import { reconciled } from "./reconciling";

const AROUND = { styles: new Map(), pictureAt: (part: string) => part };

function paragraph(number: number, text: string, more: object = {}): Block {
  return { kind: "paragraph", number, text, pieces: text === "" ? [] : [{ text }], ...more };
}

function stateOf(...blocks: Block[]): EditorState {
  return EditorState.create({ doc: documentOf(blocks, AROUND), plugins: [numbering()] });
}

/** A state with the letters from one place of a paragraph to another selected. */
function selecting(state: EditorState, number: number, from: number, to = from, last = number): EditorState {
  const first = findParagraph(state.doc, number);
  const second = findParagraph(state.doc, last);
  if (!first || !second) throw new Error("no such paragraph");
  return state.apply(state.tr.setSelection(TextSelection.create(state.doc, placeIn(first.node, first.pos, from), placeIn(second.node, second.pos, to))));
}

function typing(state: EditorState, text: string): EditorState {
  return state.apply(state.tr.insertText(text));
}

function doing(state: EditorState, command: (state: EditorState, dispatch: (change: EditorState["tr"]) => void) => boolean): EditorState {
  let after = state;
  command(state, (change) => { after = state.apply(change); });
  return after;
}

function made(before: EditorState, after: EditorState): Edit[] {
  return differences(after.doc, agreedOn(before.doc));
}

const TWO = stateOf(paragraph(1, "one two"), paragraph(2, "three four"));

test("what is not changed is no edit", () => {
  expect(made(TWO, TWO)).toEqual([]);
});

test("typed letters are the text of their paragraph, told with how it read", () => {
  const edits = made(TWO, typing(selecting(TWO, 2, 5), "teen"));
  expect(edits[0]).toEqual({ do: "text", paragraph: 2, base: "three four", text: "threeteen four" });
});

test("a paragraph that is cut is split, and its part has a number of its own", () => {
  const after = doing(selecting(TWO, 1, 3), splitBlock);
  expect(made(TWO, after)).toEqual([
    { do: "split", paragraph: 1, base: "one two", at: 3, new: -1 },
    { do: "format", paragraph: 1, base: "one", spans: [{ start: 0, end: 3, bold: null, italic: null, underline: null, strike: null, script: "" }] },
    { do: "format", paragraph: -1, base: " two", spans: [{ start: 0, end: 4, bold: null, italic: null, underline: null, strike: null, script: "" }] },
  ]);
});

test("two paragraphs that become one are joined, and those between them go", () => {
  const three = stateOf(paragraph(1, "one two"), paragraph(2, "gone"), paragraph(3, "three four"));
  const after = typing(selecting(three, 1, 3, 5, 3), "");
  expect(made(three, after).filter((edit) => edit.do !== "format")).toEqual([
    { do: "remove", paragraph: 2, base: "gone" },
    { do: "join", paragraph: 1, base: "one two", following: 3, followingBase: "three four", text: "one four" },
  ]);
});

test("a paragraph that is deleted whole goes", () => {
  const after = TWO.apply(TWO.tr.delete(0, TWO.doc.firstChild?.nodeSize ?? 0));
  expect(made(TWO, after)).toEqual([{ do: "remove", paragraph: 1, base: "one two" }]);
});

test("bold letters and another style are told, and nothing else of their paragraph", () => {
  const bold = doing(selecting(TWO, 1, 0, 3), toggleFormat("bold"));
  expect(made(TWO, bold)).toEqual([{ do: "format", paragraph: 1, base: "one two", spans: [
    { start: 0, end: 3, bold: true, italic: null, underline: null, strike: null, script: "" },
    { start: 3, end: 7, bold: null, italic: null, underline: null, strike: null, script: "" },
  ] }]);
  expect(made(TWO, doing(selecting(TWO, 2, 0), setParagraphs({ style: "Quote" })))).toEqual([{ do: "style", paragraph: 2, style: "Quote", list: "keep", level: 0 }]);
});

test("rows that are gone are removed as rows", () => {
  const cell = (number: number) => ({ blocks: [paragraph(number, `cell ${String(number)}`)] });
  const table = stateOf({ kind: "table", rows: [{ cells: [cell(1), cell(2)] }, { cells: [cell(3), cell(4)] }] }, paragraph(5, "end"));
  const row = table.doc.firstChild?.firstChild?.nodeSize ?? 0;
  expect(made(table, table.apply(table.tr.delete(1, 1 + row)))).toEqual([{ do: "removeRow", paragraph: 1 }]);
});

test("what tracked changes took away counts no letters", () => {
  const tracked = stateOf({ kind: "paragraph", number: 1, text: "now", pieces: [{ text: "then", kind: "deleted", change: "7" }, { text: "now", change: "8" }] });
  expect(made(tracked, typing(selecting(tracked, 1, 3), "!"))[0]).toEqual({ do: "text", paragraph: 1, base: "now", text: "now!" });
});

test("the page takes on what the server made, and the cursor stays behind the same letter", () => {
  const typed = typing(selecting(TWO, 1, 7), "!");
  const target = documentOf([
    { kind: "paragraph", number: 1, text: "one two!", pieces: [{ text: "one two" }, { text: "?", kind: "deleted", change: "1" }, { text: "!", change: "2" }] },
    paragraph(9, "new"), paragraph(2, "three four"),
  ], AROUND);
  const after = typed.apply(reconciled(typed, target));
  expect(after.doc.eq(target)).toBe(true);
  expect(after.selection.$head.parentOffset).toBe(9);
  expect(made(after, after)).toEqual([]);
});

test("marks that the server adds replace no letter, so that typing can still be undone", () => {
  const typed = typing(selecting(TWO, 1, 3), "X");
  const target = documentOf([{ kind: "paragraph", number: 1, text: "oneX two", pieces: [{ text: "one" }, { text: "X", change: "1" }, { text: " two" }] }, paragraph(2, "three four")], AROUND);
  const change = reconciled(typed, target);
  expect(change.steps.map((step) => step.toJSON() as unknown)).toEqual([{ stepType: "addMark", mark: { type: "inserted", attrs: { change: "1" } }, from: 4, to: 5 }]);
});

function tableOf(...rows: number[][]): Block {
  return { kind: "table", rows: rows.map((row) => ({ cells: row.map((number) => ({ blocks: [paragraph(number, `cell ${String(number)}`)] })) })) };
}

/** What the server has after some edits, and what the page is like after these were undone. */
function undone(before: Block[], now: Block[]): Edit[] {
  return differences(stateOf(...before).doc, agreedOn(stateOf(...now).doc));
}

test("behind an item of a list comes another one, behind a heading plain text", () => {
  const item = stateOf(paragraph(1, "one", { style: "Listed", marker: "•", level: 1 }));
  const next = doing(selecting(item, 1, 3), splitParagraph).doc.child(1);
  expect(next.attrs).toMatchObject({ style: "Listed", list: "bullet", level: 1, number: -1 });
  const heading = EditorState.create({ doc: documentOf([paragraph(1, "one", { style: "H1" })], { ...AROUND, styles: new Map([["H1", { id: "H1", name: "heading 1", kind: "paragraph", level: 1 }]]) }), plugins: [numbering()] });
  expect(doing(selecting(heading, 1, 3), splitParagraph).doc.child(1).attrs).toMatchObject({ style: "", heading: 0 });
});

test("a paragraph that comes back is put back where it was, and one whose end came back too", () => {
  const whole = [paragraph(1, "one"), paragraph(2, "two"), paragraph(3, "three")];
  const back = { do: "back", what: "paragraph", style: "", besideTable: false };
  expect(undone(whole, [paragraph(1, "one"), paragraph(3, "three")])).toEqual([{ ...back, paragraph: 2, after: 1, before: 0, text: "two" }]);
  expect(undone(whole, [paragraph(3, "three")])).toEqual([
    { ...back, paragraph: 1, after: 0, before: 3, text: "one" },
    { ...back, paragraph: 2, after: 1, before: 0, text: "two" },
  ]);
  expect(undone(whole, [paragraph(1, "onetwo"), paragraph(3, "three")]).filter((edit) => edit.do !== "format")).toEqual([
    { ...back, paragraph: 2, after: 1, before: 0, text: "two" },
    { do: "text", paragraph: 1, base: "onetwo", text: "one" },
  ]);
});

test("what comes back where nothing else is stands behind what goes", () => {
  expect(undone([paragraph(1, "one")], [paragraph(7, "")])).toEqual([
    { do: "remove", paragraph: 7, base: "" },
    { do: "back", what: "paragraph", paragraph: 1, after: 7, before: 0, text: "one", style: "", besideTable: false },
  ]);
});

test("rows and tables come back whole", () => {
  const back = { do: "back", text: "", style: "" };
  expect(undone([tableOf([1, 2], [3, 4]), paragraph(5, "end")], [tableOf([1, 2]), paragraph(5, "end")])).toEqual([{ ...back, what: "row", paragraph: 3, after: 1, before: 0, besideTable: false }]);
  expect(undone([tableOf([1, 2], [3, 4]), paragraph(5, "end")], [tableOf([3, 4]), paragraph(5, "end")])).toEqual([{ ...back, what: "row", paragraph: 1, after: 0, before: 3, besideTable: false }]);
  expect(undone([tableOf([1], [3]), paragraph(5, "end")], [paragraph(5, "end")])).toEqual([{ ...back, what: "table", paragraph: 1, after: 0, before: 5, besideTable: false }]);
  expect(undone([tableOf([1]), paragraph(5, "end")], [tableOf([1])])).toEqual([{ ...back, what: "paragraph", paragraph: 5, after: 1, before: 0, text: "end", besideTable: true }]);
});

test("a new row is asked for with its cells, and typed in at once", () => {
  const table = stateOf(tableOf([1, 2]), paragraph(5, "end"));
  const after = typing(doing(selecting(table, 2, 3), addRow), "new");
  expect(made(table, after).filter((edit) => edit.do !== "format")).toEqual([
    { do: "addRow", paragraph: 1, new: [-1, -2] },
    { do: "text", paragraph: -1, base: "", text: "new" },
  ]);
  expect(made(table, doing(selecting(table, 2, 3), removeRow))).toEqual([{ do: "removeRow", paragraph: 1 }]);
});

test("a new first paragraph stands before the one that was first", () => {
  const first = TWO.schema.node("paragraph", null, TWO.schema.text("zero"));
  expect(made(TWO, TWO.apply(TWO.tr.insert(0, first)))[0]).toMatchObject({ do: "add", after: 0, before: 1, text: "zero" });
});
