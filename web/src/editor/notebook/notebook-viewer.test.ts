import { expect, test } from "vitest";
import { placeOf } from "../threads/places";
import { joinedCell } from "./cells-text";
import { CELLS, opened } from "./fake-notebook";

function field(name: string): HTMLInputElement {
  const found = document.querySelector(`.find-bar [aria-label="${name}"]`);
  if (!(found instanceof HTMLInputElement)) throw new Error(`There is no ${name}.`);
  return found;
}

function type(name: string, words: string): void {
  field(name).value = words;
  field(name).dispatchEvent(new Event("input", { bubbles: true }));
}

const count = () => document.querySelector(".find-count")?.textContent;
const enter = (name: string) => field(name).dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true, cancelable: true }));
const press = (name: string) => { [...document.querySelectorAll<HTMLElement>(".find-bar button")].find((one) => one.textContent === name)?.click(); };

test("a search goes through all cells and finds no kinds and names of them", () => {
  const { viewer, edit, shown } = opened(CELLS + joinedCell("markdown", "code", "code and amp"));
  const plot = edit("plot");
  viewer.openFind();
  type("Find", "code");
  expect(count()).toBe("1");
  type("Find", "amp");
  expect(count()).toBe("3");
  enter("Find");
  enter("Find");
  expect([count(), shown]).toEqual(["2 of 3", [["fit", 0, 3, false], ["plot", 5, 8, false]]]);
  expect(plot.view.dom.querySelector(".cm-searchMatch-selected")?.textContent).toBe("amp");
  viewer.destroy();
});

test("words are replaced one by one and in all cells at once, and one undo takes all back", () => {
  const { viewer, notebook, live } = opened();
  viewer.openReplace();
  type("Find", "amp");
  type("Replace with", "level");
  press("Replace all");
  expect([notebook.cell("fit")?.source, notebook.cell("plot")?.source]).toEqual(["level = fit(", "plot(level)"]);
  live.undo.undo();
  expect([notebook.cell("fit")?.source, notebook.cell("plot")?.source]).toEqual(["amp = fit(", "plot(amp)"]);
  type("Replace with", "\x1fcode x");
  press("Replace all");
  expect(notebook.cells).toHaveLength(5);
  viewer.destroy();
});

test("a line of the file is a line of a cell, the second of two alike too", () => {
  const { viewer, shown } = opened(joinedCell("code", "one", "x = 1\nprint(\"a\\n\")") + joinedCell("code", "two", "y\nx = 1"));
  const file = ['{', ' "cells": [', '  {', '   "source": [', '    "x = 1\\n",', '    "print(\\"a\\\\n\\")"', '   ]', '  },', '  {"source": [', '    "y\\n",', '    "x = 1"', ']}'].join("\n");
  expect([viewer.goToLineOfFile(file, 6), viewer.goToLineOfFile(file, 11), viewer.goToLineOfFile(file, 2)]).toEqual([true, true, false]);
  expect(shown).toEqual([["one", 6, 18, true], ["two", 2, 7, true]]);
  viewer.destroy();
});

test("a thread is marked in the cell that its words are in, stays with them when the cell moves, and is gone to", () => {
  const { viewer, edit, live, notebook, shown } = opened();
  const [fit, load] = [edit("fit"), edit("load")];
  fit.select(6, 9, false);
  viewer.enter("fit", fit.view);
  expect(viewer.threads.selected()).toMatchObject({ path: "a.ipynb", text: "fit" });
  const start = notebook.cell("fit")?.start ?? 0;
  const place = placeOf(live, { from: start + 6, to: start + 9 });
  if (!place) throw new Error("There is no place.");
  expect(viewer.threads.show("a.ipynb", [{ id: "t1", place, status: "idle", isOpen: false, name: "Thread on “fit”" }])).toBe(true);
  const marked = () => [fit, load].map(({ view }) => view.dom.querySelector(".thread-mark")?.textContent);
  expect(marked()).toEqual(["fit", undefined]);
  notebook.move("fit", -1);
  fit.view.dispatch({ changes: { from: 0, insert: "the_" }, userEvent: "input.type" });
  expect([marked(), notebook.cell("fit")?.source, viewer.threadsOf("fit").map(({ id }) => id), viewer.threadsOf("load")]).toEqual([["fit", undefined], "the_amp = fit(", ["t1"], []]);
  expect([viewer.threads.goTo("t1"), shown]).toEqual([true, [["fit", 10, 10, true]]]);
  const later = edit("fit");
  expect(later.view.dom.querySelector(".thread-mark")?.textContent).toBe("fit");
  viewer.destroy();
});

test("cells are marked by their authors, each with its part", () => {
  const { viewer, edit, live, notebook } = opened();
  const plot = edit("plot");
  const start = notebook.cell("plot")?.start ?? 0;
  const looks = [{ mark: "", name: "You", facts: [], more: null }, { mark: "author-ai", name: "A model", facts: [], more: null }];
  const end = live.content.length;
  const spans = [{ from: 0, to: start + 5, author: 0 }, { from: start + 5, to: start + 8, author: 1 }, { from: start + 8, to: end, author: 0 }];
  expect([viewer.mark("a.ipynb", { spans, looks }), viewer.mark("b.ipynb", { spans, looks })]).toEqual([true, false]);
  expect(plot.view.dom.querySelector(".author-ai")?.textContent).toBe("amp");
  viewer.destroy();
});

test("what is selected is told by its place in the whole, and headings are told of text cells", async () => {
  const { viewer, edit, notebook } = opened();
  const plot = edit("plot");
  plot.select(0, 4, false);
  viewer.enter("plot", plot.view);
  const start = notebook.cell("plot")?.start ?? 0;
  expect([viewer.selected(), viewer.passage()?.text]).toEqual([{ path: "a.ipynb", start, end: start + 4 }, "plot"]);
  expect((await viewer.overview()).landmarks).toEqual([{ title: "Tides", depth: 1, line: 2 }]);
  viewer.destroy();
});
