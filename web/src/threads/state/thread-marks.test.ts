import { expect, test } from "vitest";
import { thread } from "../../fakes/fake-threads";
import { dotName } from "./thread-marks";

test.each([
  ["a thread", { chatId: "c1", text: "the tide" }, "Thread on “the tide”"],
  ["one that is answered just now", { chatId: "c1", text: "the tide", status: "streaming" }, "Thread on “the tide”, answering"],
  ["one that failed", { chatId: "c1", text: "the tide", status: "error" }, "Thread on “the tide”, failed"],
  ["a comment", { text: "the tide", body: "Is that so?" }, "Comment on “the tide”: Is that so?"],
  ["a task of the AI", { text: "the\n tide", body: "Check.", author: "ai" }, "Task on “the tide”: Check."],
  ["a long passage", { chatId: "c1", text: "word ".repeat(40) }, `Thread on “${"word ".repeat(12).trimEnd()}…”`],
] as const)("the dot of %s says what it is", (_what, given, name) => {
  expect(dotName(thread("n1", given))).toBe(name);
});
