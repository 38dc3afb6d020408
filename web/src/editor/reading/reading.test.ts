import { EditorState, Text } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { expect, test, vi } from "vitest";
import { countsOf, wordsIn, wordsOf } from "./counting";
import { dimming, paragraphAt } from "./dimming";

test.each(["", "one", " a tide  gauge\nrecords\n\n", "x y\n".repeat(5000)])("words of a document are those of its text", (text) => {
  const doc = Text.of(text.split("\n"));
  expect([wordsIn(doc), wordsOf(doc)]).toEqual([text.split(/\s+/).filter(Boolean).length, text.split(/\s+/).filter(Boolean).length]);
});

test("after an edit only the words around it are counted again", () => {
  const doc = Text.of(Array.from({ length: 5_000 }, () => "some words"));
  expect(wordsOf(doc)).toBe(10_000);
  const pieces = vi.spyOn(Object.getPrototypeOf(Text.empty) as Text, "children", "get");
  const words = wordsOf(doc.replace(4, 4, Text.of([" more"])));
  const counted = pieces.mock.calls.length;
  pieces.mockRestore();
  expect(words).toBe(10_001);
  expect(counted).toBeLessThan(10);
});

test("counts tell the selection, over several ranges, only when there is one", () => {
  const state = EditorState.create({ doc: "one two\nthree four\n", extensions: EditorState.allowMultipleSelections.of(true) });
  expect(countsOf(state)).toEqual({ words: 4, lines: 2, selected: null, line: 1 });
  const selected = state.update({ selection: { anchor: 0, head: 13 } }).state;
  expect(countsOf(selected)).toEqual({ words: 4, lines: 2, selected: 3, line: 2 });
});

test("a paragraph reaches from blank line to blank line", () => {
  const state = EditorState.create({ doc: "a\n\nb\nc\n\nd" });
  const at = (line: number) => paragraphAt(state, state.doc.line(line).from);
  expect([1, 2, 4, 6].map(at)).toEqual([{ first: 1, last: 1 }, { first: 2, last: 2 }, { first: 3, last: 4 }, { first: 6, last: 6 }]);
});

test("all paragraphs but the one at hand are dimmed, and the light follows the cursor", () => {
  const view = new EditorView({ parent: document.body, state: EditorState.create({ doc: "a\n\nb\nc\n\nd", extensions: dimming }) });
  const lit = () => [...view.dom.querySelectorAll(".cm-line:not(.cm-dim)")].map((line) => line.textContent);
  expect(lit()).toEqual(["a"]);
  view.dispatch({ selection: { anchor: 4 } });
  expect(lit()).toEqual(["b", "c"]);
  view.destroy();
});
