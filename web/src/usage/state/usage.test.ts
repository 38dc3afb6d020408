import { expect, test } from "vitest";
import { Client } from "../../api";
import { emptyReport, sampleReport, usageRow } from "../../fakes/fake-models";
import { FakeServer } from "../../fakes/fake-server";
import { cachedText, daysText, featureName, measureOf, paceOf, rowsOf, savedText, seriesOf, tokensOf, valuesOf } from "./usage-figures";
import { Usage } from "./usage.svelte";

test("every paid model has its place in every day", () => {
  const report = sampleReport();
  const series = seriesOf(report);
  const values = valuesOf(report, series);
  expect(series).toEqual([{ id: "anthropic/sonnet-5", name: "Sonnet 5", colour: 1 }, { id: "google/flash", name: "Flash", colour: 2 }]);
  expect([values.length, values[0], values[1], values[3]]).toEqual([30, [0, 0], [300_000, 200_000], [1_100_000, 0]]);
});

test("many models share the last colour, and nothing of the sum is lost", () => {
  const models = Array.from({ length: 8 }, (_, index) => ({ model: `m${String(index)}`, costMicros: 80 - index }));
  const report = { ...emptyReport("2026-11"), models: models.map((one) => usageRow(one.model, one.costMicros)), days: [{ date: "2026-11-01", costMicros: 612, unpriced: 0, requests: 8, models }], totals: usageRow("total", 612) };
  const series = seriesOf(report);
  expect(series.map(({ name, colour }) => [name, colour])).toEqual([["m0", 1], ["m1", 2], ["m2", 3], ["m3", 4], ["4 other models", 5]]);
  expect(valuesOf(report, series)[0]).toEqual([80, 79, 78, 77, 76 + 75 + 74 + 73]);
});

test("a month that cost nothing is measured in requests", () => {
  const report = { ...emptyReport("2026-11"), days: [{ date: "2026-11-03", costMicros: 0, unpriced: 0, requests: 4, models: [{ model: "builtin/small", costMicros: 0 }] }], totals: usageRow("total", 0, { requests: 4 }) };
  expect([measureOf(report), valuesOf(report, seriesOf(report))[2]]).toEqual(["requests", [4]]);
  expect(daysText(report)).toBe("Requests by day, November 2026. The highest day is 3 November 2026 with 4 requests.");
});

test("the plot is told in a sentence", () => {
  expect(daysText(sampleReport())).toBe("Spend by day, stacked by model, November 2026. The highest day is 4 November 2026 with $1.10.");
});

test("a pace is told from the third day on, and only for the month that runs", () => {
  const report = sampleReport();
  expect(paceOf(report, "2026-11-04")).toEqual({ perDay: 400_000, total: 12_000_000, lastDay: "30th" });
  expect([paceOf(report, "2026-11-02"), paceOf(report, "2026-12-04"), paceOf(report, "2026-11-30")]).toEqual([null, null, null]);
});

test("days of several months are shown as they follow each other, without a pace", () => {
  const dates = ["2026-10-31", "2026-11-01", "2026-11-02", "2026-11-03", "2026-11-04"];
  const report = { ...sampleReport(), dates };
  expect(valuesOf(report, seriesOf(report))).toEqual([[0, 0], [0, 0], [300_000, 200_000], [0, 0], [1_100_000, 0]]);
  expect(daysText(report)).toBe("Spend by day, stacked by model, the last 5 days. The highest day is 4 November 2026 with $1.10.");
  expect(paceOf(report, "2026-11-04")).toBeNull();
});

test("a row of unknown price says so", () => {
  expect(rowsOf(sampleReport().models, "cost").map(({ name, value, share }) => [name, value, share])).toEqual([["Sonnet 5", "$1.40", 1], ["Flash", "$0.20", 1 / 7], ["lab/qwen3", "unknown", 0]]);
});

test("a long list ends with the rest together", () => {
  const rows = rowsOf(Array.from({ length: 12 }, (_, index) => usageRow(`m${String(index)}`, 1_000_000)), "cost");
  expect([rows.length, rows.at(-1)?.name, rows.at(-1)?.value]).toEqual([8, "5 others", "$5.00"]);
});

test("tokens, cache and features are told in words", () => {
  const row = usageRow("c1", 0, { inputTokens: 100, cacheReadTokens: 300, outputTokens: 20 });
  expect([tokensOf(row), cachedText(row), cachedText(usageRow("c2", 0, { inputTokens: 0 }))]).toEqual([420, "75 %", "0 %"]);
  expect([savedText(sampleReport()), savedText(emptyReport("2026-11")), savedText({ ...sampleReport(), cacheSavedMicros: -20_000 })]).toEqual(["$0.40, 20 % of the bill", "nothing so far", "writing cost $0.02 more than reading saved"]);
  expect([featureName("ghost"), featureName("rewording")]).toEqual(["Suggestions", "Rewording"]);
});

test("only the month asked for last is shown", async () => {
  const server = new FakeServer();
  server.ai.usage = sampleReport();
  const usage = new Usage(new Client({ fetch: server.fetch }));
  const first = usage.show("2026-09");
  const second = usage.show();
  await Promise.all([first, second]);
  expect([usage.report?.month, usage.loading]).toEqual(["2026-11", false]);
  expect(usage.months).toEqual(expect.arrayContaining(["2026-11", "2026-09"]));
});

test("a change is read only while somebody looks", async () => {
  const server = new FakeServer();
  const usage = new Usage(new Client({ fetch: server.fetch }));
  await usage.reload();
  expect(server.asked).toEqual([]);
  usage.shown = true;
  await usage.reload();
  expect(server.asked).toEqual(["GET /usage"]);
});
