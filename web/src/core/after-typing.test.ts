import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { afterTyping, drawAfterTyping } from "./after-typing";

beforeAll(() => { vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "requestAnimationFrame", "performance"] }); });
// Each begins long after the last key of another.
beforeEach(() => { vi.advanceTimersByTime(10_000); });
afterAll(() => { vi.useRealTimers(); });

function press(): void {
  dispatchEvent(new KeyboardEvent("keydown", { key: "a" }));
}

test("work runs at once while nobody types", () => {
  const work = vi.fn();
  afterTyping(work);
  expect(work).toHaveBeenCalledOnce();
});

test("work waits until the next key is painted", () => {
  afterTyping(() => undefined);
  press();
  const work = vi.fn();
  afterTyping(work);
  afterTyping(work);
  expect(work).not.toHaveBeenCalled();
  vi.advanceTimersByTime(60);
  press();
  expect(work).not.toHaveBeenCalled();
  vi.advanceTimersToNextFrame();
  vi.advanceTimersByTime(1);
  expect(work).toHaveBeenCalledOnce();
});

test("work runs as soon as somebody pauses", () => {
  afterTyping(() => undefined);
  press();
  const work = vi.fn();
  afterTyping(work);
  vi.advanceTimersByTime(119);
  expect(work).not.toHaveBeenCalled();
  vi.advanceTimersByTime(2);
  expect(work).toHaveBeenCalledOnce();
});

test("beside somebody who goes on typing, work runs only now and then", () => {
  const runs: number[] = [];
  const work = () => { runs.push(performance.now()); };
  afterTyping(() => undefined);
  press();
  for (let key = 0; key < 60; key += 1) {
    afterTyping(work);
    vi.advanceTimersByTime(50);
    press();
    vi.advanceTimersToNextFrame();
    vi.advanceTimersByTime(1);
  }
  expect(runs.length).toBeGreaterThanOrEqual(3);
  expect(runs.length).toBeLessThanOrEqual(6);
});

test("what is drawn comes in the same task as what was told, once all of that is told", async () => {
  const told: string[] = [];
  const draw = () => { told.push("drawn"); };
  afterTyping(() => undefined);
  press();
  drawAfterTyping(draw);
  // What is told is worked out at the end of the task, and asks for its drawing then.
  afterTyping(() => { queueMicrotask(() => { told.push("told"); drawAfterTyping(draw); }); });
  vi.advanceTimersByTime(60);
  press();
  vi.advanceTimersToNextFrame();
  expect(told).toEqual([]);
  vi.advanceTimersByTime(1);
  await Promise.resolve();
  expect(told).toEqual(["told", "drawn"]);
  press();
  drawAfterTyping(draw);
  vi.advanceTimersByTime(100);
  expect(told).toEqual(["told", "drawn"]);
  vi.advanceTimersByTime(21);
  await Promise.resolve();
  expect(told).toEqual(["told", "drawn", "drawn"]);
});
