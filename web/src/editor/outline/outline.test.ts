import { cpp } from "@codemirror/lang-cpp";
import { css } from "@codemirror/lang-css";
import { go } from "@codemirror/lang-go";
import { java } from "@codemirror/lang-java";
import { javascript } from "@codemirror/lang-javascript";
import { markdown, markdownLanguage } from "@codemirror/lang-markdown";
import { python } from "@codemirror/lang-python";
import { rust } from "@codemirror/lang-rust";
import { ensureSyntaxTree } from "@codemirror/language";
import { EditorState, type Extension } from "@codemirror/state";
import { expect, test } from "vitest";
import { landmarkAt, outlineOf } from "./outline";

function drawn(doc: string, language: Extension): string[] {
  const state = EditorState.create({ doc, extensions: language });
  // A busy computer may not read it within the patience that an outline has.
  ensureSyntaxTree(state, doc.length, Infinity);
  return outlineOf(state).map(({ title, depth, line }) => `${"  ".repeat(depth)}${title} ${String(line)}`);
}

const prose = markdown({ base: markdownLanguage });

test("headings of Markdown without their marks, from the least deep one on", () => {
  const text = "## The *tide* ##\n\ntext\n\n### A [link](https://x.org) and `code`\n\n# Not `#` a comment\n\n```\n# comment\n```\n\nUnder\n-----\n\n#\n";
  expect(drawn(text, prose)).toEqual(["  The tide 1", "    A link and code 5", "Not # a comment 7", "  Under 13", "Untitled 16"]);
});

test("headings stand for the text below them", () => {
  const landmarks = [{ title: "a", depth: 0, line: 3 }, { title: "b", depth: 0, line: 9 }];
  expect([1, 3, 8, 9, 99].map((line) => landmarkAt(landmarks, line))).toEqual([-1, 0, 0, 1, 1]);
});

test.each<[string, Extension, string, string[]]>([
  ["Python", python(), "import os\n\n@cache\ndef fit(t):\n    def inner():\n        pass\n\nclass Gauge(Base):\n    async def read(self):\n        pass\n", ["fit 4", "  inner 5", "Gauge 8", "  read 9"]],
  ["TypeScript", javascript({ typescript: true }), "function one(a) {}\nclass Two<T> { three() {} #four() {} }\ninterface Five {}\ntype Six = string;\nenum Seven { A }\n", ["one 1", "Two 2", "  three 2", "  #four 2", "Five 3", "Six 4", "Seven 5"]],
  ["Rust", rust(), "fn one() {}\nstruct Two;\ntrait Three { fn four(&self); }\nimpl Two { fn five() {} }\nmod six {}\n", ["one 1", "Two 2", "Three 3", "  four 3", "Two 4", "  five 4", "six 5"]],
  ["Go", go(), "package p\n\nfunc One() {}\n\nfunc (g *Gauge) Two() {}\n\ntype Three struct{}\n", ["One 3", "Two 5", "Three 7"]],
  ["Java", java(), "class One {\n  One() {}\n  int two() { return 1; }\n}\ninterface Three {}\n", ["One 1", "  One 2", "  two 3", "Three 5"]],
  ["C++", cpp(), "int one(int a) { return a; }\nstruct Two { void three() {} };\nnamespace four {}\n", ["one 1", "Two 2", "  three 2", "four 3"]],
  ["CSS", css(), ".a, .b { color: red }\n", [".a, .b 1"]],
  ["LaTeX", [], "\\section{Tides}\ntext\n\\subsection*{Of the sea} % aside\n", ["Tides 1", "  Of the sea 3"]],
  ["plain text", [], "One\n\ntwo\n", []],
])("definitions of %s", (_, language, text, expected) => {
  expect(drawn(text, language)).toEqual(expected);
});
