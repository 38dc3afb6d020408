import { expect, test } from "vitest";
import { LimitsForm, microsOf, wholeOf } from "./limits-form.svelte";

test("what is empty is no limit, and zero is one", () => {
  expect([microsOf(" "), microsOf("0"), microsOf("$1,200.50"), microsOf("0.000001")]).toEqual([null, 0, 1_200_500_000, 1]);
  expect([wholeOf(""), wholeOf("0"), wholeOf("1,000"), wholeOf("200k"), wholeOf("1.5M")]).toEqual([null, 0, 1000, 200_000, 1_500_000]);
});

test.each(["-1", "ten", "1.0000001", "1e3", "10000001"])("%s is no amount", (typed) => {
  expect(microsOf(typed)).toBeNaN();
});

test.each(["-1", "1.5", "1.0005k", "many", "2000000M"])("%s is no whole number", (typed) => {
  expect(wholeOf(typed)).toBeNaN();
});

test("limits come back as they were set", () => {
  const limits = { balanceMicros: 12_345_678, monthlyMicros: 20_000_000, requestsPerMinute: 60, tokensPerMinute: null, streams: 0, models: ["opus", "sonnet"], modelMap: { big: "opus" } };
  const form = new LimitsForm(limits);
  expect([form.monthly, form.balance, form.models, form.map]).toEqual(["20", "12.345678", "opus, sonnet", "big = opus"]);
  expect(form.body).toEqual(limits);
});

test("an overdrawn balance is shown as none left", () => {
  expect(new LimitsForm({ balanceMicros: -5, monthlyMicros: null, requestsPerMinute: null, tokensPerMinute: null, streams: null, models: null, modelMap: {} }).balance).toBe("0");
});

test("nothing is sent while something can't be understood, and it says what", () => {
  const form = new LimitsForm();
  form.map = "big opus";
  form.monthly = "much";
  expect(form.body).toBeNull();
  expect(Object.keys(form.mistakes).sort()).toEqual(["map", "monthly"]);
  form.map = "big = opus\n\n small = haiku ";
  form.monthly = "";
  expect(form.body?.modelMap).toEqual({ big: "opus", small: "haiku" });
});
