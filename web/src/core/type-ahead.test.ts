import { expect, test } from "vitest";
import { TypeAhead } from "./type-ahead";

const rows = ["gauges.py", "harmonics.py", "harbour.md", null, "README.md"];

test("one letter goes to the next row that begins with it, round the end", () => {
  const typed = new TypeAhead();
  expect(typed.type("h", rows, 0, 0)).toBe(1);
  expect(typed.type("h", rows, 1, 2000)).toBe(2);
  expect(typed.type("h", rows, 2, 4000)).toBe(1);
});

test("letters typed together make a word", () => {
  const typed = new TypeAhead();
  typed.type("h", rows, 0, 0);
  typed.type("a", rows, 1, 100);
  typed.type("r", rows, 1, 200);
  expect(typed.type("b", rows, 1, 300)).toBe(2);
  expect(typed.type("z", rows, 2, 400)).toBe(-1);
});
