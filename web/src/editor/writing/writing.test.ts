import { CompletionContext } from "@codemirror/autocomplete";
import { markdown } from "@codemirror/lang-markdown";
import { EditorSelection, EditorState, type Extension } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { GFM } from "@lezer/markdown";
import { expect, test } from "vitest";
import { completionSource } from "../completing";
import { format, type Format, noteLinks, type NotesAround, writing } from ".";
import { pastedLink } from "./formatting";

/** An editor whose text has its selections between ⟨ and ⟩, or its cursor at |. */
function opened(drawn: string, extra: Extension = []) {
  const ranges: { anchor: number; head: number }[] = [];
  let doc = "";
  for (const sign of drawn) {
    if (sign === "⟨") ranges.push({ anchor: doc.length, head: doc.length });
    else if (sign === "⟩") ranges[ranges.length - 1] = { anchor: ranges.at(-1)?.anchor ?? 0, head: doc.length };
    else if (sign === "|") ranges.push({ anchor: doc.length, head: doc.length });
    else doc += sign;
  }
  const selection = EditorSelection.create(ranges.map(({ anchor, head }) => EditorSelection.range(anchor, head)));
  return new EditorView({ parent: document.body, state: EditorState.create({ doc, selection, extensions: [markdown({ extensions: GFM }), writing(true), extra] }) });
}

function drawn({ state }: EditorView): string {
  const signs = state.selection.ranges.flatMap(({ empty, from, to }): [number, string][] => (empty ? [[from, "|"]] : [[from, "⟨"], [to, "⟩"]]));
  return signs.toReversed().reduce((text, [at, sign]) => text.slice(0, at) + sign + text.slice(at), state.doc.toString());
}

function after(before: string, wanted: Format): string {
  const view = opened(before);
  format(view, wanted);
  const found = drawn(view);
  view.destroy();
  return found;
}

test.each<[Format, string, string]>([
  ["bold", "A ⟨wide⟩ river", "A **⟨wide⟩** river"],
  ["bold", "A **⟨wide⟩** river", "A ⟨wide⟩ river"],
  ["bold", "A ⟨**wide**⟩ river", "A ⟨wide⟩ river"],
  ["bold", "A wi|de river", "A **wi|de** river"],
  ["bold", "A **wi|de** river", "A wi|de river"],
  ["bold", "A |", "A **|**"],
  ["bold", "A ⟨wide ⟩river", "A **⟨wide⟩** river"],
  ["bold", "⟨A **wide** river⟩", "**⟨A wide river⟩**"],
  ["bold", "⟨- one\n- two⟩", "⟨- **one**\n- **two⟩**"],
  ["italic", "A **⟨wide⟩** river", "A ***⟨wide⟩*** river"],
  ["code", "Call ⟨run⟩", "Call `⟨run⟩`"],
  ["strikethrough", "~~⟨Old⟩~~ new", "⟨Old⟩ new"],
  ["heading-2", "Ti|des", "## Ti|des"],
  ["heading-2", "# Ti|des", "## Ti|des"],
  ["heading-2", "## Ti|des", "Ti|des"],
  ["paragraph", "### Ti|des", "Ti|des"],
  ["bullets", "⟨one\n\ntwo⟩", "- ⟨one\n\n- two⟩"],
  ["numbers", "⟨- one\n- two⟩", "⟨1. one\n2. two⟩"],
  ["numbers", "1. ⟨one\n2. two⟩", "⟨one\ntwo⟩"],
  ["tasks", "- o|ne", "- [ ] o|ne"],
  ["tasks", "- [x] o|ne", "o|ne"],
  ["quote", "⟨one\ntwo⟩", "> ⟨one\n> two⟩"],
  ["quote", "> o|ne", "o|ne"],
  ["link", "See ⟨the table⟩.", "See [the table](|)."],
  ["link", "See ⟨https://a.example⟩.", "See [|](https://a.example)."],
])("%s: %s becomes %s", (wanted, before, expected) => {
  expect(after(before, wanted)).toBe(expected);
});

test("two selections are marked at once", () => {
  expect(after("⟨one⟩ and ⟨two⟩", "bold")).toBe("**⟨one⟩** and **⟨two⟩**");
});

test("a sign that is typed over a selection goes around it", () => {
  const view = opened("A ⟨wide⟩ river");
  const handled = view.state.facet(EditorView.inputHandler).some((handle) => handle(view, 2, 6, "*", () => view.state.update({})));
  expect([handled, drawn(view)]).toEqual([true, "A *⟨wide⟩* river"]);
  view.destroy();
});

test.each([
  ["See ⟨the table⟩", "https://a.example/b", "See [the table](https://a.example/b)|"],
  ["See ⟨https://b.example⟩", "https://a.example", null],
  ["See `⟨code⟩`", "https://a.example", null],
  ["See ⟨the table⟩", "no address", null],
  ["See |", "https://a.example", null],
])("%s with %s pasted over it", (before, pasted, expected) => {
  const view = opened(before);
  const spec = pastedLink(view.state, pasted);
  if (spec) view.dispatch(spec);
  expect(spec ? drawn(view) : null).toBe(expected);
  view.destroy();
});

const NOTES: NotesAround = {
  named: (query) => Promise.resolve(["notes/Tides.md", "old/Tides.md", "Waves.md"].filter((path) => path.toLowerCase().includes(query.toLowerCase()))),
  tags: () => Promise.resolve([{ tag: "tide", count: 3 }, { tag: "work/now", count: 1 }]),
  headings: (from, name) => Promise.resolve(name === "Tides" ? ["Spring", "Neap"] : [`of ${from}`]),
};

async function offered(before: string): Promise<{ view: EditorView; labels: string[]; take: (label: string) => string }> {
  const view = opened(before, noteLinks("here.md", NOTES));
  const context = new CompletionContext(view.state, view.state.selection.main.head, false);
  const [source] = view.state.facet(completionSource);
  const found = await source?.(context);
  const take = (label: string) => {
    const option = found?.options.find((one) => `${one.label} ${one.detail ?? ""}`.trim() === label);
    if (typeof option?.apply === "function") option.apply(view, option, found?.from ?? 0, view.state.selection.main.head);
    return drawn(view);
  };
  return { view, labels: found?.options.map((one) => `${one.label} ${one.detail ?? ""}`.trim()) ?? [], take };
}

test("two brackets offer the folder's notes; one of two that are called the same is named by its path", async () => {
  const { labels, take } = await offered("See [[ti|");
  expect(labels).toEqual(["Tides notes", "Tides old"]);
  expect(take("Tides old")).toBe("See [[old/Tides]]|");
});

test("a link that is closed already is not closed twice", async () => {
  const { take } = await offered("See [[wa|]] there");
  expect(take("Waves")).toBe("See [[Waves]]| there");
});

test("a sign for a heading offers the note's headings, or those of the text itself", async () => {
  expect((await offered("See [[Tides#ne|")).labels).toEqual(["Neap"]);
  expect((await offered("See [[#|")).labels).toEqual(["of here.md"]);
  expect((await offered("See [one|")).labels).toEqual([]);
});

test("a sign before a word offers the folder's tags, but not in code, and none alone", async () => {
  const tags = async (before: string) => {
    const view = opened(before, noteLinks("here.md", NOTES));
    const context = new CompletionContext(view.state, view.state.selection.main.head, false);
    const found = await view.state.facet(completionSource)[1]?.(context);
    return found ? [found.from, ...found.options.map(({ label }) => label)] : null;
  };
  expect(await tags("About #ti|")).toEqual([7, "tide", "work/now"]);
  expect(await tags("(#work/n|")).toEqual([2, "tide", "work/now"]);
  expect(await tags("About #tide|")).toEqual([7, "work/now"]);
  expect([await tags("#|"), await tags("a#ti|"), await tags("`#ti|`"), await tags("```\n#ti|\n```")]).toEqual([null, null, null, null]);
});
