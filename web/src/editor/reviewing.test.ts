import { expect, test, vi } from "vitest";
import * as Y from "yjs";
import { BY_OTHERS, LiveText } from "./live/live-text";
import { TextViewer } from "./viewer";

/** A rendered text in which some words are new: for each, what stood there. */
async function setUp(text: string, ...changes: [fresh: string, old: string][]) {
  const live = new LiveText("a.md");
  live.doc.transact(() => { live.text.insert(0, text); }, BY_OTHERS);
  const nowhere = { targetOf: () => null, openLink: () => undefined, openFile: () => undefined, openNote: () => undefined, pictureAt: () => null, pictureNamed: () => null, noteShown: () => "missing" as const, isMissing: () => false, drawText: () => () => undefined, preview: () => Promise.resolve(null), openTag: () => undefined, diagram: () => null, drawFormula: () => null };
  const standings: object[] = [];
  const viewer = new TextViewer(document.body.appendChild(document.createElement("div")), {
    rendered: nowhere,
    review: { decide: () => Promise.resolve("done"), author: () => "Sonnet, 14:32", onStanding: (path, standing) => { standings.push({ path, ...standing }); } },
  });
  viewer.setRendered(true);
  viewer.show({ path: "a.md", text, hash: "1", live });
  await vi.waitFor(() => { expect(viewer.view.dom.querySelector(".cm-heading")).toBeTruthy(); });
  const place = (at: number, side: number) => Y.createRelativePositionFromTypeIndex(live.text, at, side);
  const hunks = changes.map(([fresh, old], index) => {
    const from = text.indexOf(fresh);
    return { id: `h${String(index + 1)}`, from: place(from, 0), to: place(from + fresh.length, -1), old, by: [{ editId: "e", model: "m", at: 1 }] };
  });
  live.takeReview("r1", hunks);
  const find = (selector: string) => [...viewer.view.dom.querySelectorAll<HTMLElement>(selector)];
  return { live, viewer, standings, find, texts: (selector: string) => find(selector).map((one) => one.textContent) };
}

const TABLE = "# Head\n\n| a | b |\n| --- | ---: |\n| one | 2 |\n| two | 3 |\n\nThe *end*.\n";

test("what went and what came show as they read", async () => {
  const { texts, find, standings } = await setUp("# Head\n\nThe *new* **bold** end.\n\nThe *other* end.\n", ["new", "old"]);
  expect([texts(".cm-hunk-new"), texts(".hunk-old"), texts(".hunk-old del"), texts(".cm-hunk-new ins"), texts(".cm-line").at(-2)]).toEqual([["The new bold end."], ["Removed: The old bold end."], ["old"], ["new"], "The other end."]);
  const looks = find(".hunk-old .cm-line span, .cm-hunk-new span").map((one) => [one.textContent, one.className]);
  expect(looks.filter(([text]) => text === "bold").map(([, name]) => name)).toEqual([expect.stringMatching(/^ͼ/), expect.stringMatching(/^ͼ/)]);
  expect(standings.at(-1)).toEqual({ path: "a.md", count: 1, current: 0 });
});

test("both sides show their source where a text does", async () => {
  const { viewer, texts, find } = await setUp("# Head\n\nThe *new* end.\n", ["Head", "Tail"], ["new", "old"]);
  expect(texts(".hunk-old")).toEqual(["Removed: Tail", "Removed: The old end."]);
  viewer.setRendered(false);
  expect([texts(".cm-hunk-new"), texts(".hunk-old")]).toEqual([["# Head", "The *new* end."], ["Removed: # Tail", "Removed: The *old* end."]]);
  expect(find(".hunk-old").map((one) => one.dataset["heading"])).toEqual(["1", undefined]);
  viewer.setRendered(true);
  expect([texts(".hunk-old"), find(".hunk-old [role=heading]").length]).toEqual([["Removed: Tail", "Removed: The old end."], 1]);
});

test.each([
  ["an address", "[it](two.md)", "two", "one", "[it](one.md)"],
  ["words and their address", "[it](two.md)", "it](two", "that](one", "[that](one.md)"],
  ["the name of a note", "[[Two|it]]", "Two", "One", "[[One|it]]"],
  ["a formula", "$a + b$", "b", "c", "$a + c$"],
  ["a picture", "![it](two.png)", "two", "one", "![it](one.png)"],
  ["a tick", "- [x] done", "x", " ", "- [ ] done"],
  ["the mark of a list", "1. one", "1.", "-", "- one"],
])("where %s changed, which a reader does not see, both sides show the source", async (_what, line, fresh, old, before) => {
  const { texts } = await setUp(`# Head\n\n${line}\n`, [fresh, old]);
  expect([texts(".hunk-old"), texts(".cm-hunk-new")]).toEqual([[`Removed: ${before}`], [line]]);
});

test("what is new as a whole shows as it reads", async () => {
  const { texts } = await setUp("# Head\n\n- [x] **done** $x$\n", ["- [x] **done** $x$\n", ""]);
  expect([texts(".cm-hunk-new"), texts(".hunk-old")]).toEqual([["done x"], []]);
  const link = await setUp("# Head\n\nSee [it](two.md).\n", ["[it](two.md)", "nothing"]);
  expect([link.texts(".cm-hunk-new"), link.texts(".hunk-old")]).toEqual([["See it."], ["Removed: See nothing."]]);
});

test("a line that went reads as it did in its block", async () => {
  const list = await setUp("# Head\n\n1. one\n2. new\n3. three\n", ["new", "old"]);
  expect(list.find(".hunk-old .cm-line").map((one) => one.style.getPropertyValue("--list"))).toEqual(["1"]);
  const code = await setUp("# Head\n\n```python\nnew = *1*\n```\n", ["new", "old"]);
  expect([code.texts(".hunk-old"), code.find(".hunk-old .cm-code").length]).toEqual([["Removed: old = *1*"], 1]);
});

test("lines that only went, and their formulas, read as they did", async () => {
  const { texts, find } = await setUp("# Head\n\nEnd.\n", ["", "**Gone** with $x$.\n\n"]);
  expect([texts(".hunk-old"), find(".hunk-old .cm-formula").length]).toEqual([["Removed: Gone with x."], 1]);
});

test("in a table rows stand above rows, cell by cell, with one foot for all", async () => {
  const { texts, find } = await setUp(TABLE.replace("2", "27.55"), ["55", "6"], ["| two | 3 |\n", ""], ["end", "start"]);
  expect(find(".hunk-row .cm-cell").map((one) => [one.textContent, one.className])).toEqual([["one", "cm-cell cm-cell-start"], ["27.6", "cm-cell cm-cell-end"]]);
  expect([texts(".cm-hunk-row"), texts(".cm-table ins"), texts(".hunk-row del"), texts(".cm-table-source")]).toEqual([["one27.55", "two3"], ["27.55"], ["27.6"], []]);
  expect(find("[role=group]").map((one) => one.getAttribute("aria-label"))).toEqual(["Edit 1 of 2 to review", "Edit 2 of 2 to review"]);
});

test("a cell that went reads as it did", async () => {
  const { texts } = await setUp(TABLE.replace("2", "27.55"), ["27.55", "*2*"]);
  expect([texts(".hunk-row"), texts(".hunk-row del"), texts(".cm-table-source")]).toEqual([["one2"], ["2"], []]);
});

test("a table whose line under the head is under review shows as source", async () => {
  const { texts, find } = await setUp(TABLE, ["---:", "---"], ["2", "1"]);
  expect([texts(".hunk-row"), texts(".cm-hunk-new"), find(".hunk-old .cm-table-source").length]).toEqual([[], ["| --- | ---: |", "| one | 2 |"], 1]);
});

test("what waits is shown again when the text comes back from another tab", async () => {
  const { live, viewer, texts } = await setUp("# Head\n\nA new end.\n", ["new", "old"]);
  viewer.show({ path: "b.md", text: "other", hash: "1" });
  live.takeReview(null, []);
  viewer.show({ path: "a.md", text: "", hash: "1", live });
  expect(texts(".hunk-old, .hunk-foot")).toEqual([]);
});
