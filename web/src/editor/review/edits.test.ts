import { Text } from "@codemirror/state";
import { expect, test } from "vitest";
import { type Edit, editAt, editsOf, type Hunk, startOf } from "./edits";

const BY = [{ editId: "e1", model: "sonnet", at: 1 }];

function setUp(text: string, ...changes: [old: string, fresh: string, from: number][]) {
  const doc = Text.of(text.split("\n"));
  const hunks = changes.map(([old, fresh, from], index): Hunk => ({ id: `h${String(index + 1)}`, from, to: from + fresh.length, old, by: BY }));
  return { doc, edits: editsOf(doc, hunks) };
}

function shown(doc: Text, { parts: [{ lines, added, old }], hunks }: Edit) {
  return {
    hunks,
    lines: lines && doc.sliceString(lines.from, lines.to),
    added: added.map(({ from, to }) => doc.sliceString(from, to)),
    old: old && { text: old.text, removed: old.removed.map(({ from, to }) => old.text.slice(from, to)) },
  };
}

test("words changed in one line are one edit, with the line as it was and as it is", () => {
  const text = "Head\nfitted to 369 days. Ninety fail.\nEnd";
  const { doc, edits } = setUp(text, ["ninety", "369", 15], ["Long enough", "Ninety fail", 25]);
  expect(edits.map((edit) => shown(doc, edit))).toEqual([
    { hunks: ["h1", "h2"], lines: "fitted to 369 days. Ninety fail.", added: ["369", "Ninety fail"], old: { text: "fitted to ninety days. Long enough.", removed: ["ninety", "Long enough"] } },
  ]);
});

test("words that were only added need no line as it was", () => {
  const { doc, edits } = setUp("a new word", ["", "new ", 2]);
  expect(edits.map((edit) => shown(doc, edit))).toEqual([{ hunks: ["h1"], lines: "a new word", added: ["new"], old: null }]);
});

test("words that only went leave their line", () => {
  const { doc, edits } = setUp("a word", ["old ", "", 2]);
  expect(edits.map((edit) => shown(doc, edit))).toEqual([{ hunks: ["h1"], lines: "a word", added: [], old: { text: "a old word", removed: ["old"] } }]);
});

test("whole lines are compared with those they replace, word by word", () => {
  const { doc, edits } = setUp("a\nx = 2\nb\n", ["x = 1\n", "x = 2\n", 2]);
  expect(edits.map((edit) => shown(doc, edit))).toEqual([{ hunks: ["h1"], lines: "x = 2", added: ["2"], old: { text: "x = 1", removed: ["1"] } }]);
});

test("new lines are shown without marks, before and after others", () => {
  const before = setUp("a\nnew\nb", ["", "new\n", 2]);
  const after = setUp("a\n\nnew", ["", "\n\nnew", 1]);
  expect([...before.edits.map((edit) => shown(before.doc, edit)), ...after.edits.map((edit) => shown(after.doc, edit))]).toEqual([
    { hunks: ["h1"], lines: "new", added: [], old: null },
    { hunks: ["h1"], lines: "\nnew", added: [], old: null },
  ]);
});

test("lines that only went stand where they were, between others", () => {
  const before = setUp("a\nb\n", ["gone\n", "", 2]);
  const after = setUp("a", ["\ngone", "", 1]);
  expect([before, after].map(({ edits }) => edits.map(({ parts: [{ lines, old, place, isAfter }] }) => ({ lines, text: old?.text, place, isAfter })))).toEqual([
    [{ lines: null, text: "gone", place: 2, isAfter: false }],
    [{ lines: null, text: "gone", place: 1, isAfter: true }],
  ]);
});

test("lines that went are told from the start of a line, wherever their hunk begins", () => {
  const gone = setUp("| a |\n| c |\n", ["b |\n| ", "", 8]);
  const came = setUp("| a |\n| b |\n| c |\n", ["", "b |\n| ", 8]);
  expect([gone.edits[0]?.parts[0].old?.text, gone.edits[0]?.parts[0].lines, came.edits.map((edit) => shown(came.doc, edit))]).toEqual(["| b |", null, [{ hunks: ["h1"], lines: "| b |", added: [], old: null }]]);
});

test("edits in neighbouring lines stay two, also where lines went between them", () => {
  const { edits } = setUp("one\ntwo\nthree", ["eins", "one", 0], ["gone\n", "", 4], ["drei", "three", 8]);
  expect(edits.map(({ hunks }) => hunks)).toEqual([["h1"], ["h2"], ["h3"]]);
});

test("a text that was emptied has one edit", () => {
  const { edits } = setUp("", ["all\nof it\n", "", 0]);
  expect(edits.map(({ parts: [{ lines, old }] }) => ({ lines, text: old?.text }))).toEqual([{ lines: null, text: "all\nof it" }]);
});

test("the edit at a place is found in its lines, or beside lines that went", () => {
  const { doc, edits } = setUp("one\ntwo\nthree", ["eins", "one", 0], ["gone\n", "", 8]);
  expect([0, 3, 5, 9].map((at) => editAt(doc, edits, at)?.hunks[0] ?? null)).toEqual(["h1", "h1", null, "h2"]);
  expect(edits.map(startOf)).toEqual([0, 8]);
});

test("rows of one table are one edit, in parts", () => {
  const doc = Text.of(["| a | 2 |", "| b | 3 |", "", "c"]);
  const table = { from: 0, to: 19, alignments: ["start", "end"] };
  const hunks: Hunk[] = [{ id: "h1", from: 6, to: 7, old: "1", by: BY }, { id: "h2", from: 10, to: 20, old: "", by: BY }, { id: "h3", from: 21, to: 22, old: "d", by: BY }];
  expect(editsOf(doc, hunks, [table, table, null]).map((edit) => ({ hunks: edit.hunks, table: edit.table, lines: edit.parts.map(({ lines }) => lines) }))).toEqual([
    { hunks: ["h1", "h2"], table, lines: [{ from: 0, to: 9 }, { from: 10, to: 19 }] },
    { hunks: ["h3"], table: null, lines: [{ from: 21, to: 22 }] },
  ]);
});
