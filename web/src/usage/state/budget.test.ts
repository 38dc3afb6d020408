import { expect, test } from "vitest";
import type { BudgetState } from "../../api";
import { BudgetForm, readAmount, readShare } from "./budget-form.svelte";
import { levelOf, shareText, sharesOf, spentText, standingText, warnText } from "./budget.svelte";

function budget(given: Partial<BudgetState> = {}): BudgetState {
  return { month: "2026-11", monthlyLimitUsd: "40", warnAt: 0.8, spentMicros: 12_400_000, heldMicros: 380_000, unpricedRequests: 0, isWarning: false, isStopped: false, ...given };
}

test("the month is told in one line", () => {
  expect(standingText(budget())).toBe("$12.40 of $40 this month, $0.38 reserved.");
  expect(standingText(budget({ monthlyLimitUsd: null, heldMicros: 0 }))).toBe("$12.40 this month, no limit.");
  expect(standingText(budget({ heldMicros: 0, unpricedRequests: 3 }))).toBe("$12.40 of $40 this month. 3 requests have no known price.");
  expect(spentText(budget({ spentMicros: 0, unpricedRequests: 3 }))).toBe("unknown");
});

test("the meter says how much, how much more, and where it warns", () => {
  expect([shareText(budget()), warnText(budget())]).toEqual(["31 %, and $0.38 reserved by running requests", "$32"]);
  expect(sharesOf(budget())).toEqual({ spent: 0.31, held: 0.0095 });
});

test("the meter never overflows", () => {
  expect(sharesOf(budget({ spentMicros: 39_900_000, heldMicros: 2_000_000 }))).toEqual({ spent: 0.9975, held: 0.0025 });
  expect(sharesOf(budget({ spentMicros: 50_000_000 }))).toEqual({ spent: 1, held: 0 });
  expect(sharesOf(budget({ monthlyLimitUsd: "0", spentMicros: 0 }))).toEqual({ spent: 0, held: 0 });
  expect(shareText(budget({ monthlyLimitUsd: "0", heldMicros: 0 }))).toBe("The limit is $0");
});

test("a stop weighs more than a warning", () => {
  expect([budget(), budget({ isWarning: true }), budget({ isWarning: true, isStopped: true })].map(levelOf)).toEqual(["normal", "warning", "stopped"]);
});

test.each([["20", "20"], [" $ 0.50 ", "0.50"], [".5", "0.5"], ["0", "0"], ["0.123456", "0.123456"]])("the amount %j is taken as %j", (typed, taken) => {
  expect(readAmount(typed)).toBe(taken);
});

test.each(["", "-1", "1,5", "1.2345678", "20.", "1e3", "Infinity", "12345678", "twenty", "٢٠"])("the amount %j is refused", (typed) => {
  expect(readAmount(typed)).toBeNull();
});

test("a share to warn at is a whole percentage", () => {
  expect(["80", " 75 %", "100", "1"].map(readShare)).toEqual([0.8, 0.75, 1, 0.01]);
  expect(["0", "101", "80.5", "", "-5"].map(readShare)).toEqual([null, null, null, null, null]);
});

test("the form follows the server until somebody types", () => {
  const form = new BudgetForm();
  form.follow(budget());
  expect([form.limit, form.warnAt, form.change]).toEqual(["40", "80", { monthlyLimitUsd: "40", warnAt: 0.8 }]);
  form.touched = true;
  form.limit = "-3";
  form.follow(budget({ monthlyLimitUsd: "60" }));
  expect([form.limit, form.change, form.limitError]).toEqual(["-3", null, "Write an amount in dollars, such as 20 or 0.50. At most six decimals."]);
  form.reset();
  expect(form.limit).toBe("60");
});

test("no limit needs no amount", () => {
  const form = new BudgetForm();
  form.follow(budget());
  form.limit = "";
  form.hasLimit = false;
  expect([form.change, form.limitError]).toEqual([{ monthlyLimitUsd: null, warnAt: 0.8 }, ""]);
});
