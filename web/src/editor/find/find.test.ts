import { getSearchQuery, openSearchPanel, SearchQuery, setSearchQuery } from "@codemirror/search";
import { EditorState } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { afterEach, expect, test } from "vitest";
import { finding, openReplacing } from ".";
import { MOST, placesOf, tallyOf, tallyText } from "./tally";

let steps: string[] = [];
let view: EditorView;

function show(doc: string, readOnly = false): HTMLElement {
  steps = [];
  const watch = EditorView.updateListener.of((update) => { if (update.docChanged) steps.push("changed"); });
  view = new EditorView({ parent: document.body, state: EditorState.create({ doc, extensions: [finding({ endStep: () => steps.push("step") }), EditorState.readOnly.of(readOnly), watch] }) });
  openSearchPanel(view);
  return view.dom;
}

afterEach(() => { view.destroy(); });

function part(name: string): HTMLElement {
  const found = view.dom.querySelector<HTMLElement>(`[aria-label="${name}"]`) ?? [...view.dom.querySelectorAll("button")].find((one) => one.textContent === name);
  if (!found) throw new Error(`There is no ${name}.`);
  return found;
}

function field(name: string): HTMLInputElement {
  const found = part(name);
  if (!(found instanceof HTMLInputElement)) throw new Error(`${name} is no field.`);
  return found;
}

function type(name: string, text: string): void {
  const input = field(name);
  input.value = text;
  input.dispatchEvent(new Event("input", { bubbles: true }));
}

const press = (name: string, init: KeyboardEventInit) => part(name).dispatchEvent(new KeyboardEvent("keydown", { bubbles: true, cancelable: true, ...init }));
const count = () => view.dom.querySelector(".find-count")?.textContent;

test("typing counts, Enter goes on, Shift+Enter goes back, round the end", () => {
  show("tide and Tide and tide");
  type("Find", "tide");
  expect(count()).toBe("3");
  press("Find", { key: "Enter" });
  expect([count(), view.state.selection.main.from]).toEqual(["1 of 3", 0]);
  press("Find", { key: "Enter", shiftKey: true });
  expect([count(), view.state.selection.main.from]).toEqual(["3 of 3", 18]);
});

test("case, whole words and regular expressions are switches", () => {
  show("tide Tide tides a.b axb");
  type("Find", "tide");
  part("Match case").click();
  expect(count()).toBe("2");
  part("Whole words").click();
  expect([count(), part("Whole words").getAttribute("aria-pressed")]).toEqual(["1", "true"]);
  type("Find", "a.b");
  part("Whole words").click();
  expect(count()).toBe("1");
  part("Regular expression").click();
  expect(count()).toBe("2");
  type("Find", "(");
  expect([count(), part("Find").getAttribute("aria-invalid")]).toEqual(["Not a regular expression", "true"]);
});

test("replacing all is one change and one step for undo", () => {
  show("tide and tide");
  type("Find", "tide");
  type("Replace with", "wave");
  part("Replace all").click();
  expect([view.state.doc.toString(), steps, count()]).toEqual(["wave and wave", ["step", "changed", "step"], "Nothing found"]);
});

test("replacing one goes on to the next", () => {
  show("tide and tide");
  type("Find", "tide");
  type("Replace with", "wave");
  press("Find", { key: "Enter" });
  press("Replace with", { key: "Enter" });
  expect([view.state.doc.toString(), count()]).toEqual(["wave and tide", "1 of 1"]);
});

test("a text that can't be changed offers no replacing, and a sought backslash is one", () => {
  const dom = show("a\\nb\nc", true);
  expect(dom.querySelector('[aria-label="Replace with"]')).toBeNull();
  type("Find", "\\n");
  expect(count()).toBe("1");
});

test("a search asked for elsewhere shows in the bar, and Escape closes it", () => {
  const dom = show("one two");
  view.dispatch({ effects: setSearchQuery.of(new SearchQuery({ search: "two", caseSensitive: true })) });
  expect([field("Find").value, part("Match case").getAttribute("aria-pressed")]).toEqual(["two", "true"]);
  press("Find", { key: "Escape" });
  expect([dom.querySelector(".find-bar"), getSearchQuery(view.state).search]).toEqual([null, "two"]);
});

test("very many places are counted up to a limit", () => {
  const state = EditorState.create({ doc: "a".repeat(MOST + 5) });
  const query = new SearchQuery({ search: "a" });
  const tally = tallyOf(placesOf(query, state), { from: 1, to: 2 });
  expect(tallyText(query, tally)).toBe("2 of 1,000+");
});

test("replacing begins in its own field, and only finding where nothing can be changed", () => {
  show("High water");
  openReplacing(view);
  expect(document.activeElement).toBe(field("Replace with"));
  view.destroy();
  show("High water", true);
  openReplacing(view);
  expect(document.activeElement).toBe(field("Find"));
});
