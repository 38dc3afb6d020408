import { expect, test } from "vitest";
import { dateText, daysIn, monthName, ordinal, todayText } from "./dates";

test("a month of this year goes without its year", () => {
  expect([monthName("2026-11", 2026), monthName("2025-01", 2026)]).toEqual(["November", "January 2025"]);
});

test("a month has as many days as the calendar gives it", () => {
  expect(["2026-11", "2026-12", "2026-02", "2028-02"].map(daysIn)).toEqual([30, 31, 28, 29]);
});

test("days are written as a reader writes them", () => {
  expect(dateText("2026-11-05")).toBe("5 November 2026");
  expect([1, 2, 3, 4, 11, 12, 13, 21, 22, 30].map(ordinal)).toEqual(["1st", "2nd", "3rd", "4th", "11th", "12th", "13th", "21st", "22nd", "30th"]);
  expect(todayText(new Date(2026, 10, 5, 23, 59))).toBe("2026-11-05");
});
