import { expect, test } from "vitest";
import { isPicture, showsAs } from "./file-kinds";

test.each([
  ["a.md", "markdown"], ["figures/a.PNG", "picture"], ["a.jpeg", "picture"], ["a.svg", "drawing"], ["paper.pdf", "pdf"], ["a.docx", "word"], ["a.DOCM", "word"], ["old.doc", "foreign"], ["a.odt", "foreign"], ["a.py", "text"], ["png", "text"],
])("%s is shown as %s", (path, shape) => {
  expect(showsAs(path)).toBe(shape);
});

test("drawings are pictures, documents are none", () => {
  expect(["a.svg", "a.webp", "a.pdf", "a.md"].map(isPicture)).toEqual([true, true, false, false]);
});
