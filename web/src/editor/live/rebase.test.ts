import { expect, test } from "vitest";
import { rebased } from "./rebase";

function merged(base: string, mine: string, theirs: string): string | null {
  const places = rebased(base, mine, theirs);
  return places && places.reduce((text, { from, to, insert }) => text.slice(0, from) + insert + text.slice(to), theirs);
}

test.each([
  ["both ends", "a\nb\nc\nd\n", "a1\nb\nc\nd\n", "a\nb\nc\nd\nend\n", "a1\nb\nc\nd\nend\n"],
  ["what is there already comes once", "a\nb\n", "a\nb\nnew\n", "a\nb\nnew\n", "a\nb\nnew\n"],
  ["one of two is there already", "a\nb\nc\nd\ne\n", "a!\nb\nc\nd!\ne\n", "a!\nb\nc\nd\ne\n", "a!\nb\nc\nd!\ne\n"],
  ["the last line, which has no break", "a\nb\nc", "a\nb\nc more", "0\na\nb\nc", "0\na\nb\nc more"],
  ["lines behind the last", "a\nb\nc", "a\nb\nc\nd", "0\na\nb\nc", "0\na\nb\nc\nd"],
  ["the last lines taken away", "a\nb\nc", "a\nb", "0\na\nb\nc", "0\na\nb"],
  ["all taken away", "a", "", "a", ""],
  ["written into an empty text", "", "mine", "", "mine"],
  ["the same words twice", "x\n\nx\n\nx\n", "x\n\nx\n\nx\nx\n", "x!\n\nx\n\nx\n", "x!\n\nx\n\nx\nx\n"],
])("%s", (_name, base, mine, theirs, expected) => {
  expect(merged(base, mine, theirs)).toBe(expected);
});

test("the same line changed in two ways is a person's to decide", () => {
  expect([merged("a\nb\n", "a1\nb\n", "a2\nb\n"), merged("a\nb\n", "a\nnew\nb\n", "a\nother\nb\n")]).toEqual([null, null]);
});

test("any two changes that lie apart are both in, and doing it again changes nothing", () => {
  const base = Array.from({ length: 40 }, (_, n) => `line ${String(n)}`);
  for (let seed = 0; seed < 200; seed += 1) {
    const [mineAt, theirsAt] = [(seed * 7) % 18, 22 + ((seed * 5) % 18)];
    const changed = (...places: number[]) => base.flatMap((line, n) => (places.includes(n) ? [[], [line, "added"], [`${line}!`]][(seed + n) % 3] ?? [] : [line])).join("\n");
    const both = changed(mineAt, theirsAt);
    const result = merged(base.join("\n"), changed(mineAt), changed(theirsAt));
    expect(result).toBe(both);
    expect(merged(base.join("\n"), changed(mineAt), both)).toBe(both);
  }
});

test("texts of many differing lines are one change, and quick", () => {
  const many = Array.from({ length: 5_000 }, (_, n) => String(n));
  expect(merged(many.join("\n"), many.map((line) => `${line}!`).join("\n"), `${many.join("\n")}\nend`)).toBe(`${many.map((line) => `${line}!`).join("\n")}\nend`);
});
