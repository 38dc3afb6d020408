import { expect, test } from "vitest";
import { Outline, type Overview } from "./outline.svelte";

const OVERVIEW: Overview = {
  landmarks: [
    { title: "Tides", depth: 0, line: 1 },
    { title: "Of the sea", depth: 1, line: 5 },
    { title: "Surges", depth: 1, line: 20 },
  ],
  here: 1,
  line: 7,
  lines: 40,
};

function outlineWith(query = ""): Outline {
  const outline = new Outline();
  outline.show(OVERVIEW, query);
  return outline;
}

const drawn = (outline: Outline) => outline.rows.map((row) => `${"  ".repeat(row.depth)}${row.title.map(({ text }) => text).join("")} ${String(row.line)}${row.isHere ? " here" : ""}`);

test("the outline opens where the cursor is", () => {
  const outline = outlineWith();
  expect([drawn(outline), outline.choice.index]).toEqual([["Tides 1", "  Of the sea 5 here", "  Surges 20"], 1]);
});

test("letters filter it, the best match first, each by itself", () => {
  const outline = outlineWith();
  outline.type("s");
  expect([drawn(outline), outline.choice.index]).toEqual([["Surges 20", "Of the sea 5 here", "Tides 1"], 0]);
  outline.type("xyz");
  expect(drawn(outline)).toEqual([]);
});

test.each([[":12", ["Line 12 12"]], ["12", ["Line 12 12"]], [":7", ["Line 7 7 here"]], [":900", ["Line 40 40"]], [":", []], [":0", []]])("%s is a line", (query, expected) => {
  expect(drawn(outlineWith(query))).toEqual(expected);
});
