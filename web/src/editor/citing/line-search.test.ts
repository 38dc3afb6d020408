import { Text } from "@codemirror/state";
import { expect, test, vi } from "vitest";
import { LineSearch } from "./line-search";

const LINES = 5_000;
const doc = Text.of(Array.from({ length: LINES }, (_, at) => (at % 7 === 0 ? `line ${String(at)} @key` : `line ${String(at)}`)));
const find = (line: string) => (line.includes("@") ? line : null);

function oneByOne(text: Text): object[] {
  return Array.from({ length: text.lines }, (_, at) => text.line(at + 1))
    .filter((line) => line.text.includes("@"))
    .map(({ from, number, text: found }) => ({ from, number, found }));
}

test("lines are found with their places, in a text of one line as well", () => {
  expect(new LineSearch(find).linesOf(doc)).toEqual(oneByOne(doc));
  expect(new LineSearch(find).linesOf(Text.of(["a @b"]))).toEqual([{ from: 0, number: 1, found: "a @b" }]);
  expect(new LineSearch(find).linesOf(Text.empty)).toEqual([]);
});

test("after an edit only what is new is searched", () => {
  const finding = vi.fn(find);
  const search = new LineSearch(finding);
  search.linesOf(doc);
  expect(finding).toHaveBeenCalledTimes(LINES);
  finding.mockClear();
  search.linesOf(doc);
  expect(finding).not.toHaveBeenCalled();
  const at = doc.line(2_500).from;
  const edited = doc.replace(at, at, Text.of(["", "new @one", ""]));
  expect(search.linesOf(edited)).toEqual(oneByOne(edited));
  expect(finding.mock.calls.length).toBeLessThan(200);
});

test("whether any line matters is known of all that has not changed", () => {
  const finding = vi.fn(find);
  const search = new LineSearch(finding);
  expect([search.has(doc), search.has(Text.of(["a", "b"])), search.has(Text.empty)]).toEqual([true, false, false]);
  const plain = Text.of(Array.from({ length: LINES }, () => "plain"));
  expect(search.has(plain)).toBe(false);
  finding.mockClear();
  const pieces = vi.spyOn(Object.getPrototypeOf(Text.empty) as Text, "children", "get");
  const edited = plain.replace(7, 7, Text.of(["more"]));
  expect([search.has(edited), search.linesOf(edited)]).toEqual([false, []]);
  const asked = pieces.mock.calls.length;
  pieces.mockRestore();
  expect(finding.mock.calls.length).toBeLessThan(200);
  expect(asked).toBeLessThan(10);
});
