import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { LatestRequest } from "./latest-request";

beforeEach(() => { vi.useFakeTimers(); });
afterEach(() => { vi.useRealTimers(); });

function setUp() {
  const latest = new LatestRequest(50);
  const done: string[] = [];
  const note = (words: string) => () => { done.push(words); };
  const ask = (question: () => Promise<string>) => { latest.ask(question, (answer) => { done.push(answer); }, note("failed")); };
  return { latest, done, note, ask };
}

test("what waits for the answer comes after it, after a failure too, and at once where nothing is asked", async () => {
  const { latest, done, note, ask } = setUp();
  latest.whenAnswered(note("at once"));
  ask(() => Promise.resolve("answer"));
  latest.whenAnswered(note("then"));
  expect(done).toEqual(["at once"]);
  await vi.advanceTimersByTimeAsync(50);
  ask(() => Promise.reject(new Error("gone")));
  latest.whenAnswered(note("then too"));
  await vi.advanceTimersByTimeAsync(50);
  expect(done).toEqual(["at once", "answer", "then", "failed", "then too"]);
});

test("a newer question, or none any more, forgets it", async () => {
  const { latest, done, note, ask } = setUp();
  ask(() => Promise.resolve("old"));
  latest.whenAnswered(note("never"));
  ask(() => Promise.resolve("new"));
  await vi.advanceTimersByTimeAsync(50);
  ask(() => Promise.resolve("newest"));
  latest.whenAnswered(note("never"));
  latest.cancel();
  latest.whenAnswered(note("at once"));
  await vi.advanceTimersByTimeAsync(50);
  expect(done).toEqual(["new", "at once"]);
});
