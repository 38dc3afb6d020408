import { markdown, markdownLanguage } from "@codemirror/lang-markdown";
import { syntaxTreeAvailable } from "@codemirror/language";
import { EditorState } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { readOn } from "./read-on";
import { renderedSyntax } from "./syntax";

beforeEach(() => { vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }); });
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

test.each([true, false])("what a slow parser has not reached within its time is read on: %s", (isOn) => {
  // Each look at the clock finds that a second has gone: the parser's own time is over at once.
  let now = 0;
  vi.spyOn(Date, "now").mockImplementation(() => (now += 1000));
  const doc = "Some *words*.\n\n- an item\n\n".repeat(100);
  const language = markdown({ base: markdownLanguage, extensions: renderedSyntax });
  const view = new EditorView({ state: EditorState.create({ doc, extensions: [language, isOn ? readOn : []] }) });
  const isRead = () => syntaxTreeAvailable(view.state, view.viewport.to);
  expect(isRead()).toBe(false);
  vi.advanceTimersByTime(3_900);
  expect(isRead()).toBe(false);
  vi.advanceTimersByTime(60_000);
  expect(isRead()).toBe(isOn);
  view.destroy();
});

test("whoever types goes first, and what is on the screen is read once they pause", () => {
  let now = 0;
  vi.spyOn(Date, "now").mockImplementation(() => (now += 1000));
  const doc = "Some *words*.\n\n- an item\n\n".repeat(100);
  const view = new EditorView({ state: EditorState.create({ doc, extensions: [markdown({ base: markdownLanguage, extensions: renderedSyntax }), readOn] }) });
  const told = vi.spyOn(view, "dispatch");
  // The parser's own work tells of itself by an effect.
  const slices = () => told.mock.calls.filter(([spec]) => !("effects" in (spec as object))).length;
  vi.advanceTimersByTime(4_000);
  expect(slices()).toBe(1);
  for (let key = 1; key <= 20; key += 1) {
    view.update([view.state.update({ changes: { from: 0, insert: "a" } })]);
    vi.advanceTimersByTime(100);
  }
  expect(slices()).toBe(1);
  vi.advanceTimersByTime(400);
  expect(slices()).toBe(2);
  view.destroy();
});
