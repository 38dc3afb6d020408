import { Text } from "@codemirror/state";
import { expect, test } from "vitest";
import { reads } from "./difference";

test("a document reads as its words, and as no others", () => {
  const lines = Array.from({ length: 3000 }, (_, number) => `line ${String(number)} 😀`);
  const doc = Text.of(lines);
  const words = lines.join("\n");
  expect(reads(doc, words)).toBe(true);
  expect([words.replace("2999", "2998"), words.replace("\n", " "), words.slice(1), `${words}\n`].map((other) => reads(doc, other))).toEqual([false, false, false, false]);
  expect([reads(Text.empty, ""), reads(Text.empty, "\n")]).toEqual([true, false]);
});
