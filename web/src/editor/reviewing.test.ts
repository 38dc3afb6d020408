import { expect, test, vi } from "vitest";
import * as Y from "yjs";
import { BY_OTHERS, LiveText } from "./live/live-text";
import { TextViewer } from "./viewer";

/** A rendered text in which some words are new: for each, what stood there. */
async function setUp(text: string, ...changes: [fresh: string, old: string][]) {
  const live = new LiveText("a.md");
  live.doc.transact(() => { live.text.insert(0, text); }, BY_OTHERS);
  const nowhere = { targetOf: () => null, openLink: () => undefined, openFile: () => undefined, openNote: () => undefined, pictureAt: () => null, pictureNamed: () => null, noteShown: () => "missing" as const, drawText: () => () => undefined, preview: () => Promise.resolve(null), openTag: () => undefined, diagram: () => null, drawFormula: () => null };
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

test("lines under review show their source, others stay as they read", async () => {
  const { texts, standings } = await setUp("# Head\n\nThe *new* end.\n\nThe *other* end.\n", ["new", "old"]);
  expect([texts(".cm-hunk-new"), texts(".hunk-old"), texts(".cm-line").at(-2)]).toEqual([["The *new* end."], ["Removed: The *old* end."], "The other end."]);
  expect(standings.at(-1)).toEqual({ path: "a.md", count: 1, current: 0 });
});

test("a heading that was is set as one", async () => {
  const { find } = await setUp("# Head\n", ["Head", "Tail"]);
  expect(find(".hunk-old").map((one) => [one.textContent, one.dataset["heading"]])).toEqual([["Removed: # Tail", "1"]]);
});

test("in a table rows stand above rows, cell by cell, with one foot for all", async () => {
  const { texts, find } = await setUp(TABLE.replace("2", "27.55"), ["55", "6"], ["| two | 3 |\n", ""], ["end", "start"]);
  expect(find(".hunk-row .cm-cell").map((one) => [one.textContent, one.className])).toEqual([["one", "cm-cell cm-cell-start"], ["27.6", "cm-cell cm-cell-end"]]);
  expect([texts(".cm-hunk-row"), texts(".cm-table ins"), texts(".hunk-row del"), texts(".cm-table-source")]).toEqual([["one27.55", "two3"], ["27.55"], ["27.6"], []]);
  expect(find("[role=group]").map((one) => one.getAttribute("aria-label"))).toEqual(["Edit 1 of 2 to review", "Edit 2 of 2 to review"]);
});

test("a table whose line under the head is under review shows as source", async () => {
  const { texts, find } = await setUp(TABLE, ["---:", "---"], ["2", "1"]);
  expect([texts(".hunk-row"), texts(".cm-hunk-new"), find(".hunk-mono").length]).toEqual([[], ["| --- | ---: |", "| one | 2 |"], 1]);
});

test("what waits is shown again when the text comes back from another tab", async () => {
  const { live, viewer, texts } = await setUp("# Head\n\nA new end.\n", ["new", "old"]);
  viewer.show({ path: "b.md", text: "other", hash: "1" });
  live.takeReview(null, []);
  viewer.show({ path: "a.md", text: "", hash: "1", live });
  expect(texts(".hunk-old, .hunk-foot")).toEqual([]);
});
