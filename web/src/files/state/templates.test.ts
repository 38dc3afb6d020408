import { expect, test } from "vitest";
import { dayOf, filled } from "./templates";

const NOW = new Date(2026, 10, 8, 9, 5);

test("a template is filled in with title, day and time, and what it does not know stays", () => {
  expect(dayOf(NOW)).toBe("2026-11-08");
  expect(filled("# {{title}}\n{{date}} {{ time }} {{date:dddd, D DD.MM.YY}} {{time:HH-mm}} {{other}} {{date:}}", "Tide", NOW)).toBe("# Tide\n2026-11-08 09:05 Sunday, D 08.11.26 09-05 {{other}} 2026-11-08");
});
