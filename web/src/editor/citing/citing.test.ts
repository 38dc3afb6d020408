import { CompletionContext } from "@codemirror/autocomplete";
import { markdown } from "@codemirror/lang-markdown";
import { ensureSyntaxTree, syntaxTree } from "@codemirror/language";
import { EditorState, Text } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { expect, test, vi } from "vitest";
import { completionSource } from "../completing";
import type { CitingAround } from "./around";
import { citationsIn, crossReferencesIn, headOf } from "./citations";
import { citing, entriesAt } from "./index";
import { namesOf, printedOf, setPrinted } from "./printing";

function citedIn(doc: string): string[] {
  const state = EditorState.create({ doc, extensions: markdown() });
  ensureSyntaxTree(state, doc.length, 60_000);
  // The next state knows what was parsed since.
  return citationsIn(state.update({}).state).map(({ text, keys }) => `${text} → ${keys.map(({ key }) => key).join(" ")}`);
}

test("citations are found as pandoc reads them, and nothing else is", () => {
  const text = "---\ntitle: By @nobody\n---\n\nBy @munk1966: see [@pugh1987, p. 117; -@a_b:c.d] and @{odd key?}, [-@x].\n\nNot ann@example.org, `@code`, [@link](a.md), @fig:one.\n\n```\n@code\n```\n";
  expect(citedIn(text)).toEqual(["@munk1966 → munk1966", "[@pugh1987, p. 117; -@a_b:c.d] → pugh1987 a_b:c.d", "[-@x] → x"]);
});

test("keys are found in any script", () => {
  expect(citedIn("By @王2019 and [@müller2001, S. 3; @достоевский1866]; not by иван@пример.рф.")).toEqual(["@王2019 → 王2019", "[@müller2001, S. 3; @достоевский1866] → müller2001 достоевский1866"]);
});

test("a text is read once, however often the cursor moves", () => {
  const state = EditorState.create({ doc: "By @pugh1987, see @fig:one.", extensions: markdown() });
  const read = vi.spyOn(syntaxTree(state), "resolveInner");
  expect([citationsIn(state).length, crossReferencesIn(state).length, read.mock.calls.length]).toEqual([1, 1, 2]);
  const moved = state.update({ selection: { anchor: 4 } }).state;
  expect([citationsIn(moved).length, crossReferencesIn(moved).length, read.mock.calls.length]).toEqual([1, 1, 2]);
});

test.each([
  ["---\ntitle: a\n---\nb", "---\ntitle: a\n---\n"],
  ["--- \na: b\n... \n", "--- \na: b\n... \n"],
  ["---\na: b\n---", "---\na: b\n---"],
  ["---\na: b\n", ""],
  ["---", ""],
  ["----\na: b\n---\n", ""],
  ["a\n---\na: b\n---\n", ""],
])("front matter of %j", (text, head) => {
  expect(headOf(Text.of(text.split("\n")))).toBe(head);
});

test("citations that are written alike have names of their own", () => {
  expect(namesOf([{ text: "@a" }, { text: "@b" }, { text: "@a" }])).toEqual(["0 @a", "0 @b", "1 @a"]);
});

function shown(doc: string, unknown: string[], isRendered: boolean): { view: EditorView; around: CitingAround } {
  const around: CitingAround = {
    print: () => new Promise(() => undefined),
    find: () => Promise.resolve([]),
    papers: () => Promise.resolve([]),
    addPaper: () => Promise.resolve(null),
    quotations: () => Promise.resolve([
      { start: 2, end: 12, verdict: "not-found" as const, title: "Quotation not found in a" },
      { start: 20, end: 25, verdict: "no-text" as const, title: "" },
    ]),
    toldClaims: vi.fn(),
    open: vi.fn(),
    openPdf: vi.fn(),
    add: vi.fn(),
    told: vi.fn(),
  };
  const view = new EditorView({ parent: document.body, state: EditorState.create({ doc, extensions: [markdown(), citing({ path: "a.md", around, isRendered: () => isRendered })] }) });
  const citations = citationsIn(view.state);
  const answer = { citations: citations.map((_, at) => [{ text: `(Work ${String(at)})`, look: "plain" as const }]), bibliography: [[{ text: "Pugh", look: "plain" as const }, { text: "Tides", look: "italic" as const }]], unknown };
  view.dispatch({ effects: setPrinted.of(printedOf(citations, answer)) });
  return { view, around };
}

test("a rendered text shows citations as they print, unknown keys with a way to add them, and the bibliography", () => {
  const { view, around } = shown("By @pugh1987 and [@gone].", ["gone"], true);
  expect(view.contentDOM.querySelector(".cm-cite")?.textContent).toBe("(Work 0)");
  expect(view.contentDOM.querySelector(".cm-cite-unknown")?.textContent).toBe("gone");
  expect(view.contentDOM.querySelector(".cm-bibliography em")?.textContent).toBe("Tides");
  view.contentDOM.querySelector<HTMLButtonElement>(".cm-cite-add")?.click();
  expect(around.add).toHaveBeenCalledWith("gone");
  view.destroy();
});

test("the bibliography stands in place of its lines, unless the cursor is in them", () => {
  const { view } = shown("By @pugh1987.\n\n::: {#refs}\n:::\n\nThe end.", [], true);
  const lines = () => [...view.contentDOM.children].map((line) => line.textContent);
  expect(lines()).toEqual(["By (Work 0).", "", "PughTides", "", "The end."]);
  view.dispatch({ selection: { anchor: 18 } });
  expect(lines().slice(2, 5)).toEqual(["::: {#refs}", ":::", "PughTides"]);
  view.destroy();
});

test.each([
  ["By @pugh1987.", "ReferencesPughTides"],
  ["---\nreference-section-title: 'Sources'\n---\n\nBy @pugh1987.", "SourcesPughTides"],
  ["---\nlang: de\n---\n\nBy @pugh1987.", "LiteraturPughTides"],
  ["By @pugh1987.\n\n## Literature\n", "PughTides"],
])("the bibliography has the heading that is printed: %j", (text, said) => {
  const { view } = shown(text, [], true);
  expect(view.contentDOM.querySelector(".cm-bibliography")?.textContent).toBe(said);
  view.destroy();
});

test("what is typed behind @ is completed from the library, then from papers, in any script", async () => {
  const { view, around } = shown("So @", [], false);
  const rows = [{ key: "王2019", title: "Tides", who: "王", year: "2019", container: "", pdf: null }];
  const find = vi.spyOn(around, "find").mockImplementation((_, query) => Promise.resolve(query === "王" ? rows : []));
  const papers = vi.spyOn(around, "papers").mockResolvedValue([{ title: "Tidal spectroscopy", who: "Munk", year: "1966", doi: "10.1/x" }]);
  const addPaper = vi.spyOn(around, "addPaper").mockResolvedValue("munk1966");
  async function offered(typed: string) {
    view.dispatch({ changes: { from: 4, to: view.state.doc.length, insert: typed }, selection: { anchor: 4 + typed.length } });
    const [source] = view.state.facet(completionSource);
    return source?.(new CompletionContext(view.state, view.state.selection.main.head, true));
  }
  expect((await offered("王"))?.options.map(({ label, detail }) => [label, detail])).toEqual([["王2019", "王, 2019"]]);
  expect(papers).not.toHaveBeenCalled();
  const [paper] = (await offered("munk1966"))?.options ?? [];
  expect([paper?.label, papers.mock.calls[0]?.[0], find.mock.lastCall?.[1]]).toEqual(["Tidal spectroscopy", "munk 1966", "munk1966"]);
  if (typeof paper?.apply === "function") paper.apply(view, paper, 4, view.state.doc.length);
  await vi.waitFor(() => { expect(view.state.doc.toString()).toBe("So @munk1966"); });
  expect(addPaper).toHaveBeenCalledWith("10.1/x");
  view.destroy();
});

test("the pointer on a key shows its entry, and on a citation all of its entries", async () => {
  const { view, around } = shown("By [@a; @b; @gone].", [], false);
  vi.spyOn(around, "find").mockImplementation((_, key) => Promise.resolve(key === "gone" ? [] : [{ key, title: `Work ${key}`, who: "", year: "", container: "", pdf: null }]));
  const told = async (at: number) => {
    const found = await entriesAt("a.md", around)(view, at);
    return [...(found?.create(view).dom.querySelectorAll(".cm-cite-title") ?? [])].map(({ textContent }) => textContent);
  };
  expect([await told(3), await told(9), await told(14), await told(0)]).toEqual([["Work a", "Work b"], ["Work b"], [], []]);
  view.destroy();
});

test("the source stays as it is typed", () => {
  const { view } = shown("By @pugh1987.", [], false);
  expect(view.contentDOM.textContent).toBe("By @pugh1987.");
  view.destroy();
});

test("a claim without a source is marked, and a quotation that its source does not have", async () => {
  vi.useFakeTimers();
  const { view, around } = shown("A “quotation” [@a] and a claim [citation?].", [], false);
  expect(view.dom.querySelector(".cm-claim")?.textContent).toBe("[citation?]");
  await vi.advanceTimersByTimeAsync(2000);
  expect(around.toldClaims).toHaveBeenCalledWith("a.md", 1);
  const marks = [...view.dom.querySelectorAll<HTMLElement>(".cm-quotation")];
  expect(marks.map(({ textContent, title }) => [textContent, title])).toEqual([["“quotation”".slice(0, 10), "Quotation not found in a"]]);
  view.destroy();
  vi.useRealTimers();
});
