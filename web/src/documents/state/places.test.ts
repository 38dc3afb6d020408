import { beforeEach, expect, test } from "vitest";
import { Places } from "./places";

beforeEach(() => { history.replaceState(null, ""); });

test("the first file takes the place of what the page was opened with, each other one is a step", () => {
  const places = new Places("p1");
  const before = history.length;
  places.note("a.md");
  expect([places.pathOf(history.state), history.length]).toEqual(["a.md", before]);
  places.note("b.md");
  places.note("b.md");
  expect([places.pathOf(history.state), history.length]).toEqual(["b.md", before + 1]);
});

test("a step leads to a file by the name that it has now, and to none of another folder", () => {
  const places = new Places("p1");
  places.note("notes/a.md");
  const step: unknown = history.state;
  places.rename("notes", "old");
  places.rename("old/a.md", "old/b.md");
  expect([places.pathOf(step), new Places("p2").pathOf(step), places.pathOf(null), places.pathOf({ path: 1 })]).toEqual(["old/b.md", null, null, null]);
});
