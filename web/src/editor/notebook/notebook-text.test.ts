import { expect, test } from "vitest";
import { BY_AI, LiveText } from "../live/live-text";
import { joinedCell, splitCells } from "./cells-text";
import { NotebookText } from "./notebook-text";

function setUp() {
  const live = new LiveText("a.ipynb");
  const server = new LiveText("a.ipynb");
  server.text.insert(0, joinedCell("markdown", "one", "# Head") + joinedCell("code", "two", "x = 1") + joinedCell("code", "three", "y"));
  live.apply(server.missing(live.version()), BY_AI);
  return { live, server, notebook: new NotebookText(live) };
}

function shown({ cells }: NotebookText): string[] {
  return cells.map(({ id, kind, source }) => `${id} ${kind} ${source}`);
}

test("cells are added, moved, split, joined, changed and deleted, and every step is undone", () => {
  const { live, notebook } = setUp();
  const before = shown(notebook);
  const id = notebook.add(1, "code", "new");
  expect(notebook.indexOf(id)).toBe(1);
  notebook.move("three", -1);
  expect(notebook.cells.map((cell) => cell.id)).toEqual(["one", id, "three", "two"]);
  notebook.move("three", 1);
  notebook.setKind("two", "raw");
  expect(notebook.cell("two")).toMatchObject({ kind: "raw", source: "x = 1" });
  const second = notebook.split("two", 1) ?? "";
  expect([notebook.cell("two")?.source, notebook.cell(second)?.source]).toEqual(["x", " = 1"]);
  notebook.merge("two");
  expect(notebook.cell("two")?.source).toBe("x\n = 1");
  notebook.remove("one");
  expect(notebook.indexOf("one")).toBe(-1);
  for (let steps = 0; steps < 7; steps += 1) live.undo.undo();
  expect(shown(notebook)).toEqual(before);
});

test("the last cell is emptied, never taken away", () => {
  const { notebook } = setUp();
  for (const id of ["one", "two", "three"]) notebook.remove(id);
  expect(shown(notebook)).toEqual(["three code "]);
});

test("words that are typed in a cell while somebody deletes it are kept in the cell before", () => {
  const { live, server, notebook } = setUp();
  server.text.insert(server.content.indexOf("x = 1"), "typed ");
  notebook.remove("two");
  live.apply(server.missing(live.version()), BY_AI);
  expect(notebook.cells.map((cell) => cell.source).join("|")).toContain("typed");
});

test("words that are typed in a cell or beside it while it moves stay in their cells", () => {
  for (const [moved, step] of [["two", 1], ["two", -1], ["one", 1], ["three", -1]] as const) {
    const { live, server, notebook } = setUp();
    notebook.move(moved, step);
    const words = ["# Head", "x = 1", "y"].map((source) => {
      server.text.insert(server.content.indexOf(`\n${source}`) + 2, "Z");
      return `${source.slice(0, 1)}Z${source.slice(1)}`;
    });
    live.apply(server.missing(live.version()), BY_AI);
    expect(["one", "two", "three"].map((id) => notebook.cell(id)?.source)).toEqual(words);
  }
});

test("cells that were moved are moved on, home, split, joined, put around and deleted as any other", () => {
  const { live, notebook } = setUp();
  const order = () => notebook.cells.map((cell) => cell.id);
  const text = live.content;
  notebook.move("one", 1);
  notebook.move("one", 1);
  expect(order()).toEqual(["two", "three", "one"]);
  const fresh = notebook.add(2, "code", "new");
  expect(order()).toEqual(["two", "three", fresh, "one"]);
  const half = notebook.split("one", 2) ?? "";
  expect(order()).toEqual(["two", "three", fresh, "one", half]);
  notebook.merge(fresh);
  expect(notebook.cell(fresh)?.source).toBe("new\n# ");
  expect(order()).toEqual(["two", "three", fresh, half]);
  notebook.remove(half);
  expect(shown(notebook)).toEqual(["two code x = 1", "three code y", `${fresh} code new\n# `]);
  for (let steps = 0; steps < 4; steps += 1) live.undo.undo();
  notebook.move("one", -1);
  notebook.move("one", -1);
  expect(live.content).toBe(text);
});

test("edits that wait are told within their cell, and a cell that came as a whole", () => {
  const { live, notebook } = setUp();
  const by = [{ editId: "e1", model: "m", at: 1 }];
  const cell = notebook.cell("two");
  if (!cell) throw new Error("no cell");
  const fresh = joinedCell("code", "four", "z");
  live.text.insert(cell.head, fresh);
  // As the server tells it: the common beginning of two heads is left out of the change.
  live.hunks = () => [
    { id: "h1", from: cell.head + 6, to: cell.head + 6 + fresh.length, old: "", by },
    { id: "h2", from: cell.start + fresh.length + 4, to: cell.start + fresh.length + 5, old: "0", by },
  ];
  expect(notebook.editOf("four")).toEqual({ hunks: ["h1"], by, what: "added" });
  expect(notebook.editOf("two")).toBeNull();
  expect(notebook.sourceOf("two").hunks()).toEqual([{ id: "h2", from: 4, to: 5, old: "0", by }]);
});

test("an edit of a cell's last line waits in it, also one that took the line away", () => {
  const { live, notebook } = setUp();
  const by = [{ editId: "e1", model: "m", at: 1 }];
  const { start, source } = notebook.cell("two") ?? { start: 0, source: "" };
  const last = start + source.length;
  live.hunks = () => [{ id: "h1", from: start, to: last + 1, old: "x = 0\n", by }];
  expect(notebook.sourceOf("two").hunks()).toEqual([{ id: "h1", from: 0, to: 5, old: "x = 0", by }]);
  live.hunks = () => [{ id: "h2", from: last + 1, to: last + 1, old: "y = 0\n", by }];
  expect(notebook.sourceOf("two").hunks()).toEqual([{ id: "h2", from: 5, to: 5, old: "\ny = 0", by }]);
  expect([notebook.sourceOf("three").hunks(), notebook.editOf("three")]).toEqual([[], null]);
});

test("every text has cells with names of their own", () => {
  const cells = splitCells("lost\n\x1fcode a\nx\n\x1fcode a\ny\n\x1fnonsense");
  expect(cells.map(({ id, source }) => [id, source])).toEqual([["found", "lost"], ["a", "x"], ["a-2", "y"], ["found-2", "nonsense"]]);
});
