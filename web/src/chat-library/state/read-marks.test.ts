import { expect, test } from "vitest";
import { chat } from "../../fakes/fake-chats";
import { ReadMarks } from "./read-marks.svelte";

const at = (lastActiveAt: number, isRunning = false) => chat("c1", { lastActiveAt, isRunning });

test("what was said before this browser came is read; an answer since is unread until it is shown", () => {
  const marks = new ReadMarks("p1", 100);
  expect([at(100), at(101), at(101, true)].map((one) => marks.isUnread(one))).toEqual([false, true, false]);
  marks.mark(at(101));
  expect([at(101), at(102)].map((one) => marks.isUnread(one))).toEqual([false, true]);
  expect(new ReadMarks("p1", 500).isUnread(at(102)), "a reload forgets nothing").toBe(true);
});

test("a chat that another tab has shown is read here, too", () => {
  const [here, there] = [new ReadMarks("p1", 100), new ReadMarks("p1", 100)];
  there.mark(at(101));
  window.dispatchEvent(new StorageEvent("storage", { key: "recto.read.p1" }));
  expect(here.isUnread(at(101))).toBe(false);
});
