import { expect, test } from "vitest";
import { findIn, rangeOf, textOf } from "./finding";

const TEXT = textOf({ items: [{ type: "beginMarkedContent" }, { str: "The ti", hasEOL: false }, { str: "de is", hasEOL: true }, { str: "", hasEOL: true }, { str: "high (2 m).", hasEOL: false }] });

test("words are found in any case, across pieces and lines, and taken as they are", () => {
  expect(TEXT).toEqual({ text: "The tide is  high (2 m).", starts: [0, 6, 12, 13] });
  expect(findIn(TEXT, " TIDE  is high ", 7)).toEqual([{ page: 7, start: 4, end: 17 }]);
  expect(findIn(TEXT, "(2 m).", 1)).toEqual([{ page: 1, start: 18, end: 24 }]);
  expect([findIn(TEXT, "  ", 1), findIn(TEXT, ".*", 1)]).toEqual([[], []]);
});

test("a match is a range of the letters on the page", () => {
  const elements = ["The ti", "de is", "", "high (2 m)."].map((words) => Object.assign(document.createElement("span"), { textContent: words }));
  const line = document.createElement("div");
  line.append(...elements);
  const [match] = findIn(TEXT, "tide is high", 1);
  expect(match && rangeOf(TEXT, match, elements)?.toString()).toBe("tide ishigh");
  expect(match && rangeOf(TEXT, match, [])).toBe(null);
});
