import { EditorState } from "@codemirror/state";
import { ensureSyntaxTree } from "@codemirror/language";
import { expect, test } from "vitest";
import { languageOf } from "../syntax/languages";
import { asksAfter, hasPlusses } from "./plusses";
import { asksAt, languageAt } from "./rule";

test.each([
  ["", true], ["The tide ", true], ["The tide", true], ["ok", true], ["end.", true], ["(", true], ["Größe", true], ["“", true], ["…", true], ["漢字", true], ["—", true],
  ["C", false], ["(C", false], ["i", false], ["for i", false], ["5", false], ["in 2024", false], ["x1", false], ["R2D", false], ["é", false], ["e\u0301", false], ["+", false], ["a+", false], ["aa +", false],
])("in prose, after %j: %s", (before, asks) => {
  expect(asksAfter(before, null)).toBe(asks);
});

test.each([
  ["", "Python", true], ["    ", "Python", true], ["x = ", "Python", true], ["total", "Python", false], ["f(", "Python", false], ["", "", true], ["word", "", false],
  ["", "JavaScript", false], ["    ", "C++", false], ["    ", "Go", false], ["", "Diff", false], ["", "sh", false], ["", "HTML", false], ["", "hs", false],
])("in code, after %j in %j: %s", (before, language, asks) => {
  expect(asksAfter(before, language)).toBe(asks);
});

test("every language with the operator is known by the name that files have here", () => {
  const files = ["a.js", "a.ts", "a.tsx", "a.cpp", "a.c", "a.java", "a.go", "a.sh", "a.pl", "a.html", "a.diff"];
  expect(files.filter((file) => !hasPlusses(languageOf(file)?.name ?? ""))).toEqual([]);
  const others = ["a.py", "a.rs", "a.yaml", "a.toml", "a.tex", "a.r", "a.jl", "a.sql", "a.json", "a.css", "a.lua", "a.rb"];
  expect(others.filter((file) => hasPlusses(languageOf(file)?.name ?? ""))).toEqual([]);
});

const TEXT = `---
title: tide
---

Words here, \`code here\` and more.

\`\`\`python
level =
\`\`\`

\`\`\`js
let level =
\`\`\`

    indented

| a | b |
|---|---|
| cell | x |
`;

async function markdown(): Promise<EditorState> {
  const state = EditorState.create({ doc: TEXT, extensions: await languageOf("a.md")?.load() ?? [] });
  ensureSyntaxTree(state, state.doc.length, 5000);
  return state;
}

test("Markdown knows where it is prose and where which code", async () => {
  const state = await markdown();
  const after = (words: string) => TEXT.indexOf(words) + words.length;
  const found = ["title: ", "Words", "`code ", "and ", "level =", "let level =", "    in", "| cell"].map((words) => languageAt(state, after(words), null));
  expect(found).toEqual(["yaml", null, "", null, "python", "js", "", null]);
});

test("two plusses ask in prose and in code that has no such operator, and never in a table", async () => {
  const state = await markdown();
  const after = (words: string) => TEXT.indexOf(words) + words.length;
  const asks = ["Words", "`code ", "`code h", "```python\n", "```js\n", "| cell "].map((words) => asksAt(state, after(words), null));
  expect(asks).toEqual([true, true, false, true, false, false]);
});
