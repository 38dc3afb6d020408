import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { TOAST_MS, Toasts } from "./toasts.svelte";

beforeEach(() => { vi.useFakeTimers(); });
afterEach(() => { vi.useRealTimers(); });

test("a message goes after six seconds", () => {
  const toasts = new Toasts();
  toasts.show("Saved.");
  vi.advanceTimersByTime(TOAST_MS - 1);
  expect(toasts.current?.text).toBe("Saved.");
  vi.advanceTimersByTime(1);
  expect(toasts.current).toBeNull();
});

test("a message that is looked at stays, then has the rest of its time", () => {
  const toasts = new Toasts();
  toasts.show("Saved.");
  vi.advanceTimersByTime(4000);
  toasts.pause();
  vi.advanceTimersByTime(60_000);
  expect(toasts.current?.text).toBe("Saved.");
  toasts.resume();
  vi.advanceTimersByTime(1999);
  expect(toasts.current?.text).toBe("Saved.");
  vi.advanceTimersByTime(1);
  expect(toasts.current).toBeNull();
});

test("a newer message takes the place of the older and its own time", () => {
  const toasts = new Toasts();
  toasts.show("First.");
  vi.advanceTimersByTime(5000);
  toasts.show("Second.");
  vi.advanceTimersByTime(5000);
  expect(toasts.current?.text).toBe("Second.");
});
