import { expect, test } from "vitest";
import { hasLine, lastLineOf } from "./large-texts";

const part = { path: "a.log", text: "a\nb\nc\n", part: 1, parts: 2, firstLine: 11, size: 9, hash: "1" };

test("a part knows its lines, and the last one those beyond the end", () => {
  expect([lastLineOf(part), lastLineOf({ text: "a\nb", firstLine: 1 }), lastLineOf({ text: "", firstLine: 1 })]).toEqual([13, 2, 1]);
  expect([10, 11, 13, 14].map((line) => hasLine(part, line))).toEqual([false, true, true, false]);
  expect(hasLine({ ...part, part: 2 }, 99)).toBe(true);
});
