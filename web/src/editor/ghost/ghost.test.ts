import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { asking, suggest } from "./commands";
import { staged } from "./fake-source";
import { restOf } from "../../ghost/ghost";

function setUp(...how: Parameters<typeof staged>) {
  const stage = staged(...how);
  const show = async (...texts: string[]) => {
    suggest(stage.view);
    await stage.source.say(...texts);
    await vi.advanceTimersByTimeAsync(200);
  };
  return { ...stage, show };
}

beforeEach(() => { vi.useFakeTimers(); });
afterEach(() => {
  vi.useRealTimers();
  document.body.replaceChildren();
});

test("the first suggestion shows as soon as it is there, the others are counted", async () => {
  const { source, view, field } = setUp();
  suggest(view);
  await vi.advanceTimersByTimeAsync(500);
  await source.say(" rises.");
  await vi.advanceTimersByTimeAsync(0);
  expect(field()?.phase).toBe("active");
  await source.say(" falls.", " rises.", " turns.");
  expect([field()?.items.map(({ text }) => text), field()?.index]).toEqual([[" rises.", " falls.", " turns."], 0]);
});

test("an answer that is there at once shows after a moment, so that nothing flickers", async () => {
  const { source, view, field } = setUp();
  suggest(view);
  await source.say(" rises.");
  await vi.advanceTimersByTimeAsync(99);
  expect(field()?.phase).toBe("loading");
  await vi.advanceTimersByTimeAsync(1);
  expect(field()?.phase).toBe("active");
});

test.each([["Tab", true], ["Tab", false], ["Enter", true], ["ArrowRight", true]])("%s accepts all, asked: %s", async (key, isAsked) => {
  const { source, view, text, field, head, press, steps } = setUp();
  view.dispatch({ effects: asking(isAsked) });
  await source.say(" rises.\nAnd falls. \n");
  await vi.advanceTimersByTimeAsync(200);
  expect(press(key)).toBe(false);
  expect([text(), head(), field(), steps()]).toEqual(["The tide rises.\nAnd falls.", 26, null, 2]);
  expect(source.outcomes).toEqual([["id1", { outcome: "accepted", index: 0, characters: 18 }]]);
});

test("a blank before the word that follows stays, and the cursor stands before it", async () => {
  const { view, text, head, press, show } = setUp();
  view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: "old house" }, selection: { anchor: 4 } });
  await show("stone ");
  press("Tab");
  expect([text(), head()]).toEqual(["old stone house", 9]);
});

test.each([["Enter"], ["ArrowRight"]])("%s means what it always means when nobody asked", async (key) => {
  const { source, view, text, field, press } = setUp();
  view.dispatch({ effects: asking(false) });
  await source.say(" rises.");
  await vi.advanceTimersByTimeAsync(200);
  expect([press(key), text(), field()]).toEqual([true, "The tide", null]);
});

test("words are accepted one by one with their white space, and the rest stays", async () => {
  const { source, text, field, press, show, steps } = setUp();
  await show(" rises  and\n  falls ");
  const seen: (string | null)[] = [];
  for (let word = 0; word < 4; word += 1) {
    const ghostNow = field();
    seen.push(ghostNow && restOf(ghostNow));
    press("ArrowRight", { ctrlKey: true });
  }
  expect(seen).toEqual([" rises  and\n  falls ", "  and\n  falls ", "\n  falls ", null]);
  expect([text(), steps()]).toEqual(["The tide rises  and\n  falls", 6]);
  expect(source.outcomes).toEqual([["id1", { outcome: "accepted", index: 0, characters: 19 }]]);
});

test("a line is accepted, and the next one with its break", async () => {
  const { text, field, press, show, source } = setUp();
  await show(" rises.\n  Then it falls.\nEnd");
  press("End", { ctrlKey: true });
  expect(text()).toBe("The tide rises.");
  press("End", { ctrlKey: true });
  const rest = field();
  expect([text(), rest && restOf(rest)]).toEqual(["The tide rises.\n  Then it falls.", "\nEnd"]);
  press("Escape");
  expect(source.outcomes).toEqual([["id1", { outcome: "partly", index: 0, characters: 24 }]]);
});

test("up and down go through the suggestions, round the end", async () => {
  const { text, field, press, show } = setUp();
  await show(" rises.", " falls.", " turns.");
  const after = ["ArrowDown", "ArrowDown", "ArrowDown", "ArrowUp"].map((key) => {
    press(key);
    return field()?.index;
  });
  expect(after).toEqual([1, 2, 0, 2]);
  press("Tab");
  expect(text()).toBe("The tide turns.");
});

test("after a part only suggestions that begin with it are left, late ones too", async () => {
  const { field, press, show, source } = setUp();
  await show(" rises fast.", " falls.", " rises slowly.");
  press("ArrowRight", { ctrlKey: true });
  await source.say(" rises twice.", " sinks.", " rises");
  expect(field()?.items.map(({ text }) => text)).toEqual([" rises fast.", " rises slowly.", " rises twice."]);
});

test.each([["Escape"], ["ArrowLeft"]])("%s dismisses, and does nothing else", async (key) => {
  const { text, field, press, show, head, source } = setUp();
  await show(" rises.");
  expect([press(key), field(), text(), head()]).toEqual([false, null, "The tide", 8]);
  expect([source.signals[0]?.aborted, source.outcomes]).toEqual([true, [["id1", { outcome: "dismissed", index: 0, characters: 0 }]]]);
});

test.each([["a", {}], ["Backspace", {}], ["Home", {}], ["Tab", { shiftKey: true }], ["End", {}], ["z", { ctrlKey: true }], ["ArrowRight", { altKey: true }], ["ArrowRight", { shiftKey: true }]])(
  "any other key (%s %o) dismisses and goes through",
  async (key, held) => {
    const { field, press, show } = setUp();
    await show(" rises.");
    expect([press(key, held), field()]).toEqual([true, null]);
  },
);

test("holding a modifier keeps the suggestion", async () => {
  const { field, press, show } = setUp();
  await show(" rises.");
  for (const key of ["Control", "Shift", "Alt", "Meta", "CapsLock"]) expect([key, press(key), field()?.phase]).toEqual([key, true, "active"]);
});

test("a suggestion goes after three seconds without use; use and hovering keep it", async () => {
  const { field, press, show, view } = setUp();
  await show(" rises.", " falls.");
  await vi.advanceTimersByTimeAsync(2500);
  press("ArrowDown");
  await vi.advanceTimersByTimeAsync(2500);
  expect(field()?.phase).toBe("active");
  const drawn = view.dom.querySelector(".ghost");
  drawn?.dispatchEvent(new MouseEvent("mouseenter"));
  await vi.advanceTimersByTimeAsync(60_000);
  expect(field()?.phase).toBe("active");
  drawn?.dispatchEvent(new MouseEvent("mouseleave"));
  await vi.advanceTimersByTimeAsync(3000);
  expect(field()).toBe(null);
});

test("whoever wants it so keeps a suggestion until it is dismissed", async () => {
  const { field, show, source } = setUp();
  source.now = { ...source.now, suggestHideSeconds: 0 };
  await show(" rises.");
  await vi.advanceTimersByTimeAsync(600_000);
  expect(field()?.phase).toBe("active");
});

test("a screen reader hears it once with its keys, and another one when it is shown", async () => {
  const { view, press, show, source } = setUp();
  const said = () => view.dom.querySelector(".cm-announced")?.textContent;
  await show(" rises.");
  expect(said()).toMatch(/^Suggestion: rises\. Tab accepts it, Control and right arrow a word/);
  await source.say(" falls");
  expect(said()).toMatch(/^Suggestion: rises\./);
  press("ArrowDown");
  expect(said()).toBe("Suggestion 2 of 2: falls.");
});
