import { EditorState } from "prosemirror-state";
import { EditorView } from "prosemirror-view";
import { expect, test } from "vitest";
import { documentOf } from "./building";
import { setParagraphs, splitParagraph } from "./commands";
import type { Block, PageStyle } from "./model";
import { numbering } from "./numbers";
import { findParagraph } from "./paragraphs";
import { reconciled } from "./reconciling";
import { Sheets, sheetOf, withoutSheets } from "./sheets";

const pictureAt = (part: string) => part;

function paragraphs(from: number, to: number, style = ""): Block[] {
  return Array.from({ length: to - from + 1 }, (_, at) => ({ kind: "paragraph", number: from + at, text: "Words.", pieces: [{ text: "Words." }], style }));
}

function around(styles: PageStyle[] = [], sheets = new Sheets()) {
  return { styles: new Map(styles.map((style) => [style.id, style])), pictureAt, sheets };
}

/** The numbers of the paragraphs on each sheet, as they follow each other. */
function sheetsIn(state: EditorState): number[][] {
  const found: { sheet: number; numbers: number[] }[] = [];
  state.doc.forEach((node) => {
    const last = found.at(-1);
    if (last?.sheet === sheetOf(node)) last.numbers.push(node.attrs.number as number);
    else found.push({ sheet: sheetOf(node), numbers: [node.attrs.number as number] });
  });
  return found.map(({ numbers }) => numbers);
}

function shown(blocks: Block[], sheets = new Sheets(), styles: PageStyle[] = []): EditorState {
  return EditorState.create({ doc: documentOf(blocks, around(styles, sheets)), plugins: [numbering()] });
}

test("a long document is drawn on sheets, none of which is long, and no paragraph stands outside of one", () => {
  const element = document.createElement("div");
  const view = new EditorView(element, { state: shown(paragraphs(1, 2000)) });
  expect(view.dom.children.length).toBe(125);
  expect([...view.dom.children].map(({ className, children }) => [className, children.length])).toEqual(Array.from({ length: 125 }, () => ["word-sheet", 16]));
  view.destroy();
});

test("a sheet ends where the distance between two paragraphs is kept by one of them", () => {
  const styles: PageStyle[] = [
    { id: "Normal", name: "Normal", kind: "paragraph", isDefault: true, after: 8 },
    { id: "Heading1", name: "Heading 1", kind: "paragraph", before: 12, after: 4 },
  ];
  const blocks = [...paragraphs(1, 16), ...paragraphs(17, 17, "Heading1"), ...paragraphs(18, 40)];
  expect(sheetsIn(shown(blocks, new Sheets(), styles)).map((numbers) => numbers[0])).toEqual([1, 18, 34]);
});

test("whatever others do to a document, a paragraph stays on its sheet, and the rest is not drawn anew", () => {
  const sheets = new Sheets();
  const before = shown(paragraphs(1, 64), sheets);
  const [changed] = paragraphs(17, 17, "Quote");
  const blocks = [...paragraphs(1, 3), ...paragraphs(65, 66), ...paragraphs(5, 16), ...(changed ? [changed] : []), ...paragraphs(18, 64)];
  const after = before.apply(reconciled(before, documentOf(blocks, around([], sheets))));
  expect(sheetsIn(after)).toEqual([
    [1, 2, 3, 65, 66, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16],
    [17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32],
    [33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48],
    [49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63, 64],
  ]);
  expect(after.doc.children.slice(0, 3)).toEqual(before.doc.children.slice(0, 3));
  expect(after.doc.children.slice(18).every((node, at) => node === before.doc.children[17 + at])).toBe(true);
});

test("a paragraph that somebody begins is on the sheet of the one above it, and gets its number there", () => {
  const sheets = new Sheets();
  let state = shown(paragraphs(1, 32), sheets);
  const place = findParagraph(state.doc, 16)?.pos ?? 0;
  state = state.apply(state.tr.insertText("More.", place + 7));
  splitParagraph(state, (change) => { state = state.apply(change); });
  const begun = findParagraph(state.doc, -1);
  expect(sheetOf(begun?.node)).toBe(sheetOf(findParagraph(state.doc, 16)?.node));
  expect(sheetsIn(state).map((numbers) => numbers.length)).toEqual([17, 16]);
});

test("a table is on no sheet, and what is read or copied of a document neither", () => {
  const table: Block = { kind: "table", rows: [{ cells: [{ blocks: paragraphs(3, 3) }] }] };
  const state = shown([...paragraphs(1, 2), table, ...paragraphs(4, 4)]);
  expect(state.doc.children.map((node) => [node.type.name, sheetOf(node)])).toEqual([["paragraph", 1], ["paragraph", 1], ["table", 0], ["paragraph", 2]]);
  const copied = document.createElement("div");
  copied.append(withoutSheets.serializeFragment(state.doc.content));
  expect(copied.querySelectorAll(".word-sheet")).toHaveLength(0);
  expect(copied.querySelectorAll("p")).toHaveLength(4);
});

test("styles given to paragraphs of two sheets leave each on its own", () => {
  let state = shown(paragraphs(1, 32));
  setParagraphs({ align: "center" })(state, (change) => { state = state.apply(change); });
  expect(sheetsIn(state).map((numbers) => numbers.length)).toEqual([16, 16]);
});
