import { expect, test } from "vitest";
import { plotDays, stepOf } from "./day-bars";

const FRAME = { width: 334, height: 132, left: 34, top: 10, bottom: 22 };

test("ticks are round, whole and at most four above zero", () => {
  expect([1, 3, 4, 7, 10, 1_840_000, 4_200].map(stepOf)).toEqual([1, 1, 1, 2, 5, 500_000, 2000]);
});

test("the parts of a bar stand on each other and end at the day's total", () => {
  const plot = plotDays([[100, 60, 40]], FRAME, null);
  const [bar] = plot.bars;
  expect(plot.ticks.map(({ value, y }) => [value, y])).toEqual([[0, 110], [50, 85], [100, 60], [150, 35], [200, 10]]);
  const tenths = (value: number) => Math.round(value * 10) / 10;
  expect(bar?.parts.map(({ series, y, height }) => [series, tenths(y), tenths(height)])).toEqual([[0, 60, 50], [1, 30, 29.2], [2, 10, 19.2]]);
  expect([bar?.total, bar?.top]).toEqual([200, 10]);
});

test("no two parts overlap, and all lie in the frame", () => {
  const values = Array.from({ length: 31 }, (_, day) => [day * 7919 % 997, day * 104729 % 499, day % 3]);
  for (const bar of plotDays(values, FRAME, 12).bars) {
    const edges = bar.parts.flatMap((part) => [part.y + part.height, part.y]);
    expect(edges).toEqual([...edges].sort((a, b) => b - a));
    expect(edges.every((edge) => edge >= FRAME.top - 1 && edge <= FRAME.height - FRAME.bottom)).toBe(true);
    expect(bar.x >= FRAME.left && bar.x + bar.width <= FRAME.width).toBe(true);
  }
});

test("a day without requests has no part, one with the least has a visible one", () => {
  const [none, least] = plotDays([[0, 0], [1, 0], [1_000_000, 0]], FRAME, null).bars;
  expect(none?.parts).toEqual([]);
  expect(least?.parts.map(({ height }) => height)).toEqual([1]);
});

test("a month of nothing still has an axis", () => {
  const plot = plotDays(Array.from({ length: 30 }, () => [0]), FRAME, null);
  expect(plot.ticks.map(({ value }) => value)).toEqual([0, 1]);
});

test("the label of today makes room for itself", () => {
  const empty = Array.from({ length: 30 }, () => [0]);
  expect(plotDays(empty, FRAME, 16).labels.map(({ day, isToday }) => (isToday ? "today" : day))).toEqual([1, 5, 10, "today", 20, 25, 30]);
  expect(plotDays(empty, FRAME, null).labels.map(({ day }) => day)).toEqual([1, 5, 10, 15, 20, 25, 30]);
});
