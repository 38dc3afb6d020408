import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { furnish } from "./furnish";
import { renderSegment } from "./grammar";
import { MarkdownView } from "./renderer";
import { answerElements } from "./sanitise";

/** One text for each thing that can reach over the end of a piece: each must come out the same however it is cut. */
const CORPUS = [
  "# Tides\n\nA gauge records *two* things:\n\n- the tide\n- everything **else**\n\nThat is all.",
  "Setext\n======\n\nsecond\n------\ntext\n***\nmore\n* * *\n",
  "1. one\n\n2. two\n\n   still two\n\n10. ten\n- other\n- list\n\n\n\nafter",
  "- a\n  - b\n    - c\n\n      deep\n- d\n\n  ```py\n  x = 1\n\n  y = 2\n  ```\n- e",
  "- [x] done\n- [ ] open\n\n* loose\n\n* list\n",
  "```python\ndef f():\n\n    return '```'\n```\nright after\n~~~\nopen to the end\n\n# no heading",
  "````md\n```\ninner\n```\n````\n\n    indented\n\n    code\n\nend",
  "| a | b |\n|:--|--:|\n| 1 | `x|y` |\n| **2** | <br> |\n\n| no table |\n",
  "> quote\nlazy\n\n> another\n> - with list\n>\n> ```\n> code\n> ```\nafter",
  "See [the paper][p] and [p] and [Other  One].\n\ntext\n\n[p]: https://a.example/x \"Title\"\n[other one]: <https://b.example>\n",
  "[late]\n\n- in a list [late]\n\n> in a quote [late]\n\n[late]: https://c.example\n\n[late]: https://ignored.example",
  "$E = mc^2$ costs $5 or $6, \\(a_1 * b_1\\).\n\n$$\n\\int_0^1 x\\,dx\n+ 1\n$$\n\n\\[ a = b \\]\n\n$$unclosed",
  "<div>\n\n<b>raw</b> H<sub>2</sub>O <kbd>Ctrl</kbd><br>next <script>alert(1)</script>\n\n<!-- comment\n\nstill -->\n",
  "![chart](https://img.example/c.png) ![local](figures/a.png) [![badge](https://b.example/x.svg)](https://c.example)",
  "[file](manuscript/methods.md#l3) <https://auto.example> www.example.org mail@example.org [js](javascript:alert(1))",
  "line one  \nline two\\\nline three\n\\*no em\\* &amp; &copy; 1 < 2 ~~gone~~ ***both*** _a_b_c_ __x__",
  "windows\r\n\r\n- line\r\n- ends\r\n\r\n```\r\ncode\r\n```\r\nold\rmac",
  "Emoji 👩‍🔬 and 漢字, \u0000 nothing, a\u00a0space\n\n\n\n\n",
  "para\n```\ncode\n```\n# Heading right after\npara\n- list right after\n\nHeading\n-\n",
  "text\n\n-\n\n  not in the item\n\n1986\\. A year.\n\n1) paren\n2) paren\n",
];

const LINES = [
  ...["", "", "", "text", "more *text* here", "**open", "close**", "- item", "* star", "1. one", "2. two", "  - nested", "   continued", "    four in", "\ttab"],
  ...["```", "```py", "~~~", "# Head", "> quote", "> - list", "---", "===", "| a | b |", "|---|--:|", "| 1 | 2 |", "[ref]", "[a][ref]", "[ref]: https://x.example"],
  ...["![p](https://p.example/a.png)", "<div>", "<sub>x</sub> y", '<img src="a.png" alt="b">', "`code", "$x$", "$$", "\\[ y \\]", "https://auto.example/x", "-", "line  ", "&amp; &lt;"],
];

let frames: FrameRequestCallback[] = [];

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  frames = [];
  vi.stubGlobal("requestAnimationFrame", (callback: FrameRequestCallback) => frames.push(callback));
  vi.stubGlobal("cancelAnimationFrame", () => {
    frames = [];
  });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** Lets the browser draw a frame, as late as the view may wait for. */
function nextFrame(waited = 10_000): void {
  vi.advanceTimersByTime(waited);
  for (const callback of frames.splice(0)) callback(performance.now());
}

function open(options: Partial<ConstructorParameters<typeof MarkdownView>[1]> = {}) {
  const host = document.createElement("div");
  document.body.replaceChildren(host);
  return { host, view: new MarkdownView(host, { openLink: () => undefined, copy: () => Promise.resolve(true), ...options }) };
}

async function atOnce(text: string): Promise<string> {
  const { host, view } = open();
  view.set(text);
  view.finish();
  await view.drawn();
  return host.innerHTML;
}

async function inPieces(pieces: readonly string[], framesAt: (index: number) => boolean): Promise<string> {
  const { host, view } = open();
  pieces.forEach((piece, index) => {
    view.append(piece);
    if (framesAt(index)) nextFrame();
  });
  view.finish();
  await view.drawn();
  return host.innerHTML;
}

/** Numbers that are always the same: a linear congruential generator. */
function chance(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

function cut(text: string, next: (below: number) => number): string[] {
  const pieces: string[] = [];
  for (let at = 0; at < text.length; ) {
    const length = 1 + next(next(4) === 0 ? 40 : 5);
    pieces.push(text.slice(at, at + length));
    at += length;
  }
  return pieces;
}

test.for(CORPUS)("a text that comes a character at a time looks as if it had come at once: %j", async (text) => {
  expect(await inPieces(Array.from({ length: text.length }, (_, index) => text.charAt(index)), () => true)).toBe(await atOnce(text));
});

test("texts of any lines, cut anywhere, drawn at any time, look as if they had come at once", async () => {
  const next = chance(20261115);
  for (let round = 0; round < 150; round += 1) {
    const text = Array.from({ length: 1 + next(14) }, () => LINES[next(LINES.length)]).join("\n");
    const pieces = cut(text, next);
    expect(await inPieces(pieces, () => next(3) > 0), JSON.stringify(pieces)).toBe(await atOnce(text));
  }
});

test("texts of any lines, rendered segment by segment, look as if they had been rendered whole", () => {
  const next = chance(7);
  for (let round = 0; round < 400; round += 1) {
    const text = `${Array.from({ length: 1 + next(14) }, () => LINES[next(LINES.length)]).filter((line) => !line?.includes("$") && !line?.includes("\\[")).join("\n")}\n`;
    const whole = document.createElement("div");
    whole.append(...furnish(answerElements(renderSegment(text, {}).html), {}));
    for (const element of whole.querySelectorAll(":is(h1, h2, h3, h4, h5, h6) + *")) element.toggleAttribute("data-after-heading", element.parentElement === whole);
    const { host, view } = open();
    view.set(text);
    view.finish();
    expect(host.innerHTML, JSON.stringify(text)).toBe(whole.innerHTML);
  }
});

test("what is settled is never touched again", () => {
  const { host, view } = open();
  view.append("first\n\nsecond\n\nthird");
  nextFrame();
  const [first, second] = host.children;
  view.append(" goes on\n\nfourth");
  nextFrame();
  expect([host.children[0], host.children[1], host.children.length]).toEqual([first, second, 4]);
});

test("code that is still open grows in its place, and its end is not shown as code", () => {
  const { host, view } = open();
  view.append("```py\nx = 1\n");
  nextFrame();
  const code = host.querySelector("code");
  view.append("# y\n``");
  nextFrame();
  expect(host.querySelector("code")).toBe(code);
  expect(code?.textContent).toBe("x = 1\n# y\n");
  view.append("`\nafter");
  nextFrame();
  expect([...host.children].map((child) => child.querySelector("code")?.textContent ?? child.textContent)).toEqual(["x = 1\n# y", "after"]);
});

test("a line that may turn into something else is not shown until it is clear", () => {
  const { host, view } = open();
  view.append("Two things\n-");
  nextFrame();
  expect(host.textContent).toBe("Two things");
  view.append(" tide");
  nextFrame();
  expect([...host.children].map((child) => child.tagName)).toEqual(["P", "UL"]);
});

test("a link whose definition comes later becomes one then, and only its paragraph changes", () => {
  const { host, view } = open();
  view.append("see [paper]\n\nuntouched\n\n");
  view.append("last\n");
  nextFrame();
  const untouched = host.children[1];
  expect(host.querySelector("a")).toBeNull();
  view.append("\n[paper]: https://paper.example/1\n\nend");
  nextFrame();
  expect([host.querySelector("a")?.href, host.children[1]]).toEqual(["https://paper.example/1", untouched]);
});

test("the caret stands after the last word while text comes, and is gone at the end", () => {
  const { host, view } = open();
  const holder = () => host.querySelector("[data-caret]")?.tagName;
  const steps = ["word", "\n\n- a\n- b", "\n\n```\ncode\n", "```\n\n| a |\n|---|\n| b |\n"].map((piece) => {
    view.append(piece);
    nextFrame();
    return holder();
  });
  view.finish();
  expect([...steps, holder()]).toEqual(["P", "LI", "CODE", "TD", undefined]);
});

test.each([
  [1, 60],
  [10, 110],
  [20, 180],
])("rendering takes a small part of the time: after one of %i ms the next comes after %i", (taken, pause) => {
  const { host, view } = open();
  const now = performance.now();
  view.append("one");
  vi.spyOn(performance, "now").mockReturnValueOnce(now).mockReturnValueOnce(now + taken);
  for (const callback of frames.splice(0)) callback(now);
  view.append(" two");
  const shown = [pause - 1, 1].map((waited) => {
    nextFrame(waited);
    return host.textContent;
  });
  expect(shown).toEqual(["one", "one two"]);
});

test("a link that is defined later comes into its paragraph: no block comes or goes for it", () => {
  const { host, view } = open();
  view.append("# Head\n\nsee [a]\n\n> and [a]\n\nmore\n\n");
  nextFrame();
  const blocks = [...host.children];
  view.append("[a]: https://a.example\n\nend\n\n");
  nextFrame();
  expect(host.lastElementChild?.textContent).toBe("end");
  expect(blocks.map((block) => [block.querySelectorAll("a").length, block.hasAttribute("data-after-heading")])).toEqual([[0, false], [1, true], [1, false], [0, false]]);
  expect(blocks.every((block, at) => block === host.children[at])).toBe(true);
});

test("where others go first, a text is drawn in its turn, and not once it is finished", () => {
  const turns: (() => void)[] = [];
  const { host, view } = open({ inTurn: (draw) => { turns.push(draw); } });
  view.append("one");
  nextFrame();
  expect([host.textContent, turns.length]).toEqual(["", 1]);
  turns[0]?.();
  expect(host.textContent).toBe("one");
  vi.advanceTimersByTime(10_000);
  view.append(" two");
  view.finish();
  expect(host.textContent).toBe("one two");
  turns[1]?.();
  expect(host.querySelector("[data-caret]")).toBeNull();
});

test("a text to which nothing more comes is rendered once, also where others go first", () => {
  const { host, view } = open({ inTurn: (draw) => { draw(); } });
  const drawing = vi.spyOn(host, "insertBefore");
  view.setWhole("# Head\n\nwords");
  expect([host.textContent, drawing.mock.calls.length]).toEqual(["Headwords", 2]);
  view.setWhole("# Head\n\nwords");
  expect(drawing.mock.calls.length).toBe(2);
  view.setWhole("other");
  expect(host.textContent).toBe("other");
});

test("a text set anew replaces the old one, and one that goes on only adds", () => {
  const { host, view } = open();
  view.set("first\n\nsec");
  nextFrame();
  const first = host.firstElementChild;
  view.set("first\n\nsecond");
  nextFrame();
  expect([host.firstElementChild, host.textContent]).toEqual([first, "firstsecond"]);
  view.set("other");
  view.finish();
  view.set("yet another");
  view.finish();
  expect(host.textContent).toBe("yet another");
});

test("nothing can be added to a finished text", () => {
  const { view } = open();
  view.finish();
  expect(() => {
    view.append("x");
  }).toThrow("The text is finished.");
});
