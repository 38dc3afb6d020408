/** A month's report as figures: which series a plot has, what it says in words, which rows a list shows. */
import type { UsageReport, UsageRow } from "../../api";
import { costText, countOf, money, percent, tokens } from "../../core/amounts";
import { dateText, dayOf, daysIn, monthName, ordinal } from "../../core/dates";

/** What a plot of days needs of a month, or of other days, whoever counted it. */
export interface MonthReport {
  month: string;
  /** The days that are shown, where they are not those of the month. */
  dates?: readonly string[] | null;
  totals: { costMicros: number; requests: number };
  models: readonly { id: string; name: string; costMicros: number }[];
  days: readonly { date: string; requests: number; costMicros: number; models: readonly { model: string; costMicros: number }[] }[];
}

/** Some requests together. */
export type RequestSum = Omit<UsageRow, "reasoningTokens">;

/** Money, or, in a month that cost nothing, the number of requests. */
export type Measure = "cost" | "requests";

export interface Series {
  id: string;
  name: string;
  /** Which of the five chart colours. */
  colour: number;
}

export interface FigureRow {
  id: string;
  name: string;
  /** Length of the bar, between 0 and 1. */
  share: number;
  value: string;
  detail: string;
}

const COLOURS = 5;
const ROWS_MAX = 8;
const OTHERS = "others";
const FEATURES: Record<string, string> = {
  api: "API",
  ask: "Terminal",
  chat: "Chat",
  docx: "Word documents",
  ghost: "Suggestions",
  references: "References",
  search: "Search",
  summary: "Summaries",
  result_summary: "Summaries of long answers",
  threads: "Threads",
  title: "Titles",
};

export function measureOf(report: MonthReport): Measure {
  return report.totals.costMicros > 0 ? "cost" : "requests";
}

/** The dearest models, each with a colour; the rest together when there are too many. */
export function seriesOf(report: MonthReport): Series[] {
  if (measureOf(report) === "requests") return [{ id: OTHERS, name: "Requests", colour: 1 }];
  const paid = report.models.filter((model) => model.costMicros > 0);
  const named = paid.length > COLOURS ? paid.slice(0, COLOURS - 1) : paid;
  // The fourth takes the quiet grey when it is the last: red is for many.
  const series = named.map((model, index) => ({ id: model.id, name: model.name, colour: index === 3 && paid.length === 4 ? COLOURS : index + 1 }));
  return named.length === paid.length ? series : [...series, { id: OTHERS, name: countOf(paid.length - named.length, "other model"), colour: COLOURS }];
}

/** The days of a report. */
export function datesOf(report: MonthReport): readonly string[] {
  return report.dates ?? Array.from({ length: daysIn(report.month) }, (_, index) => `${report.month}-${String(index + 1).padStart(2, "0")}`);
}

/** November, or: the last 90 days */
export function periodName(report: MonthReport, thisYear?: number): string {
  return report.dates ? `the last ${String(report.dates.length)} days` : monthName(report.month, thisYear);
}

/** For each day of the report, a number for each series. */
export function valuesOf(report: MonthReport, series: readonly Series[]): number[][] {
  const days = new Map(report.days.map((day) => [day.date, day]));
  const named = new Set(series.map(({ id }) => id));
  return datesOf(report).map((date) => {
    const day = days.get(date);
    if (!day) return series.map(() => 0);
    if (measureOf(report) === "requests") return [day.requests];
    const others = day.models.filter(({ model }) => !named.has(model));
    return series.map(({ id }) => (id === OTHERS ? others : day.models.filter(({ model }) => model === id)).reduce((sum, one) => sum + one.costMicros, 0));
  });
}

/** What the month will cost if it goes on like this; null when nobody can say. */
export function paceOf(report: MonthReport, today: string): { perDay: number; total: number; lastDay: string } | null {
  const day = dayOf(today);
  if (report.dates || !today.startsWith(report.month) || day < 3 || report.totals.costMicros === 0) return null;
  const perDay = report.totals.costMicros / day;
  const days = daysIn(report.month);
  return day === days ? null : { perDay, total: perDay * days, lastDay: ordinal(days) };
}

/** The plot of days in a sentence. */
export function daysText(report: MonthReport): string {
  const measure = measureOf(report);
  const sizeOf = (day: MonthReport["days"][number]) => (measure === "cost" ? day.costMicros : day.requests);
  const text = (value: number) => (measure === "cost" ? money(value) : countOf(value, "request"));
  const highest = [...report.days].sort((a, b) => sizeOf(b) - sizeOf(a))[0];
  const what = measure === "cost" ? "Spend by day, stacked by model" : "Requests by day";
  if (!highest) return `${what}, ${periodName(report)}. Nothing.`;
  return `${what}, ${periodName(report)}. The highest day is ${dateText(highest.date)} with ${text(sizeOf(highest))}.`;
}

/** Rows of a list with bars, the largest first, the smallest together. */
export function rowsOf(rows: readonly RequestSum[], measure: Measure): FigureRow[] {
  const shown = rows.length > ROWS_MAX ? [...rows.slice(0, ROWS_MAX - 1), together(rows.slice(ROWS_MAX - 1))] : rows;
  const sizeOf = (row: RequestSum) => (measure === "cost" ? row.costMicros : row.requests);
  const largest = Math.max(1, ...shown.map(sizeOf));
  return shown.map((row) => ({
    id: row.id,
    name: row.name,
    share: sizeOf(row) / largest,
    value: measure === "cost" ? costText(row.costMicros, row.unpriced, row.requests) : row.requests.toLocaleString("en"),
    detail: `${row.name}: ${countOf(row.requests, "request")}, ${tokens(tokensOf(row))} tokens`,
  }));
}

export function featureName(id: string): string {
  return FEATURES[id] ?? id.charAt(0).toUpperCase() + id.slice(1);
}

/** All tokens of some requests; the output includes what was thought. */
export function tokensOf(row: RequestSum): number {
  return promptOf(row) + row.outputTokens;
}

/** How much of what was sent came from a cache. */
export function cachedText(row: UsageRow): string {
  return promptOf(row) === 0 ? "0 %" : percent(row.cacheReadTokens / promptOf(row));
}

/** What caching did to the bill, in a few words. */
export function savedText(report: UsageReport): string {
  const saved = report.cacheSavedMicros;
  if (saved < 0) return `writing cost ${money(-saved)} more than reading saved`;
  if (saved === 0) return "nothing so far";
  return `${money(saved)}, ${percent(saved / (saved + report.totals.costMicros))} of the bill`;
}

function promptOf(row: RequestSum): number {
  return row.inputTokens + row.cacheReadTokens + row.cacheWriteTokens;
}

function together(rows: readonly RequestSum[]): RequestSum {
  const start: RequestSum = { id: OTHERS, name: countOf(rows.length, "other"), requests: 0, inputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 0, costMicros: 0, unpriced: 0 };
  return rows.reduce((sum, row) => ({
    ...sum,
    requests: sum.requests + row.requests,
    inputTokens: sum.inputTokens + row.inputTokens,
    cacheReadTokens: sum.cacheReadTokens + row.cacheReadTokens,
    cacheWriteTokens: sum.cacheWriteTokens + row.cacheWriteTokens,
    outputTokens: sum.outputTokens + row.outputTokens,
    costMicros: sum.costMicros + row.costMicros,
    unpriced: sum.unpriced + row.unpriced,
  }), start);
}
