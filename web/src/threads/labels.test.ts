import { expect, test } from "vitest";
import { thread } from "../fakes/fake-threads";
import { factsOf, openGroups, placeText, plainWords, resolvedOf } from "./labels";

const NOON = new Date(2026, 10, 16, 12, 0);
const at = (day: number) => new Date(2026, 10, day, 9, 0).getTime();

test.each([
  [{ path: "notes/plan.md", line: 5 }, "plan.md, line 5"],
  [{ path: "notes/plan.md", line: null }, "plan.md"],
  [{ path: "notes/plan.md", line: 5, isDetached: true }, "plan.md, no longer in the text"],
  [{ path: null, line: null }, "An answer"],
])("%o is at %s", (placed, words) => {
  expect(placeText(placed)).toBe(words);
});

test.each([
  [{ chatId: "c", messages: 1 }, ["1 message"]],
  [{ chatId: "c", messages: 2, status: "streaming" as const }, ["Answering", "2 messages"]],
  [{ chatId: "c", messages: 2, status: "error" as const }, ["Failed", "2 messages"]],
  [{ body: "Why?" }, ["Comment"]],
  [{ body: "Why?", author: "ai" as const }, ["Task by the AI"]],
  [{ body: "Why?", sent: { chatId: "c", turnId: "t" } }, ["Sent"]],
  [{ body: "Why?", sent: { chatId: "c", turnId: "t" }, reply: "So." }, ["Answered"]],
])("%o is told as %o", (given, facts) => {
  expect(factsOf(thread("n", { ...given, updatedAt: at(15) }), NOON)).toEqual([...facts, "yesterday"]);
});

test("the file at hand comes first, each file in the order of its text, what is lost last", () => {
  const list = [
    thread("1", { path: "b.md", line: 1 }), thread("2", { path: "a.md", line: 9 }), thread("3", { path: "a.md", line: 2 }), thread("4", { path: "b.md", line: 9 }),
    thread("5", { path: null, line: null }), thread("6", { path: "b.md", line: 3, isDetached: true }), thread("7", { path: "b.md", line: 2, status: "resolved" }),
  ];
  expect(openGroups(list, "b.md").map(({ title, items }) => [title, items.map(({ id }) => id)])).toEqual([["b.md", ["1", "4", "6"]], ["Other files", ["3", "2"]], ["Answers", ["5"]]]);
  expect(openGroups(list, null).map(({ title }) => title)).toEqual(["Files", "Answers"]);
});

test("what is resolved is told newest first", () => {
  const list = [thread("1", { status: "resolved", updatedAt: at(14) }), thread("2"), thread("3", { status: "resolved", updatedAt: at(15) })];
  expect(resolvedOf(list).map(({ id }) => id)).toEqual(["3", "1"]);
});

test("an answer in a line has no marks", () => {
  expect(plainWords("## Now\n\nIt is **short** and `clear`.")).toBe("Now It is short and clear.");
});
