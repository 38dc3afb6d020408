import { markdown, markdownLanguage } from "@codemirror/lang-markdown";
import { ensureSyntaxTree } from "@codemirror/language";
import { EditorState } from "@codemirror/state";
import type { DecorationSet, WidgetType } from "@codemirror/view";
import { expect, test } from "vitest";
import { draw } from "./draw";
import { type RenderedOptions, renderedOptions } from "./options";
import type { Span } from "./sheet";
import { renderedSyntax } from "./syntax";
import { DrawnDiagram, EmbeddedNote } from "./embedded";
import { Properties, propertiesOf } from "./properties";
import { Checkbox, Formula, Label, Picture } from "./widgets";

const options: RenderedOptions = {
  targetOf: (address) => (/^https?:/.test(address) ? { kind: "web", href: address, host: new URL(address).host } : address.includes(":") ? null : { kind: "file", path: address }),
  openLink: () => undefined,
  openFile: () => undefined,
  openNote: () => undefined,
  pictureAt: (path) => `/files/${path}`,
  pictureNamed: (name) => (name.startsWith("gone") ? "missing" : name.endsWith(".png") ? { path: name, address: `/files/${name}` } : null),
  isMissing: (found) => ("name" in found ? found.name : found.path).startsWith("lost"),
  noteShown: (name) => (name.startsWith("lost") ? "missing" : { path: `${name}.md`, text: `Text of ${name}` }),
  drawText: (place, text) => { place.textContent = text; return () => undefined; },
  preview: () => Promise.resolve(null),
  openTag: () => undefined,
  diagram: (source) => (source.startsWith("graph") ? { address: "data:,", width: 10, height: 10 } : null),
  drawFormula: () => null,
};
const language = markdown({ base: markdownLanguage, extensions: renderedSyntax });

function stateOf(doc: string): EditorState {
  const state = EditorState.create({ doc, extensions: [language, renderedOptions.of(options)] });
  ensureSyntaxTree(state, doc.length, 5000);
  return state;
}

function name(widget: WidgetType | undefined): string {
  if (widget instanceof Checkbox) return widget.checked ? "☑" : "☐";
  if (widget instanceof Formula) return `⟨${widget.source.replaceAll("\n", "⏎")}⟩`;
  if (widget instanceof Picture) return `⟨${widget.address}${widget.width === null ? "" : ` ${String(widget.width)}`}⟩`;
  if (widget instanceof EmbeddedNote) return `⟨${widget.text}⟩`;
  if (widget instanceof DrawnDiagram) return "⟨diagram⟩";
  if (widget instanceof Properties) return propertiesOf(widget.source).map((one) => `⟨${one.name}: ${one.value}⟩`).join("");
  return widget instanceof Label ? `⟨${widget.text}⟩` : "";
}

/** What a reader sees of a text: what is hidden is gone, what is replaced is named. A `‸` in the text is the cursor. */
function shown(source: string): string {
  const at = source.indexOf("‸");
  const doc = source.replace("‸", "");
  const state = stateOf(doc);
  const drawing = draw(state, [{ from: 0, to: doc.length }], at < 0 ? [] : [{ from: at, to: at }]);
  let seen = "";
  let from = 0;
  for (const range of replacedIn(drawing.inner)) {
    seen += doc.slice(from, range.from) + name(range.widget);
    from = range.to;
  }
  seen += doc.slice(from);
  const lines = doc.split("\n");
  let start = 0;
  const collapsed = new Set<number>();
  lines.forEach((line, index) => {
    if (lookAt(drawing.inner, start).includes("cm-collapsed")) collapsed.add(index);
    start += line.length + 1;
  });
  return seen.split("\n").filter((_, index) => !collapsed.has(index)).join("\n");
}

/** The ranges of which something else is shown, or nothing, in their order. */
function replacedIn(set: DecorationSet): (Span & { widget: WidgetType | undefined })[] {
  const found: (Span & { widget: WidgetType | undefined })[] = [];
  const range = set.iter();
  while (range.value) {
    const { attributes, widget } = range.value.spec as { attributes?: object; widget?: WidgetType };
    if (range.value.point && !attributes) found.push({ from: range.from, to: range.to, widget });
    range.next();
  }
  return found;
}

function lookAt(set: DecorationSet, at: number): string {
  let look = "";
  set.between(at, at, (from, to, value) => {
    const { attributes } = value.spec as { attributes?: { class?: string; style?: string } };
    if (from === at && to === at && attributes) look = [attributes.class, attributes.style].filter(Boolean).join(" | ");
  });
  return look;
}

test.each([
  ["# Title", "Title"],
  ["‸# Title", "# Title"],
  ["## Title ##", "Title"],
  ["Title\n===\n\ntext", "Title\n\ntext"],
  ["Title‸\n===\n\ntext", "Title\n===\n\ntext"],
  ["a *b* __c__ ~~d~~ `e`", "a b c d e"],
  ["a *b‸* **c**", "a *b* c"],
  ["a ‸*b*", "a *b*"],
  ["a ‸ *b*", "a  b"],
  ["***both***", "both"],
  ["***bo‸th***", "***both***"],
  ["H~2~O x^2^", "H2O x2"],
  ["``a`b``", "a`b"],
  ["[text](https://a.org \"t\")", "text"],
  ["[te‸xt](https://a.org)", "[text](https://a.org)"],
  ["[text][ref]", "text"],
  ["[sic] and [ ]", "[sic] and [ ]"],
  ["<https://a.org> https://b.org", "https://a.org https://b.org"],
  ["\\*a\\*", "*a*"],
  ["![alt](a.png)", "⟨/files/a.png⟩"],
  ["![alt](https://a.org/b.png)", "⟨alt (a.org)⟩"],
  ["![alt](javascript:x)", "![alt](javascript:x)"],
  ["[![alt](a.png)](https://a.org)", "⟨/files/a.png⟩"],
  ["- a\n- b", "⟨•⟩a\n⟨•⟩b"],
  ["-‸ a\n- b", "- a\n⟨•⟩b"],
  ["1. a\n   - b\n     c", "1. a\n⟨•⟩b\nc"],
  ["- [ ] a\n- [x] b", "☐a\n☑b"],
  ["- [ ‸] a", "- [ ] a"],
  ["> a\n> > b", "a\nb"],
  ["> a‸\n> b", "> a\nb"],
  ["***\n\ntext", "\n\ntext"],
  ["```py\na\n```", "⟨py⟩\na\n"],
  ["```py\na‸\n```", "```py\na\n```"],
  ["```\nopen", "⟨⟩\nopen"],
  ["a $x_1$ b", "a ⟨x_1⟩ b"],
  ["a $x_1$‸ b", "a $x_1$ b"],
  ["it costs $5 or $6 today", "it costs $5 or $6 today"],
  ["$$\nx\n- y\n$$\nafter", "⟨x⏎- y⟩\nafter"],
  ["$$x$$", "⟨x⟩"],
  ["$$x$$ {#eq:a}\nafter", "⟨x \\qquad (1)⟩\nafter"],
  ["> $$\n> x\n> $$ {#eq:a}\n\nafter", "⟨x \\qquad (1)⟩\n\nafter"],
  ["$$x$$ {#eq:a}‸", "$$x$$ {#eq:a}"],
  ["$$\nx‸\n$$", "$$\nx\n$$"],
  ["$$\nopen\n\n*next*", "$$\nopen\n\nnext"],
  ["- a\n\n  $$\n  x\n  $$\n\nafter", "⟨•⟩a\n\n⟨x⟩\n\nafter"],
  ["---\na: 1\nb: 2\n---\n\ntext", "⟨a: 1⟩⟨b: 2⟩\n\ntext"],
  ["---\na: 1‸\n---\ntext", "---\na: 1\n---\ntext"],
  ["---\nno front matter\n---", "\nno front matter"],
  ["---\na: 1\nSome prose.\n\n*x*", "---\na: 1\nSome prose.\n\nx"],
  ["a[^1]\n\n[^1]: Note *one*.\n[^2]: two", "a1\n\n1 Note one.\n2 two"],
  ["a[^1‸]", "a[^1]"],
  ["[[note]] [[note|name]]", "note name"],
  ["[[no‸te]]", "[[note]]"],
  ["![[a.png]] ![[a.png|300]] ![[gone.png]]", "⟨/files/a.png⟩ ⟨/files/a.png 300⟩ ⟨gone.png (there is no picture of this name)⟩"],
  ["![[a‸.png]]", "![[a.png]]"],
  ["![[note]] ![[note|name]] !\\[[x]]", "note name ![[x]]"],
  ["<b>x</b>\n\n<div>\n*a*\n</div>", "<b>x</b>\n\n<div>\n*a*\n</div>"],
  ["| a | *b* |\n|---|:-:|\n| c \\| d |  |", "ab\nc | d"],
  ["| a |\n|‸---|\n| b |", "a\nb"],
  ["a | b\n--|--\nc | d", "ab\ncd"],
  ["> | a | b |\n> |---|---|\n> | c | d |", "ab\ncd"],
])("%j shows as %j", (source, expected) => {
  expect(shown(source)).toBe(expected);
});

test("the line under the head of a table shows, with all of the table, where the cursor stands in it", () => {
  const doc = "| a |\n|---|\n| b |";
  const state = stateOf(doc).update({ selection: { anchor: 8 } }).state;
  const drawing = draw(state, [{ from: 0, to: doc.length }], [{ from: 8, to: 8 }]);
  expect([drawing.cells.size, drawing.wrappers.size, lookAt(drawing.inner, 0)]).toEqual([0, 0, "cm-table-source"]);
});

test("lines say their depth, and blank lines are thin but for those in code", () => {
  const doc = "> - a\n>   - b\n\n```\n\n```\n";
  const { inner } = draw(stateOf(doc), [{ from: 0, to: doc.length }], []);
  expect([0, 6, 14, 15, 19, 20].map((at) => lookAt(inner, at))).toEqual([
    "cm-quote cm-item cm-item-first | --quote: 1; --list: 1",
    "cm-quote cm-item cm-item-first | --quote: 1; --list: 2",
    "cm-blank",
    "cm-code cm-code-first cm-code-head",
    "cm-code",
    "cm-code cm-code-last cm-thin",
  ]);
});

test("a window of a long document is drawn without looking at the rest", () => {
  const doc = "Some *words* and `code`.\n\n| a | b |\n|---|---|\n| c | d |\n\n".repeat(2000);
  const window = { from: 60_000, to: 62_000 };
  const { inner, cells, wrappers } = draw(stateOf(doc), [window], []);
  const spans: Span[] = [];
  for (const set of [inner, cells, wrappers]) set.between(0, doc.length, (from, to) => void spans.push({ from, to }));
  expect(spans.length).toBeGreaterThan(20);
  expect(spans.filter(({ from, to }) => to < window.from - 100 || from > window.to + 100)).toEqual([]);
});

const PIECES = ["# ", "*", "**", "_", "~~", "`", "```", "```py", "$", "$$", " {#eq:a}", "[", "](", ")", "![", "[[", "]]", "[^1]", "[^1]: ", "|", "|---|", "---", ": ", "\n", "\n", "\n\n", "- ", "  - ", "1. ", "[ ] ", "[x] ", "> ", "<b>", "</div>", "\\", "https://a.org", "word", "a: 1", " ", "\t", "日本", "🌊", "&amp;", "===", "\u200f"];

/** Numbers that look random and are the same every time. */
function dice(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
}

test("whatever is written can be drawn, wherever the cursor is, and nothing replaced holds a line break or overlaps", () => {
  for (let seed = 1; seed <= 400; seed += 1) {
    const roll = dice(seed);
    const doc = Array.from({ length: 5 + roll(60) }, () => PIECES[roll(PIECES.length)]).join("");
    const state = stateOf(doc);
    for (const at of [0, roll(doc.length + 1), doc.length]) {
      const from = roll(at + 1);
      const windows = [{ from, to: Math.min(doc.length, from + roll(doc.length + 1)) }];
      const { inner } = draw(state, windows, [{ from: Math.min(from, at), to: at }]);
      let done = 0;
      for (const range of replacedIn(inner)) {
        expect([range.from >= done, doc.slice(range.from, range.to).includes("\n")], JSON.stringify(doc)).toEqual([true, false]);
        done = range.to;
      }
    }
  }
});

test("highlights, tags, callouts, notes shown and diagrams", () => {
  expect(shown("a ==marked== word, a == b, a ==‸open== one")).toBe("a marked word, a == b, a ==open== one");
  expect(shown("> [!warning] Look out\n> there")).toBe("⟨Warning: ⟩Look out\nthere");
  expect(shown("> [!tip]\n> there")).toBe("⟨Tip⟩\nthere");
  expect(shown("> [!tip‸]\n> there")).toBe("> [!tip]\nthere");
  expect(shown("![[tide]]\n\nas ![[tide]] says\n\n![[lost]]")).toBe("⟨Text of tide⟩\n\nas tide says\n\n⟨lost (there is no such note or heading)⟩");
  expect(shown("```mermaid\ngraph TD\n```\nend")).toBe("⟨diagram⟩\nend");
  expect(shown("```mermaid\ngraph TD‸\n```")).toBe("```mermaid\ngraph TD\n```");
});

test("a link to a note that is not there looks like one", () => {
  const doc = "[[tide]] [[lost#Ebb|ebb]] [a](tide.md) [b](lost.md) [c](https://a.org) ![[lost]] too";
  const { inner } = draw(stateOf(doc), [{ from: 0, to: doc.length }], []);
  const found: string[] = [];
  inner.between(0, doc.length, (from, to, { spec }) => {
    const look = (spec as { class?: string }).class;
    if (look?.startsWith("cm-link")) found.push(`${doc.slice(from, to)} ${look.endsWith("missing") ? "missing" : "there"}`);
  });
  expect(found).toEqual(["tide there", "ebb missing", "a there", "b missing", "c there", "lost missing"]);
});

test("a tag has a letter, stands behind a blank, and is none in code or in an address", () => {
  const tags = (doc: string) => {
    const found: string[] = [];
    ensureSyntaxTree(stateOf(doc), doc.length, 5000)?.iterate({ enter: ({ name, from, to }) => { if (name === "Tag") found.push(doc.slice(from, to)); } });
    return found;
  };
  expect(tags("#one and (#zwei/früh) not a#b, #12, `#no`, [x](y#z), https://a.example/#frag\n# Head #in")).toEqual(["#one", "#zwei/früh", "#in"]);
});

test("properties are read as they are written: lists by commas, quotes aside, what is nested by its lines", () => {
  const source = "title: \"Tides: a record\"\ntags: [sea, 'work/now']\nrelated:\n  - \"[[Surge]]\"\n  - \"[[Ebb]]\"\nup: [[x]]\nempty:\n# a remark\nabout: |\n  One line.\n  Two.\nno property";
  expect(propertiesOf(source).map(({ name, value }) => `${name} = ${value}`)).toEqual([
    "title = Tides: a record", "tags = sea, work/now", "related = [[Surge]], [[Ebb]]", "up = [[x]]", "empty = ", "about = One line., Two., no property",
  ]);
});
