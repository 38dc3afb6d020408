import { expect, test } from "vitest";
import { matchText, runsOf } from "./fuzzy-match";

test.each([
  ["file", "Go to file", [6, 7, 8, 9]],
  ["gtf", "Go to file", [0, 3, 6]],
  ["go fi", "Go to file", [0, 1, 6, 7]],
  ["", "Anything", []],
])("%s is found in %s", (query, text, positions) => {
  expect(matchText(query, text)?.positions).toEqual(positions);
});

test("letters in the middle of words are no match", () => {
  expect(matchText("har", "Show all shortcuts")).toBeNull();
});

test("the beginning of a word outranks its middle, and any part outranks scattered letters", () => {
  const score = (query: string, text: string) => matchText(query, text)?.score ?? -1;
  expect(score("tab", "Next tab")).toBeGreaterThan(score("tab", "Stable"));
  expect(score("gtf", "gtf")).toBeGreaterThan(score("gtf", "Go to file"));
});

test("a text is cut into matched and other runs", () => {
  expect(runsOf("results.md", [0, 1, 2])).toEqual([{ text: "res", hit: true }, { text: "ults.md", hit: false }]);
  expect(runsOf("", [])).toEqual([]);
});
