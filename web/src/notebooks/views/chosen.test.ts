import { expect, test } from "vitest";
import { joinedCell } from "../../editor/notebook/cells-text";
import { LiveText } from "../../editor/live/live-text";
import { NotebookText } from "../../editor/notebook/notebook-text";
import { ChosenCells } from "./chosen.svelte";

function setUp() {
  const live = new LiveText("a.ipynb");
  live.text.insert(0, ["one", "two", "three", "four"].map((id) => joinedCell("code", id, `${id} = 1`)).join(""));
  const text = new NotebookText(live);
  const ran: (readonly string[])[] = [];
  const cells = {
    text,
    get cells() { return text.cells; },
    selected: "two" as string | null,
    command(id: string) { chosen.forget(); cells.selected = id; },
    edited: () => undefined,
    runCells: (ids: readonly string[]) => { ran.push(ids); },
    goOn: () => undefined,
  };
  const chosen = new ChosenCells(cells);
  return { live, text, chosen, cells, ran, order: () => text.cells.map(({ id }) => id) };
}

test("several cells are selected, run, moved and taken away, each as one step of the undo", () => {
  const { live, chosen, cells, ran, order } = setUp();
  chosen.extend("two", 1);
  expect([chosen.ids, chosen.areSeveral]).toEqual([["two", "three"], true]);
  chosen.run("stay");
  expect(ran).toEqual([["two", "three"]]);
  chosen.move(1);
  expect([order(), chosen.ids]).toEqual([["one", "four", "two", "three"], ["two", "three"]]);
  chosen.move(1);
  chosen.move(-1);
  chosen.move(-1);
  chosen.move(-1);
  expect(order()).toEqual(["two", "three", "one", "four"]);
  chosen.remove();
  expect([order(), cells.selected, chosen.areSeveral]).toEqual([["one", "four"], "one", false]);
  live.undo.undo();
  expect(order()).toEqual(["two", "three", "one", "four"]);
});

test("what was cut is put back in its order, and joined", () => {
  const { live, text, chosen, order } = setUp();
  chosen.extend("two", -1);
  expect(chosen.ids).toEqual(["one", "two"]);
  chosen.cut();
  expect(order()).toEqual(["three", "four"]);
  chosen.paste("four", 1);
  expect(text.cells.map(({ source }) => source)).toEqual(["three = 1", "four = 1", "one = 1", "two = 1"]);
  chosen.merge();
  expect(text.cells.at(-1)?.source).toBe("one = 1\ntwo = 1");
  live.undo.undo();
  live.undo.undo();
  expect(order()).toEqual(["three", "four"]);
});

test("all become headings of a level, whatever they were", () => {
  const { text, chosen } = setUp();
  chosen.all();
  chosen.setHeading(2);
  chosen.setHeading(3);
  expect(text.cells.map(({ kind, source }) => `${kind} ${source}`)).toEqual(["one", "two", "three", "four"].map((id) => `markdown ### ${id} = 1`));
  chosen.setKind("raw");
  expect(new Set(text.cells.map(({ kind }) => kind))).toEqual(new Set(["raw"]));
});
