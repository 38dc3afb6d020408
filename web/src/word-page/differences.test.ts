import { splitBlock } from "prosemirror-commands";
import { EditorState, TextSelection } from "prosemirror-state";
import { expect, test } from "vitest";
import { documentOf } from "./building";
import { setParagraphs, toggleFormat } from "./commands";
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
