import { expect, test } from "vitest";
import { fitOf, percent, stepFrom } from "./zoom";

test("a picture fits into its room and is never blown up by that", () => {
  const room = { width: 400, height: 300 };
  expect([fitOf({ width: 800, height: 300 }, room), fitOf({ width: 100, height: 3000 }, room), fitOf({ width: 10, height: 10 }, room), fitOf({ width: 0, height: 0 }, room)]).toEqual([0.5, 0.1, 1, 1]);
});

test("steps go up and down and stop at the ends", () => {
  expect([stepFrom(1, 1), stepFrom(1, -1), stepFrom(0.62, 1), stepFrom(0.62, -1), stepFrom(16, 1), stepFrom(0.05, -1)]).toEqual([1.4, 0.7, 0.7, 0.5, 16, 0.1]);
  expect(percent(0.123)).toBe("12 %");
});
