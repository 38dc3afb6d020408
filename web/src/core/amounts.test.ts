import { expect, test } from "vitest";
import { costText, countOf, limitText, microsOf, money, percent, rate, tokens, unpricedText, windowSize } from "./amounts";

test.each([
  [0, "$0.00"],
  [12_400_000, "$12.40"],
  [1_234_567_890_000, "$1,234,567.89"],
  [10_000, "$0.01"],
  [11_400, "$0.01"],
  [9_999, "$0.01"],
  [4_212, "$0.0042"],
  [130, "$0.00013"],
  [1, "$0.000001"],
  [-20_000, "−$0.02"],
])("%d micro-dollars are written %s", (micros, text) => {
  expect(money(micros)).toBe(text);
});

test.each([["20", "$20"], ["0.5", "$0.50"], ["1250.00", "$1,250"], ["0.123456", "$0.123456"], ["0", "$0"]])("a limit of %s is written %s", (usd, text) => {
  expect(limitText(usd)).toBe(text);
});

test("a limit becomes whole micro-dollars", () => {
  expect(["20", "0.5", "0.000001", "0.29"].map(microsOf)).toEqual([20_000_000, 500_000, 1, 290_000]);
});

test("a price of a million tokens is as short as it can be", () => {
  expect([3, 0.25, 0.125, 15.5, 0].map(rate)).toEqual(["$3", "$0.25", "$0.125", "$15.50", "$0"]);
});

test("tokens are counted in thousands and millions", () => {
  expect([0, 812, 18_432, 212_000, 999_700, 1_240_000].map(tokens)).toEqual(["0", "812", "18.4k", "212k", "1M", "1.2M"]);
});

test("a window is named as its provider names it", () => {
  expect([8192, 32768, 131_072, 128_000, 200_000, 1_000_000, 1_048_576, 1_050_000].map(windowSize)).toEqual(["8k", "32k", "128k", "128k", "200k", "1M", "1M", "1.05M"]);
});

test("a share is never rounded up to all, nor down to nothing", () => {
  expect([0, 0.004, 0.31, 0.999, 1, 1.2].map(percent)).toEqual(["0 %", "under 1 %", "31 %", "99 %", "100 %", "120 %"]);
});

test("an unknown price is said, never counted as nothing", () => {
  expect([costText(0, 0, 4), costText(0, 4, 4), costText(20_000, 1, 4)]).toEqual(["$0.00", "unknown", "≥ $0.02"]);
  expect([unpricedText(0), unpricedText(1), unpricedText(3)]).toEqual(["", "1 request has no known price.", "3 requests have no known price."]);
  expect(countOf(1204, "request")).toBe("1,204 requests");
});

test("what is no number is unknown, never $NaN", () => {
  expect([money(NaN), money(Infinity), tokens(NaN), percent(0 / 0)]).toEqual(["unknown", "unknown", "unknown", "unknown"]);
});

test.each(["", "abc", "NaN"])("%j is no amount, and never $NaN", (text) => {
  expect(limitText(text)).toBe("unknown");
});
