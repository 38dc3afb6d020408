import { expect, test } from "vitest";
import { changedWords, type Span } from "./words";

function cut(text: string, spans: readonly Span[]): string[] {
  return spans.map(({ from, to }) => text.slice(from, to));
}

test.each([
  ["fitted to ninety days", "fitted to 369 days", ["ninety"], ["369"]],
  ["levels, which is long enough.", "levels. Ninety would not do.", [", which is long enough"], [". Ninety would not do"]],
  ["same", "same", [], []],
  ["", "all new", [], ["all new"]],
  ["all old", "", ["all old"], []],
  ["one, two", "eins, zwei", ["one, two"], ["eins, zwei"]],
  ["a b c d e", "a x c y e", ["b", "d"], ["x", "y"]],
  ["Größe", "Größen", ["Größe"], ["Größen"]],
  ["return a / b", "c = a\n    return c / b", ["return"], ["c =", "return c"]],
  ["  x = 1\n  y = 2", "  x = 1\n  y = 3", ["2"], ["3"]],
])("from %j to %j", (old, fresh, removed, added) => {
  const change = changedWords(old, fresh);
  expect([cut(old, change.removed), cut(fresh, change.added)]).toEqual([removed, added]);
});

test("passages too long to compare differ as a whole", () => {
  const old = "a ".repeat(11_000);
  expect(changedWords(old, "b").removed).toEqual([{ from: 0, to: old.length }]);
});

test("what is not marked is the same on both sides", () => {
  const pool = ["tide", " ", "surge", ", ", "the", "\n", "369", "."];
  const draw = (seed: number) => Array.from({ length: 30 }, (_one, at) => pool[(seed * 31 + at * at * (seed + 7)) % pool.length] ?? "").join("");
  const kept = (text: string, spans: readonly Span[]) => spans.reduceRight((rest, { from, to }) => rest.slice(0, from) + rest.slice(to), text).replace(/[^\p{L}\p{N}]/gu, "");
  for (let seed = 1; seed < 60; seed += 1) {
    const [old, fresh] = [draw(seed), draw(seed + 1)];
    const change = changedWords(old, fresh);
    expect(kept(old, change.removed)).toBe(kept(fresh, change.added));
  }
});
