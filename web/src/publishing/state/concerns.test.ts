import { expect, test } from "vitest";
import { commandOf } from "./command";
import { concernsOf } from "./concerns";

test("what is wrong is told with where to mend it, and what is right in one line", () => {
  expect(concernsOf(undefined, 0, 0, false)).toEqual([]);
  expect(concernsOf({ count: 23, unknown: [] }, 0, 0, false)).toEqual([{ words: "23 citations found in the library", isWarning: false, leadsTo: null }]);
  expect(concernsOf({ count: 2, unknown: ["matte2013"] }, 1, 2, false)).toEqual([
    { words: "Not in the library: matte2013", isWarning: true, leadsTo: "citations" },
    { words: "1 claim marked [citation?]", isWarning: true, leadsTo: "citations" },
    { words: "2 edits to review are left out", isWarning: true, leadsTo: "review" },
  ]);
  expect(concernsOf(undefined, 0, 1, true)[0]?.words).toBe("1 edit to review is taken in");
});

test("the command of a terminal says all that was chosen", () => {
  const choice = { to: "pdf", template: "article", style: "", paper: "a4", numberSections: false, contents: false } as const;
  expect(commandOf("a.md", choice)).toBe("recto publish a.md --to pdf");
  expect(commandOf("It's.md", { ...choice, template: "t/own.typ", style: "apa", paper: "us-letter", numberSections: true, contents: true })).toBe("recto publish 'It'\\''s.md' --to pdf --template t/own.typ --style apa --paper us-letter --number-sections --contents");
});
