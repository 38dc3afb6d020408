import { expect, test } from "vitest";
import { diffLines } from "./line-diff";

const SIGNS = { same: " ", added: "+", removed: "-", place: "@" } as const;
const told = (before: string, after: string) => diffLines(before, after).map(({ kind, text }) => SIGNS[kind] + text);

test.each([
  ["a\nb\nc\n", "a\nb\nc\n", []],
  ["\uFEFFa\r\nb\r\n", "a\nb\n", []],
  ["", "a\nb\n", ["@Line 1", "+a", "+b"]],
  ["a\nb\n", "", ["@Line 1", "-a", "-b"]],
  ["a\nb\nc\n", "a\nx\nc\n", ["@Line 1", " a", "-b", "+x", " c"]],
  ["a\nc\nd\n", "a\nb\nc\nd\ne\n", ["@Line 1", " a", "+b", " c", " d", "+e"]],
  ["---\ntitle: A\n---\n", "---\ntitle: B\n---\n", ["@Line 1", " ---", "-title: A", "+title: B", " ---"]],
])("from %j to %j", (before, after, lines) => {
  expect(told(before, after)).toEqual(lines);
});

test("lines far from a change are left out", () => {
  const lines = Array.from({ length: 20 }, (_, index) => `line ${String(index + 1)}`);
  const changed = lines.with(1, "second").with(15, "sixteenth");
  expect(told(lines.join("\n"), changed.join("\n"))).toEqual([
    "@Line 1", " line 1", "-line 2", "+second", " line 3", " line 4", " line 5",
    "@Line 13", " line 13", " line 14", " line 15", "-line 16", "+sixteenth", " line 17", " line 18", " line 19",
  ]);
});

test("applying a difference gives the other text, whatever the two are", () => {
  const words = ["a", "b", "c", ""];
  let seed = 7;
  const next = (limit: number) => (seed = (seed * 48271) % 2147483647) % limit;
  const text = () => Array.from({ length: next(4) }, () => `${words[next(4)] ?? ""}\n`).join("");
  for (let round = 0; round < 300; round += 1) {
    const [before, after] = [text(), text()];
    const lines = diffLines(before, after);
    const side = (kind: string) => lines.flatMap((line) => (line.kind === "same" || line.kind === kind ? [`${line.text}\n`] : [])).join("");
    expect(lines.length === 0 ? [after, before] : [side("removed"), side("added")]).toEqual([before, after]);
  }
});
