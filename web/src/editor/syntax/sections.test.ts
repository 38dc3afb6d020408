import { type Tree, TreeFragment } from "@lezer/common";
import { GFM, parser as markdown } from "@lezer/markdown";
import { describe, expect, test } from "vitest";
import { renderedSyntax } from "../rendered";
import { SectionParser } from "./sections";

const plain = markdown.configure([GFM, renderedSyntax]);
const PIECES = [
  "# Heading\n", "## Two\n\n", "Words and *more* words.\n\n", "Words\n", "- item\n", "- item\n\n  inside\n\n", "1. one\n\n", "> quoted\n", "```\n", "```js\nlet a = 1;\n\n", "~~~\n",
  "    code\n\n", "<div>\n", "</div>\n\n", "<!-- note\n\n", "-->\n", "<script>\n\n", "| a | b |\n|---|---|\n| 1 | 2 |\n", "[ref]: /url\n", "[^1]: A note.\n\n    More.\n\n", "---\n", "---\ntitle: x\n\nother: y\n---\n",
  "$$\na = b\n", "$$\n", "\n", "Title\n=====\n", "Été\n\n", "\n\n", "<?php\n\n", "?>\n",
];

function random(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

function written(next: (below: number) => number, pieces: number): string {
  let text = "";
  for (let count = 0; count < pieces; count += 1) text += (PIECES[next(PIECES.length)] ?? "").repeat(next(9) === 0 ? 40 : 1);
  return text;
}

/** Every node with its place. */
function nodes(tree: Tree): string[] {
  const found: string[] = [];
  tree.iterate({ enter: ({ name, from, to }) => { found.push(`${name} ${String(from)} ${String(to)}`); } });
  return found;
}

describe("sections", () => {
  test.each(Array.from({ length: 60 }, (_, seed) => seed))("make the same tree as the whole text (%i)", (seed) => {
    const text = written(random(seed), 120);
    expect(nodes(new SectionParser(plain).parse(text))).toEqual(nodes(plain.parse(text)));
  });

  test.each(Array.from({ length: 30 }, (_, seed) => seed))("make the same tree after every edit (%i)", (seed) => {
    const next = random(seed + 1000);
    const sections = new SectionParser(plain);
    let text = written(next, 150);
    let fragments: readonly TreeFragment[] = TreeFragment.addTree(sections.parse(text));
    for (let edit = 0; edit < 25; edit += 1) {
      const from = next(text.length + 1);
      const to = Math.min(text.length, from + next(3) * next(60));
      const insert = next(2) === 0 ? written(next, next(3)) : ["a", " ", "\n", "#", "`", "-"][next(6)] ?? "";
      text = text.slice(0, from) + insert + text.slice(to);
      fragments = TreeFragment.applyChanges(fragments, [{ fromA: from, toA: to, fromB: from, toB: from + insert.length }], 2);
      const tree = sections.parse(text, fragments);
      expect(nodes(tree)).toEqual(nodes(plain.parse(text)));
      fragments = TreeFragment.addTree(tree, fragments);
    }
  });

  test("only the section of an edit is parsed again", () => {
    const text = Array.from({ length: 2000 }, (_, number) => `## Part ${String(number)}\n\n${"Some words. ".repeat(20)}\n\n`).join("");
    const read: number[] = [];
    const sections = new SectionParser(plain);
    const tree = sections.parse(text);
    const changed = `${text.slice(0, 300_000)}x${text.slice(300_000)}`;
    const fragments = TreeFragment.applyChanges(TreeFragment.addTree(tree), [{ fromA: 300_000, toA: 300_000, fromB: 300_000, toB: 300_001 }]);
    const parse = sections.startParse(
      { length: changed.length, lineChunks: false, chunk: (from) => { read.push(from); return changed.slice(from, from + 500); }, read: (from, to) => changed.slice(from, to) },
      fragments,
    );
    let found: Tree | null = null;
    while (!found) found = parse.advance();
    expect(Math.min(...read)).toBeGreaterThan(295_000);
    expect(Math.max(...read)).toBeLessThan(305_000);
  });

  test("a parse that is stopped reaches as far as it was asked to, and goes on from there", () => {
    const text = written(random(7), 400);
    const sections = new SectionParser(plain);
    const parse = sections.startParse(text);
    parse.stopAt(3000);
    let tree: Tree | null = null;
    while (!tree) tree = parse.advance();
    expect(tree.length).toBe(3000);
    expect(nodes(sections.parse(text, TreeFragment.addTree(tree, [], true)))).toEqual(nodes(plain.parse(text)));
  });
});
