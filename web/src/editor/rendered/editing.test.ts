import { history, undo } from "@codemirror/commands";
import { markdown, markdownLanguage } from "@codemirror/lang-markdown";
import { Compartment, EditorState, StateEffect } from "@codemirror/state";
import { EditorView, runScopeHandlers } from "@codemirror/view";
import { expect, test } from "vitest";
import { rendered, type RenderedOptions, renderedSyntax } from ".";
import { describe as describeLink, linkAt } from "./links";
import { alignmentsOf, cellAt, cellsOf } from "./table";

const options: RenderedOptions = {
  targetOf: (address) => (/^https?:/.test(address) ? { kind: "web", href: address, host: new URL(address).host } : null),
  openLink: () => undefined,
  openFile: () => undefined,
  openNote: () => undefined,
  pictureAt: () => null,
  pictureNamed: () => null,
  isMissing: () => false,
  noteShown: (name) => (name.startsWith("gone") ? "missing" : { path: `${name}.md`, text: `Text of ${name}` }),
  drawText: (place, text) => { place.textContent = text; return () => undefined; },
  preview: () => Promise.resolve(null),
  openTag: () => undefined,
  diagram: (source) => (source.startsWith("graph") ? { address: "data:,", width: 10, height: 10 } : null),
  drawFormula: () => null,
};
const shape = new Compartment();

function viewOf(doc: string, extra: Parameters<typeof EditorState.create>[0] = {}): EditorView {
  const extensions = [markdown({ base: markdownLanguage, extensions: renderedSyntax }), history(), shape.of(rendered(options)), extra.extensions ?? []];
  return new EditorView({ parent: document.body, state: EditorState.create({ doc, extensions }) });
}

/** Types at a `‸`, or over what stands between two of them, in the manner of a person. */
function typed(source: string, insert: string, userEvent = "input.type"): string {
  const view = viewOf(source.replaceAll("‸", ""));
  const from = source.indexOf("‸");
  const to = Math.max(from, source.lastIndexOf("‸") - 1);
  view.dispatch({ selection: { anchor: from, head: to } });
  view.dispatch({ changes: { from, to, insert }, selection: { anchor: from + insert.length }, userEvent });
  const { doc, selection } = view.state;
  view.destroy();
  return `${doc.sliceString(0, selection.main.head)}‸${doc.sliceString(selection.main.head)}`;
}

test("what is fitted into a cell stays pasted, and what else was to happen does", () => {
  const done = StateEffect.define();
  const doc = "| a | b |\n|---|---|\n| c | d |";
  const seen: [boolean, number][] = [];
  const view = viewOf(doc, { extensions: EditorView.updateListener.of(({ transactions }) => {
    for (const transaction of transactions) if (transaction.docChanged) seen.push([transaction.isUserEvent("input.paste"), transaction.effects.filter((effect) => effect.is(done)).length]);
  }) });
  const at = doc.lastIndexOf(" |");
  view.dispatch({ changes: { from: at + 1, insert: "one\ntwo" }, effects: done.of(null), userEvent: "input.paste" });
  expect([view.state.doc.line(3).text, seen]).toEqual(["| c | d one two|", [[true, 1]]]);
  view.destroy();
});

/** Presses keys one after the other, and returns the text with the selection in it. */
function pressed(source: string, ...keys: readonly string[]): string {
  const view = viewOf(source.replace("‸", ""));
  view.dispatch({ selection: { anchor: source.indexOf("‸") } });
  for (const key of keys) runScopeHandlers(view, new KeyboardEvent("keydown", { key: key.replace("Shift-", ""), shiftKey: key.startsWith("Shift-") }), "editor");
  const { doc, selection } = view.state;
  const { from, to, empty } = selection.main;
  view.destroy();
  return `${doc.sliceString(0, from)}‸${empty ? "" : `${doc.sliceString(from, to)}‸`}${doc.sliceString(to)}`;
}

/** Types letter by letter, Enter for a line's end, and returns the text. */
function writtenOut(source: string): { text: string; cells: (string | null)[] } {
  const view = viewOf("");
  for (const letter of source) {
    const { head } = view.state.selection.main;
    if (letter !== "\n") view.dispatch({ changes: { from: head, insert: letter }, selection: { anchor: head + 1 }, userEvent: "input.type" });
    else if (!runScopeHandlers(view, new KeyboardEvent("keydown", { key: "Enter" }), "editor")) view.dispatch(view.state.replaceSelection("\n"), { userEvent: "input" });
  }
  const text = view.state.doc.toString();
  const cells = [...view.dom.querySelectorAll("[role=cell]")].map((cell) => cell.textContent);
  view.destroy();
  return { text, cells };
}

test("a table that is written sign by sign is what was written, and drawn cell by cell", () => {
  const source = "| a | b |\n| --- | --- |\n| 1 | 2 |\n| 3 | 4 |\n\nAfter";
  expect(writtenOut(source)).toEqual({ text: source, cells: ["1", "2", "3", "4"] });
});

const table = (row: string) => `| a | b |\n|---|---|\n${row}`;

test.each([
  ["| a | b |", ["a", "b"]],
  ["a | b", ["a", "b"]],
  ["| a \\| b | c", ["a \\| b", "c"]],
  ["||  |", ["", ""]],
  ["| a", ["a"]],
  ["  | a |  ", ["a"]],
  ["|", [""]],
  ["", [""]],
])("the cells of %j are %j and cover it", (row, expected) => {
  const cells = cellsOf(row, 10);
  expect(cells.map(({ start, end }) => row.slice(start - 10, end - 10))).toEqual(expected);
  expect([cells[0]?.from, cells.at(-1)?.to]).toEqual([10, 10 + row.length]);
  expect(cells.slice(1).map(({ from }) => from)).toEqual(cells.slice(0, -1).map(({ to }) => to));
});

test("alignment is read from the line under the head", () => {
  expect(alignmentsOf("|:--|:-:|--:|---|")).toEqual(["start", "center", "end", "start"]);
});

test.each([
  [table("| x‸ | y |"), "1", table("| x1‸ | y |")],
  [table("| x‸ | y |"), "|", table("| x\\|‸ | y |")],
  [table("| x\\‸ | y |"), "|", table("| x\\|‸ | y |")],
  [table("|x‸|y|"), "\\", table("|x\\ ‸|y|")],
  [table("‸| x | y |"), "1", table("| 1‸x | y |")],
  [table("| x | y |‸"), "1", table("| x | y 1‸|")],
  ["| a | b |‸\n|---|---|\n| x | y |", "|", "| a | b \\|‸|\n|---|---|\n| x | y |"],
  ["> | a |\n> |---|\n‸> | x |\n", "1", "> | a |\n> |---|\n> | 1‸x |\n"],
  ["- | a |\n  |---|\n  | x‸ |\n\n  more", "|", "- | a |\n  |---|\n  | x\\|‸ |\n\n  more"],
  [table("| x‸ | y‸ |"), "1", table("| x1‸ |  |")],
  [table("‸| x | y‸y |"), "1", table("| 1‸ | y |")],
  ["one ‸ two", "|", "one |‸ two"],
])("in %j, %j makes %j", (source, insert, expected) => {
  expect(typed(source, insert)).toBe(expected);
});

test("what is pasted into a cell stays in it", () => {
  expect(typed(table("| ‸ | y |"), "1 | 2\n3", "input.paste")).toBe(table("| 1 \\| 2 3‸ | y |"));
});

test.each([
  [table("| x‸ | y |"), ["Tab"], table("| x | ‸y‸ |")],
  [table("| x | y‸ |"), ["Tab"], `${table("| x | y |")}\n| ‸ |  |`],
  ["a | b\n--|--\nx | y‸\n", ["Tab"], "a | b\n--|--\nx | y\n| ‸ |  |\n"],
  ["- | a | b |\n  |---|---|\n  | x | y‸ |", ["Tab"], "- | a | b |\n  |---|---|\n  | x | y |\n  | ‸ |  |"],
  [table("| x‸ | y |"), ["Shift-Tab"], "| a | ‸b‸ |\n|---|---|\n| x | y |"],
  ["| ‸a | b |\n|---|---|\n| x | y |", ["Shift-Tab"], "| ‸a | b |\n|---|---|\n| x | y |"],
  ["| a | ‸b |\n|---|---|\n| x | y |", ["Enter"], table("| x | ‸y‸ |")],
  [table("| x | ‸y |"), ["Enter"], `${table("| x | y |")}\n\n‸`],
  [table("| x | ‸y |\n\nafter"), ["Enter"], table("| x | y |\n‸\nafter")],
  [table("| x | yy‸y |"), ["Home"], table("| x | ‸yyy |")],
  [table("| ‸xxx | y |"), ["End"], table("| xxx‸ | y |")],
  ["no table‸", ["Tab"], "no table‸"],
])("in %j, %j gives %j", (source, keys, expected) => {
  expect(pressed(source, ...keys)).toBe(expected);
});

test("a tick is one step that can be undone, and names its task", () => {
  const view = viewOf("- [ ] read *this*\n");
  const box = view.dom.querySelector("input");
  box?.click();
  expect([view.state.doc.toString(), box?.getAttribute("aria-label")]).toEqual(["- [x] read *this*\n", "read *this*"]);
  undo(view);
  expect(view.state.doc.toString()).toBe("- [ ] read *this*\n");
  view.destroy();
});

test("in a text that can't be changed boxes can't be ticked", () => {
  const view = viewOf("- [ ] a", { extensions: EditorState.readOnly.of(true) });
  expect(view.dom.querySelector("input")?.disabled).toBe(true);
  view.destroy();
});

test.each([
  ["[a](https://a.org/b)", 1, ["a.org", "https://a.org/b"]],
  ["[a][X  y]\n\n[x y]: https://a.org", 1, ["a.org", "https://a.org"]],
  ["[a][]\n\n[A]: https://a.org", 1, ["a.org", "https://a.org"]],
  ["[a][b]", 1, ["This link has no address."]],
  ["[see @pugh1987, p. 3]", 6, null],
  ["[-@王2019]", 3, null],
  ["[@b](https://a.org)", 1, ["a.org", "https://a.org"]],
  ["[a](javascript:x)", 1, ["This address can't be opened.", "javascript:x"]],
  ["see https://a.org now", 8, ["a.org", "https://a.org"]],
  ["[[note|name]]", 9, ["note"]],
  ["![[note|name]]", 10, ["note"]],
  ["a[^n]\n\n[^n]: The text.", 3, ["The text."]],
  ["a[^n]", 3, ["Footnote n has no text yet."]],
])("of %j the pointer is told at %i: %j", (doc, at, expected) => {
  const view = viewOf(doc);
  const found = linkAt(view.state, at);
  expect(found && describeLink(view.state, found)).toEqual(expected);
  view.destroy();
});

const DOCUMENT = `---\na: 1\n---\n\n# A *b*\n\n[l](https://a.org) $x$ [^1] [[n]]\n\n$$\nx\n$$\n\n${table("| *x* | y \\| z |")}\n\n- [ ] t\n  - u\n\n> q\n\n\`\`\`js\nlet a;\n\`\`\`\n\nT\n-\n\n[^1]: n\n`;

test("looking at a text, from anywhere, rendered or not, never changes it", () => {
  const view = viewOf(DOCUMENT);
  view.focus();
  for (let at = 0; at <= DOCUMENT.length; at += 1) {
    view.dispatch({ selection: { anchor: at } });
    if (at % 20 === 0) view.dispatch({ effects: shape.reconfigure(at % 40 === 0 ? [] : rendered(options)) });
  }
  for (const head of [0, 50, DOCUMENT.length]) view.dispatch({ selection: { anchor: 90, head } });
  expect([view.state.doc.toString(), undo(view)]).toEqual([DOCUMENT, false]);
  view.destroy();
});

const TYPED = ["a", "|", "||", "\\", "\n", "x\n\n| y |", "`", "$", "**", " ", "<b>", "[[", "日本", "\\|"];

/** Numbers that look random and are the same every time. */
function dice(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
}

test("whatever is typed, pasted or deleted at a cursor in a table, the table keeps its rows and cells", () => {
  const errors: unknown[] = [];
  const sink = EditorView.exceptionSink.of((error) => void errors.push(error));
  for (let seed = 1; seed <= 60; seed += 1) {
    const roll = dice(seed);
    const view = viewOf(`Text\n\n${table("| x | y \\| z |\n| | *w* |")}\n\nmore`, { extensions: sink });
    for (let step = 0; step < 20; step += 1) {
      const rows = view.state.doc.toString().split("\n").slice(2, -2);
      const from = 6 + roll(rows.join("\n").length + 1);
      const place = cellAt(view.state, from);
      if (!place) continue;
      view.dispatch({ selection: { anchor: from } });
      const kind = roll(3);
      if (kind === 0) view.dispatch({ changes: { from: Math.max(0, from - roll(6)), to: from }, userEvent: "delete.backward" });
      else if (kind === 1) view.dispatch({ changes: { from, to: Math.min(view.state.doc.length, from + roll(6)) }, userEvent: "delete.forward" });
      else view.dispatch({ changes: { from, insert: TYPED[roll(TYPED.length)] ?? "" }, userEvent: roll(2) === 0 ? "input.type" : "input.paste" });
    }
    const lines = view.state.doc.toString().split("\n");
    expect([lines.length, lines.slice(2, -2).map((line) => cellsOf(line, 0).length), lines.at(-1)], String(seed)).toEqual([8, [2, 2, 2, 2], "more"]);
    view.destroy();
  }
  expect(errors).toEqual([]);
});

const PIECES = ["# ", "*", "**", "`", "```js\n", "$", "$$\n", "[a](", "https://a.org)", "![", "[[n]]", "[^1]", "[^1]: ", "| a | b |\n|---|---|\n", "| c |", "---\n", "a: 1\n", "\n", "\n\n", "- ", "  - ", "- [ ] ", "> ", "<b>", "\\", "word", " ", "===\n", "日本", "🌊"];

test("any text can be shown and walked through in a view, which neither fails nor changes it", () => {
  const errors: unknown[] = [];
  const sink = EditorView.exceptionSink.of((error) => void errors.push(error));
  for (let seed = 1; seed <= 40; seed += 1) {
    const roll = dice(seed);
    const doc = Array.from({ length: 40 }, () => PIECES[roll(PIECES.length)]).join("");
    const view = viewOf(doc, { extensions: sink });
    view.focus();
    for (let step = 0; step < 10; step += 1) view.dispatch({ selection: { anchor: roll(doc.length + 1), head: roll(doc.length + 1) } });
    expect(view.state.doc.toString()).toBe(doc);
    view.destroy();
  }
  expect(errors).toEqual([]);
});
