import { afterEach, expect, test, vi } from "vitest";
import { indentationOf, usualIndentation } from "../syntax/indentation";
import { languageOf } from "../syntax/languages";
import { LiveText } from "../live/live-text";
import { TextViewer } from "../viewer";

let viewer: TextViewer | null = null;
afterEach(() => { viewer?.destroy(); viewer = null; });

/** An editor on a live text in which [ and ] are the ends of the selection, or | is the cursor. */
async function open(path: string, marked: string, indent: string | null = null): Promise<TextViewer> {
  await languageOf(path)?.load();
  const text = marked.replace(/[|[\]]/g, "");
  const [anchor, head] = marked.includes("|") ? [marked.indexOf("|"), marked.indexOf("|")] : [marked.indexOf("["), marked.indexOf("]") - 1];
  const live = new LiveText(path);
  live.text.insert(0, text);
  viewer = new TextViewer(document.body.appendChild(document.createElement("div")));
  viewer.show({ path, text, hash: "1", indent, live });
  viewer.view.dispatch({ selection: { anchor, head } });
  return viewer;
}

const CODES: Record<string, number> = { Tab: 9, Enter: 13, Escape: 27 };

/** Presses a key; whether the editor took it for itself. */
function press({ view }: TextViewer, key: string, shiftKey = false): boolean {
  return !view.contentDOM.dispatchEvent(new KeyboardEvent("keydown", { key, keyCode: CODES[key] ?? 0, shiftKey, bubbles: true, cancelable: true }));
}

/** The text with its cursor or selection marked. */
function shown({ view: { state } }: TextViewer): string {
  const { from, to } = state.selection.main;
  const [before, inside, after] = [state.sliceDoc(0, from), state.sliceDoc(from, to), state.sliceDoc(to)];
  return from === to ? `${before}|${after}` : `${before}[${inside}]${after}`;
}

test.each([
  ["two spaces", "a\n  b\n    c\nd\n  e", "  "],
  ["four spaces, with lines aligned by hand", "def f(a,\n      b):\n    if a:\n        b\n    c\ndef g():\n    d", "    "],
  ["eight spaces", "a\n        b\n\n                c", "        "],
  ["tabs", "a:\n\tb\n\t\tc\n    odd", "\t"],
  ["nothing", "a\n\nb\n c", null],
])("a file's own indentation is read from it: %s", (_, text, unit) => {
  expect(indentationOf(text.split("\n"))).toBe(unit);
});

test.each([["a.py", "    "], ["a.go", "\t"], ["Makefile", "\t"], ["rules.mk", "\t"], ["a.ts", "  "], ["a.json", "  "], ["a.rs", "    "], ["notes.txt", "    "], ["unknown", "  "]])(
  "where nothing is indented yet, %s is indented as is usual",
  (name, unit) => { expect(usualIndentation(name)).toBe(unit); },
);

test.each([
  ["a.py", "def f():\n    if a:\n        b\nc|", "def f():\n    if a:\n        b\nc   |"],
  ["a.py", "x = 1\n|y", "x = 1\n    |y"],
  ["a.js", "f(() => {\n    g();\n});\n|h", "f(() => {\n    g();\n});\n    |h"],
  ["a.c", "int f() {\n\treturn 1;\n}\n|x", "int f() {\n\treturn 1;\n}\n\t|x"],
  ["Makefile", "all:\n|cc", "all:\n\t|cc"],
  ["a.yml", "a:\n  b: 1\n|c", "a:\n  b: 1\n  |c"],
  ["a.py", "if a:\n    b\n[c\n\nd\n]e", "if a:\n    b\n    [c\n\n    d\n]e"],
  ["notes.txt", "one |two", "one     |two"],
])("Tab in %s indents by the file's own step: %j", async (path, before, after) => {
  const editor = await open(path, before);
  expect([press(editor, "Tab"), shown(editor)]).toEqual([true, after]);
});

test.each([
  ["a.py", "if a:\n    if b:\n        c|", "if a:\n    if b:\n    c|"],
  ["a.py", "if a:\n    b\n      c|", "if a:\n    b\n    c|"],
  ["a.go", "a {\n\tb\n\t[c\n\td]", "a {\n\tb\n[c\nd]"],
  ["a.py", "a|", "a|"],
])("Shift+Tab in %s takes one step back: %j", async (path, before, after) => {
  const editor = await open(path, before);
  expect([press(editor, "Tab", true), shown(editor)]).toEqual([true, after]);
});

test("Enter indents also where the computer had no time yet to read the text", async () => {
  let now = 0;
  vi.spyOn(Date, "now").mockImplementation(() => (now += 1000));
  const editor = await open("a.py", "def f():\n    a\ndef g():|");
  vi.restoreAllMocks();
  expect([press(editor, "Enter"), shown(editor)]).toEqual([true, "def f():\n    a\ndef g():\n    |"]);
});

test.each([
  ["a.py", "def f():\n    a\ndef g():|", "def f():\n    a\ndef g():\n    |"],
  ["a.js", "f(() => {\n    g();\n});\nif (a) {|", "f(() => {\n    g();\n});\nif (a) {\n    |"],
  ["a.go", "func f() {\n\ta()\n\tb()|\n}", "func f() {\n\ta()\n\tb()\n\t|\n}"],
  ["Makefile", "all:\n\tcc|", "all:\n\tcc\n\t|"],
])("Enter in %s keeps the indentation: %j", async (path, before, after) => {
  const editor = await open(path, before);
  expect([press(editor, "Enter"), shown(editor)]).toEqual([true, after]);
});

test("the step that the folder wants counts before the file's own lines", async () => {
  const editor = await open("a.py", "if a:\n    b\n|c", "\t");
  press(editor, "Tab");
  expect(shown(editor)).toBe("if a:\n    b\n\t|c");
});

test("a file that is not indented yet is indented as what is pasted into it", async () => {
  const editor = await open("a.py", "|");
  editor.view.dispatch({ changes: { from: 0, insert: "if a:\n\tb\nc" }, selection: { anchor: 10 } });
  press(editor, "Tab");
  expect(shown(editor)).toBe("if a:\n\tb\nc\t|");
});

test.each([
  ["- one\n- two|\n- three", "- one\n  - two|\n- three"],
  ["- one\n  - in\n- two|", "- one\n  - in\n  - two|"],
  ["- one\n    - in\n- two\n- three|\n", "- one\n    - in\n- two\n    - three|\n"],
  ["- one\n\t- in\n- two\n- |\n", "- one\n\t- in\n- two\n\t- |\n"],
  ["1. one\n2. two|\n3. three", "1. one\n   1. two|\n2. three"],
  ["1. one\n   1. in\n2. two|\n3. three", "1. one\n   1. in\n   2. two|\n2. three"],
  ["1. one\n1. two|\n1. three", "1. one\n   1. two|\n1. three"],
  ["3. one\n4. two|\n5. three", "3. one\n   1. two|\n4. three"],
  ["- one\n- two|\n  - in\n\n  more", "- one\n  - two|\n    - in\n\n    more"],
  ["- one\n- [ ] two|", "- one\n  - [ ] two|"],
  ["> - one\n> - two|", "> - one\n>   - two|"],
  ["- one\n- [two\n- three]\n- four", "- one\n  - [two\n  - three]\n- four"],
  ["- one|\n- two", "- one|\n- two"],
  ["- one\n1. two|", "- one\n  1. two|"],
])("Tab nests an item of a list: %j", async (before, after) => {
  const isTask = before.includes("[ ]");
  const editor = await open("a.md", isTask ? before.replace("[ ]", "") : before);
  if (isTask) editor.view.dispatch({ changes: { from: 8, insert: "[ ]" }, selection: { anchor: 15 } });
  expect([press(editor, "Tab"), shown(editor)]).toEqual([true, after]);
});

test.each([
  ["- one\n  - two|\n  - three", "- one\n- two|\n  - three"],
  ["1. one\n   1. two|\n2. three", "1. one\n2. two|\n3. three"],
  ["1. one\n   1. two|\n   2. in", "1. one\n2. two|\n   1. in"],
  ["- one\n\t- two|\n\t\t- in", "- one\n- two|\n\t- in"],
  ["- one|\n- two", "- one|\n- two"],
  ["9. a\n   - x\n   1. b|\n10. c\n    - d", "9. a\n   - x\n10. b|\n11. c\n    - d"],
])("Shift+Tab takes an item of a list back out: %j", async (before, after) => {
  const editor = await open("a.md", before);
  expect([press(editor, "Tab", true), shown(editor)]).toEqual([true, after]);
});

test("what is in an item stays in it when its number gets longer", async () => {
  const nine = Array.from({ length: 9 }, (_, at) => `${String(at + 1)}. a`);
  const editor = await open("a.md", ["1. first", "   1. new|", ...nine.slice(1), "   - in"].join("\n"));
  press(editor, "Tab", true);
  expect(shown(editor)).toBe(["1. first", "2. new|", ...nine.slice(1).map((_, at) => `${String(at + 3)}. a`), "    - in"].join("\n"));
});

test.each([
  ["- one|", "- one\n- |"],
  ["- one\n- |", "- one\n\n|"],
  ["- one\n- two\n- |\n\nText", "- one\n- two\n\n|\n\nText"],
  ["- one\n\n- |", "- one\n\n|"],
  ["- one\n- |\n- two", "- one\n|\n- two"],
  ["- one\n  - in\n  - |", "- one\n  - in\n- |"],
  ["1. one|\n2. two", "1. one\n2. |\n3. two"],
  ["1. one\n2. |", "1. one\n\n|"],
])("Enter goes on with a list, and ends it in an empty item: %j", async (before, after) => {
  const editor = await open("a.md", before);
  expect([press(editor, "Enter"), shown(editor)]).toEqual([true, after]);
});

test.each([
  ["> one|", "> one\n> |"],
  ["> one\n> |", "> one\n\n|"],
  ["> one\n> two\n> |\n\nText", "> one\n> two\n\n|\n\nText"],
  ["> one\n>\n> |", "> one\n\n|"],
  ["> one\n>|", "> one\n\n|"],
  ["> > in\n> > |", "> > in\n>\n> |"],
  ["- one\n  > two\n  > |", "- one\n  > two\n\n  |"],
])("Enter goes on with a quote, and ends it in an empty line: %j", async (before, after) => {
  const editor = await open("a.md", before);
  expect([press(editor, "Enter"), shown(editor)]).toEqual([true, after]);
});

test("an empty quote in a block of code is code", async () => {
  const editor = await open("a.md", "```\n> |\n```");
  press(editor, "Enter");
  expect(shown(editor)).toBe("```\n> \n|\n```");
});

test("code in Markdown is indented as that code is, and paragraphs only at the cursor", async () => {
  const editor = await open("a.md", "- one\n\n```python\na|\n```\n\n```go\nb\n```\n\nText");
  press(editor, "Tab");
  expect(shown(editor)).toBe("- one\n\n```python\na   |\n```\n\n```go\nb\n```\n\nText");
  editor.view.dispatch({ selection: { anchor: editor.text.indexOf("b\n```") } });
  press(editor, "Tab");
  expect(shown(editor)).toBe("- one\n\n```python\na   \n```\n\n```go\n\t|b\n```\n\nText");
  editor.view.dispatch({ selection: { anchor: editor.text.indexOf("Text"), head: editor.text.length } });
  expect(press(editor, "Tab")).toBe(false);
});

test("after Escape, Tab leaves the text; so it does where nothing can be written", async () => {
  const editor = await open("a.py", "a|");
  press(editor, "Escape");
  expect([press(editor, "Tab"), shown(editor)]).toEqual([false, "a|"]);
  editor.show({ path: "b.py", text: "b", hash: "2" });
  expect(press(editor, "Tab")).toBe(false);
});
