import { expect, test } from "vitest";
import { headingLine, headingsOf, sectionOf } from "./headings";

const TEXT = "# One\n```sh\n# no\n```\n## *Two* ##\n#not\n\n### Deep\ntext\n## Three\nend";

test("headings are those of the text, not of its code", () => {
  expect(headingsOf(TEXT).map(({ text }) => text)).toEqual(["One", "*Two*", "Deep", "Three"]);
});

test("a link finds its heading whatever its marks, and a section ends where the next of its kind begins", () => {
  expect(headingLine(TEXT, "two")).toBe(5);
  expect(headingLine(TEXT, "One#Three")).toBe(10);
  expect(headingLine(TEXT, "four")).toBeNull();
  expect(sectionOf(TEXT, "Two")).toBe("## *Two* ##\n#not\n\n### Deep\ntext");
  expect(sectionOf(TEXT, "Three")).toBe("## Three\nend");
  expect(sectionOf(TEXT, "four")).toBeNull();
});
