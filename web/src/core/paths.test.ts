import { expect, test } from "vitest";
import { afterMove, asNote, nameProblem, newNameProblem, pathIn } from "./paths";

const taken = new Set(["a.md"]);

test.each([
  ["", "Give it a name."],
  ["a/b", "A name has no slash. To put it into another folder, move it there."],
  ["a\\b", "A name has no slash. To put it into another folder, move it there."],
  ["a\nb", "The name has a character that can't be seen, such as a line break."],
  ["a\u2028", "The name has a character that can't be seen, such as a line break."],
  ["..", "This name means a folder already."],
  [".git", "This name belongs to git or to Recto."],
  [".GIT", "This name belongs to git or to Recto."],
  [".g\u200cit. ", "This name belongs to git or to Recto."],
  ["．git", "This name belongs to git or to Recto."],
  [".git::$DATA", "This name belongs to git or to Recto."],
  [".recto", "This name belongs to git or to Recto."],
  [".recto-tmp-1", "Names that start with .recto-tmp- are Recto's own."],
  ["é".repeat(128), "The name is too long."],
  ["\ud800", "The name is not valid text."],
  ["a.md", "“a.md” exists already here."],
  ["A.md", null],
  [".gitignore", null],
  ["Größe 漢 😀.md", null],
])("%j: %s", (name, problem) => {
  expect(nameProblem(name, taken)).toBe(problem);
});

test.each([
  ["notes/a.md", null],
  ["2026/11/a.md", null],
  ["a.md", "“a.md” exists already here."],
  ["notes/", "Give it a name."],
  ["/a.md", "Give it a name."],
  ["../a.md", "This name means a folder already."],
  ["notes/.git", "This name belongs to git or to Recto."],
])("something new may lie in folders below, %j: %s", (name, problem) => {
  expect(newNameProblem(name, taken)).toBe(problem);
});

test("paths follow a move of themselves and of the folders above, and of nothing else", () => {
  expect(["a", "a/b.md", "ab.md", "x/a"].map((path) => afterMove(path, "a", "n/c"))).toEqual(["n/c", "n/c/b.md", "ab.md", "x/a"]);
  expect([pathIn("", "a"), pathIn("b", "a")]).toEqual(["a", "b/a"]);
});

test.each([["Tide", "Tide.md"], ["St.John", "St.John.md"], ["Release 1.2", "Release 1.2.md"], ["old/Tide.MD", "old/Tide.MD"], ["levels.csv", "levels.csv"], ["fit.py", "fit.py"]])(
  "what is only called %s is the file %s",
  (name, file) => { expect(asNote(name)).toBe(file); },
);
