/** Months and days of the calendar as text: 2026-11, 2026-11-15. */

const NAMES = ["January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"];

/** November, or November 2025 when it is not this year. */
export function monthName(month: string, thisYear?: number): string {
  const { year, index } = partsOf(month);
  const name = NAMES[index] ?? month;
  return year === thisYear ? name : `${name} ${String(year)}`;
}

export function daysIn(month: string): number {
  const { year, index } = partsOf(month);
  return new Date(year, index + 1, 0).getDate();
}

/** 15 November 2026 */
export function dateText(date: string): string {
  return `${String(dayOf(date))} ${monthName(date.slice(0, 7))}`;
}

export function dayOf(date: string): number {
  return Number(date.slice(8, 10));
}

/** 1st, 22nd, 30th */
export function ordinal(day: number): string {
  const teens = day % 100 >= 11 && day % 100 <= 13;
  const ending = teens ? "th" : ({ 1: "st", 2: "nd", 3: "rd" }[day % 10] ?? "th");
  return `${String(day)}${ending}`;
}

/** Today where the reader is. */
export function todayText(now: Date = new Date()): string {
  const two = (value: number) => String(value).padStart(2, "0");
  return `${String(now.getFullYear())}-${two(now.getMonth() + 1)}-${two(now.getDate())}`;
}

function partsOf(month: string): { year: number; index: number } {
  return { year: Number(month.slice(0, 4)), index: Number(month.slice(5, 7)) - 1 };
}
