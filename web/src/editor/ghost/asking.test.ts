import { EditorSelection } from "@codemirror/state";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { suggest } from "./commands";
import { staged } from "./fake-source";
import { restOf } from "../../ghost/ghost";
import { dismiss } from "./state";

beforeEach(() => { vi.useFakeTimers(); });
afterEach(() => {
  vi.useRealTimers();
  document.body.replaceChildren();
});

test("two plusses typed quickly go, and ask how the text goes on", () => {
  const { source, text, type, field, head } = staged("The tide, and", { at: 8 });
  type("++");
  expect([text(), head(), source.asked]).toEqual(["The tide, and", 8, [{ path: "a.md", prefix: "The tide", suffix: ", and", language: null }]]);
  expect(field()?.phase).toBe("loading");
});

test("two plusses typed slowly, in other places or by other means stay", () => {
  const { source, text, type, view } = staged("The tide ");
  type("+");
  vi.advanceTimersByTime(301);
  type("+");
  expect([text(), source.asked]).toEqual(["The tide ++", []]);
  view.dispatch({ selection: EditorSelection.cursor(0) });
  type("+");
  view.dispatch({ selection: EditorSelection.cursor(5) });
  type("+");
  view.dispatch({ changes: { from: 0, insert: "++" }, userEvent: "input.paste" });
  expect([text(), source.asked]).toEqual(["+++The +tide ++", []]);
});

test("a name such as C++ is written as ever", () => {
  const { source, text, type } = staged("");
  type("C++ and i++ and a+++b, 5++");
  expect([text(), source.asked]).toEqual(["C++ and i++ and a+++b, 5++", []]);
});

test("a third plus gives the plusses back", () => {
  const { text, type, field, source } = staged("");
  type("+++");
  expect([text(), field(), source.signals.map((one) => one.aborted)]).toEqual(["+++", null, [true]]);
  type("+++");
  expect(text()).toBe("++++++");
});

test("the plusses and their going are steps of their own", () => {
  const { type, steps } = staged();
  type("++");
  expect(steps()).toBe(2);
});

test("nothing is asked when suggestions are off, a text is only read, or something is selected", () => {
  const off = staged();
  off.source.now = { ...off.source.now, suggest: "off" };
  off.type("++");
  const read = staged("The tide", { isReadOnly: true });
  const chosen = staged();
  chosen.view.dispatch({ selection: { anchor: 0, head: 3 } });
  expect([off, read, chosen].map(({ view }) => suggest(view))).toEqual([false, false, false]);
  expect([off.text(), off.source.asked, read.source.asked, chosen.source.asked]).toEqual(["The tide++", [], [], []]);
});

test("keys mean what they always mean until a suggestion shows", async () => {
  const { view, press, field, source } = staged();
  suggest(view);
  await source.say(" rises.");
  for (const key of ["Tab", "Enter", "ArrowRight", "ArrowUp"]) expect([key, press(key)]).toEqual([key, true]);
  await vi.advanceTimersByTimeAsync(100);
  expect(field()?.phase).toBe("active");
  // It is in the state, but not yet on the screen: the key was pressed before.
  expect([press("Tab"), field()]).toEqual([true, null]);
});

test("what is typed meanwhile shortens the answer, or makes it void", async () => {
  const { view, type, field, source, press, text } = staged();
  suggest(view);
  type(" ri");
  await source.say(" falls.", " rises.");
  await vi.advanceTimersByTimeAsync(200);
  const left = field();
  expect([left?.items.length, left && restOf(left)]).toEqual([1, "ses."]);
  press("Tab");
  expect([text(), source.outcomes]).toEqual(["The tide rises.", [["id1", { outcome: "accepted", index: 1, characters: 4 }]]]);
  suggest(view);
  type("X");
  await source.say(" It falls.");
  await source.end();
  expect(field()).toBe(null);
});

test("an answer follows changes elsewhere, and is void after changes or moves here", async () => {
  const { view, field, source, press, text } = staged("The tide\nEnd", { at: 8 });
  suggest(view);
  view.dispatch({ changes: [{ from: 0, insert: "So: " }, { from: 12, insert: "!" }] });
  await source.say(" rises.");
  await vi.advanceTimersByTimeAsync(200);
  view.dispatch({ changes: { from: 0, to: 4 } });
  press("Tab");
  expect(text()).toBe("The tide rises.\nEnd!");
  for (const spec of [{ changes: { from: 14, to: 15 } }, { selection: { anchor: 3 } }, { changes: { from: 15, insert: "x" } }, { selection: { anchor: 10, head: 15 } }]) {
    view.dispatch({ selection: { anchor: 15 } });
    suggest(view);
    expect(field()?.phase).toBe("loading");
    view.dispatch(spec);
    expect([spec, field(), source.signals.at(-1)?.aborted]).toEqual([spec, null, true]);
    await source.say(" late");
    expect(field()).toBe(null);
  }
});

test("the answer to an earlier asking never comes in for a later one", async () => {
  const { view, field, source } = staged();
  suggest(view);
  suggest(view);
  expect(source.signals.map((one) => one.aborted)).toEqual([true, false]);
  await source.say(" new.");
  expect(field()?.items.map(({ text }) => text)).toEqual([" new."]);
});

test("who asked is told after a moment that nothing is there yet, who only paused is not", async () => {
  const { source, type, view, field } = staged();
  suggest(view);
  await vi.advanceTimersByTimeAsync(99);
  expect(field()?.isLate).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  expect([field()?.phase, field()?.isLate]).toEqual(["loading", true]);
  await source.say(" rises.");
  await vi.advanceTimersByTimeAsync(0);
  expect(field()?.phase).toBe("active");
  source.now = { ...source.now, suggest: "pause" };
  view.focus();
  type("b");
  await vi.advanceTimersByTimeAsync(2000);
  expect([source.asked.length, field()?.phase, field()?.isLate]).toEqual([2, "loading", false]);
});

test("a pause in typing asks, if that is wanted, and only after typing", async () => {
  const { source, type, view } = staged();
  type(" a");
  await vi.advanceTimersByTimeAsync(1000);
  expect(source.asked).toEqual([]);
  source.now = { ...source.now, suggest: "pause" };
  view.focus();
  type("b");
  await vi.advanceTimersByTimeAsync(599);
  type("c");
  await vi.advanceTimersByTimeAsync(599);
  expect(source.asked).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  expect(source.asked.map(({ prefix }) => prefix)).toEqual(["The tide abc"]);
  view.dispatch({ effects: dismiss.of(null) });
  view.dispatch({ changes: { from: 0, insert: "By others. " } });
  await vi.advanceTimersByTimeAsync(5000);
  expect(source.asked.length).toBe(1);
});

test("no answer ends without a word; of one that fails, whoever asked hears why", async () => {
  const { field, view, source } = staged();
  suggest(view);
  await source.end();
  expect([field(), source.outcomes]).toEqual([null, []]);
  source.ask = () => ({ [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(new Error("down")) }) });
  suggest(view);
  await vi.advanceTimersByTimeAsync(0);
  expect([field(), source.failures]).toEqual([null, [new Error("down")]]);
});

test("composing, clicking and leaving end it", async () => {
  for (const event of [new CompositionEvent("compositionstart"), new MouseEvent("mousedown"), new FocusEvent("blur")]) {
    const { field, view, source } = staged();
    suggest(view);
    await source.say(" rises.");
    await vi.advanceTimersByTimeAsync(200);
    view.contentDOM.dispatchEvent(event);
    expect([event.type, field()]).toEqual([event.type, null]);
    view.destroy();
  }
});

test("a request holds as much of the text as is useful, and no half characters", () => {
  const { source, view } = staged("😀".repeat(6000), { at: 9000 });
  suggest(view);
  const [request] = source.asked;
  expect([request?.prefix.length, request?.suffix.length, request?.prefix.isWellFormed(), request?.suffix.isWellFormed()]).toEqual([8192, 2048, true, true]);
  view.dispatch({ selection: { anchor: 9001 } });
  suggest(view);
  expect(source.asked[1]?.prefix.length).toBe(8191);
});
