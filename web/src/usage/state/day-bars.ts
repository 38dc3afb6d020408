/** The shape of a plot of days: stacked bars, the ticks beside them, the labels below. Pure numbers. */

/** The room for the plot, in pixels: what lies left of and around the bars included. */
export interface Frame {
  width: number;
  height: number;
  left: number;
  top: number;
  bottom: number;
}

export interface Part {
  /** Which series, counted from 0. */
  series: number;
  y: number;
  height: number;
}

export interface DayBar {
  day: number;
  x: number;
  width: number;
  /** The middle of the bar. */
  center: number;
  /** The upper edge. */
  top: number;
  total: number;
  parts: Part[];
}

export interface DayPlot {
  step: number;
  ticks: { value: number; y: number }[];
  bars: DayBar[];
  labels: { day: number; x: number; isToday: boolean }[];
  slot: number;
  y(value: number): number;
}

/** Room between two parts of a bar. */
const SEAM = 0.8;
const LABEL_ROOM = 32;

/** Lays out one bar a day. `values` holds, for each day, a number for each series. */
export function plotDays(values: readonly (readonly number[])[], frame: Frame, today: number | null): DayPlot {
  const totals = values.map((parts) => parts.reduce((sum, value) => sum + value, 0));
  const step = stepOf(Math.max(1, ...totals));
  const top = Math.ceil(Math.max(1, ...totals) / step) * step;
  const room = frame.height - frame.top - frame.bottom;
  const y = (value: number) => frame.top + room * (1 - value / top);
  const slot = (frame.width - frame.left) / Math.max(1, values.length);
  const bars = values.map((parts, index) => barOf(parts, index, frame.left, slot, y));
  const ticks = Array.from({ length: Math.round(top / step) + 1 }, (_, index) => ({ value: index * step, y: y(index * step) }));
  return { step, ticks, bars, labels: labelsOf(bars, slot, today), slot, y };
}

/** The distance of ticks: 1, 2, 2.5 or 5 times a power of ten, so that there are at most four and all are whole. */
export function stepOf(max: number): number {
  let power = 1;
  for (;;) {
    const found = [1, 2, 2.5, 5].map((factor) => factor * power).find((step) => Number.isInteger(step) && max / step <= 4);
    if (found !== undefined) return found;
    power *= 10;
  }
}

function barOf(values: readonly number[], index: number, left: number, slot: number, y: (value: number) => number): DayBar {
  const gap = slot < 4 ? slot * 0.28 : Math.max(2, slot * 0.28);
  const x = left + index * slot + gap / 2;
  const parts: Part[] = [];
  let sum = 0;
  for (const [series, value] of values.entries()) {
    if (value <= 0) continue;
    const bottom = y(sum) - (sum > 0 ? SEAM : 0);
    sum += value;
    // However little it was, it is seen.
    const height = Math.max(sum === value ? 1 : 0, bottom - y(sum));
    parts.push({ series, y: bottom - height, height });
  }
  const width = slot - gap;
  return { day: index + 1, x, width, center: x + width / 2, top: Math.min(y(sum), ...parts.map((part) => part.y)), total: sum, parts };
}

/** The first day, every fifth, and today; what would touch today's label gives way. */
function labelsOf(bars: readonly DayBar[], slot: number, today: number | null): DayPlot["labels"] {
  return bars
    .filter(({ day }) => day === today || day === 1 || day % 5 === 0)
    .filter(({ day }) => day === today || today === null || Math.abs(day - today) * slot >= LABEL_ROOM)
    .map(({ day, center }) => ({ day, x: center, isToday: day === today }));
}
