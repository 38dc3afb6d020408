import { expect, test } from "vitest";
import { author } from "../fakes/fake-writing";
import { looksOf, percent, reportText, sharesOf } from "./labels";

const open = () => undefined;
const AUTHORS = [
  author({ kind: "before" }), author({ kind: "ai", model: "Sonnet", editId: "e1", chatId: "c1", promptHash: "9f3ab1c2d4" }),
  author({ kind: "ai", model: "Sonnet", editId: "e2" }), author({ kind: "ai", model: "Gpt" }), author({ kind: "pasted" }),
];

test("each model has a line of its own, and what a person typed stays plain", () => {
  const looks = looksOf(AUTHORS, open);
  expect(looks.map(({ name, mark }) => [name, mark])).toEqual([
    ["Before Recto", ""], ["Sonnet", "author-mark author-ai author-ai-1"], ["Sonnet", "author-mark author-ai author-ai-1"],
    ["Gpt", "author-mark author-ai author-ai-2"], ["Pasted", "author-mark author-pasted"],
  ]);
  expect([looks[1]?.facts, looks[1]?.more?.label, looks[2]?.more]).toEqual([[{ label: "Prompt", value: "9f3ab1c2" }], "Open its chat", null]);
});

test("the edits of one model count together, the largest share first", () => {
  const spans = [{ start: 0, end: 10, author: 0 }, { start: 10, end: 30, author: 1 }, { start: 30, end: 90, author: 2 }, { start: 90, end: 100, author: 4 }];
  expect(sharesOf({ authors: AUTHORS, spans }).map(({ name, characters, share }) => [name, characters, share])).toEqual([["Sonnet", 80, "80 %"], ["Before Recto", 10, "10 %"], ["Pasted", 10, "10 %"]]);
});

test("a share is never rounded to nothing or to all", () => {
  expect([percent(0, 9), percent(1, 1000), percent(37, 100), percent(9999, 10000), percent(7, 7), percent(0, 0)]).toEqual(["0 %", "under 1 %", "37 %", "over 99 %", "100 %", "0 %"]);
});

test("the report is one sentence", () => {
  const report = { path: "a.md", spans: [], authors: [], characters: 100, byAi: 37, aiEditedSince: 9 };
  expect([reportText(report), reportText({ ...report, aiEditedSince: 0 }), reportText({ ...report, byAi: 0, aiEditedSince: 0 })]).toEqual([
    "37 % written by AI, 20 % of what it wrote edited since", "37 % written by AI, none of that edited since", "Nothing in it was written by AI",
  ]);
});
