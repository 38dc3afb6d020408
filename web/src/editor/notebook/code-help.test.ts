import { expect, test, vi } from "vitest";
import { joinedCell } from "./cells-text";
import type { KernelKnowledge } from "./code-help";
import { opened } from "./fake-notebook";

function inCode(source: string, known: Partial<Record<"complete" | "help", unknown>>) {
  const knowledge = { complete: vi.fn(() => Promise.resolve(known.complete)), help: vi.fn(() => Promise.resolve(known.help)) };
  // What the fake answers is what each test says.
  const { edit } = opened(joinedCell("code", "one", source), knowledge as unknown as KernelKnowledge);
  const { view } = edit("one");
  view.dispatch({ selection: { anchor: source.length } });
  const press = (key: string, shiftKey = false) => !view.contentDOM.dispatchEvent(new KeyboardEvent("keydown", { key, shiftKey, bubbles: true, cancelable: true }));
  const card = () => view.dom.querySelector(".cell-help")?.textContent ?? null;
  return { view, knowledge, press, card };
}

const items = (...names: string[]) => names.map((text) => ({ text, type: "function" }));

test("the only way in which a name goes on is written at once", async () => {
  const { view, press, knowledge } = inCode("x = pri", { complete: { start: 4, end: 7, items: items("print"), note: "" } });
  expect(press("Tab")).toBe(true);
  await vi.waitFor(() => { expect(view.state.doc.toString()).toBe("x = print"); });
  expect(knowledge.complete).toHaveBeenCalledWith("x = pri", "");
});

test("of several ways a list is offered, and Tab takes the first", async () => {
  const { view, press } = inCode("tide.", { complete: { start: 5, end: 5, items: items("level", "hour"), note: "" } });
  press("Tab");
  await vi.waitFor(() => { expect([...view.dom.querySelectorAll(".cm-completionLabel")].map((one) => one.textContent)).toEqual(["level", "hour"]); });
  press("Tab");
  expect(view.state.doc.toString()).toBe("tide.level");
});

test("at the beginning of a line Tab indents, and Shift+Tab takes that back", () => {
  const { view, press, knowledge } = inCode("if x:\n", {});
  press("Tab");
  expect(view.state.doc.toString()).toBe("if x:\n    ");
  press("Tab", true);
  expect(view.state.doc.toString()).toBe("if x:\n");
  expect([knowledge.complete.mock.calls, knowledge.help.mock.calls]).toEqual([[], []]);
});

test("Shift+Tab says what a name is until the person goes on", async () => {
  const { view, press, card, knowledge } = inCode("len(", { help: { text: "Return the number of items.", note: "" } });
  press("Tab", true);
  await vi.waitFor(() => { expect(card()).toBe("Return the number of items."); });
  expect(knowledge.help).toHaveBeenCalledWith("len(", "");
  expect([press("Escape"), card()]).toEqual([true, null]);
  press("Tab", true);
  await vi.waitFor(() => { expect(card()).not.toBeNull(); });
  view.dispatch({ changes: { from: 4, insert: "x" } });
  expect(card()).toBeNull();
});

test("why nothing is known is said, and an answer for a place that was left is not", async () => {
  const { view, press, card } = inCode("pri", { complete: { start: 3, end: 3, items: [], note: "No kernel is running yet." } });
  press("Tab");
  await vi.waitFor(() => { expect(card()).toBe("No kernel is running yet."); });
  view.dispatch({ selection: { anchor: 2 } });
  press("Tab");
  view.dispatch({ selection: { anchor: 1 } });
  await Promise.resolve();
  await Promise.resolve();
  expect(card()).toBeNull();
});
