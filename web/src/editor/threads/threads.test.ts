import { EditorState } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import * as Y from "yjs";
import { catchUp, liveBinding } from "../live/binding";
import { LiveText } from "../live/live-text";
import { type SeenThreads, TextThreads, type ThreadLook, threadMarks } from ".";
import { placeOf, type Span, spanOf } from "./places";
import { layOut } from "./rows";

beforeEach(() => { vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }); });
afterEach(() => { vi.useRealTimers(); });

/** As long as it takes until a text is at rest. */
const rest = () => { vi.advanceTimersByTime(300); };

const WORDS = "A gauge records the tide.\n\nThe level is a sum of constituents.\n";

function setUp(content = WORDS) {
  const live = new LiveText("methods.md");
  live.epoch = "e1";
  live.text.insert(0, content);
  const heard: string[] = [];
  const seen: SeenThreads[] = [];
  const around = {
    open: (id: string) => { heard.push(id); },
    openAll: () => { heard.push("all"); },
    onSeen: (_path: string, told: SeenThreads) => { seen.push(told); },
  };
  const extensions = [liveBinding(live, () => undefined), threadMarks({ live, around })];
  const view = new EditorView({ parent: document.body, state: EditorState.create({ doc: live.content, extensions }) });
  return { live, view, threads: new TextThreads(view), heard, seen };
}

function look(live: LiveText, id: string, words: string, given: Partial<ThreadLook> = {}): ThreadLook {
  const from = live.content.indexOf(words);
  const place = placeOf(live, { from, to: from + words.length });
  if (!place) throw new Error("The text has no history.");
  return { id, place, status: "idle", isOpen: false, name: `Thread on “${words}”`, ...given };
}

const marked = (view: EditorView) => [...view.contentDOM.querySelectorAll<HTMLElement>(".thread-mark")].map((mark) => [mark.textContent, mark.dataset["status"], "open" in mark.dataset]);
const last = (seen: readonly SeenThreads[]) => {
  const told = seen.at(-1);
  return { lines: [...(told?.lines ?? [])], epoch: told?.epoch, isEdited: told?.isEdited };
};

test("passages are marked by their status", () => {
  const { live, view, threads } = setUp();
  const given = [look(live, "n1", "the tide"), look(live, "n2", "a sum", { status: "error" }), look(live, "n3", "level", { status: "streaming", isOpen: true })];
  expect([threads.show("other.md", given), threads.show("methods.md", given)]).toEqual([false, true]);
  expect(marked(view)).toEqual([["the tide", "idle", false], ["level", "streaming", true], ["a sum", "error", false]]);
});

test("a passage keeps its characters through edits here and elsewhere, and takes none at its edges", () => {
  const { live, view, threads } = setUp();
  threads.show("methods.md", [look(live, "n1", "the tide"), look(live, "n2", "a sum")]);
  view.dispatch({ changes: [{ from: 0, insert: "Note. " }, { from: 16, insert: "XX" }, { from: 24, insert: "YY" }, { from: 20, insert: "high " }] });
  live.text.insert(live.content.indexOf("sum"), "large ");
  expect(marked(view).map(([text]) => text)).toEqual(["the high tide", "a large sum"]);
});

test("a passage that went is told, and found again when an undo brings it back", () => {
  const { live, view, threads, seen } = setUp();
  threads.show("methods.md", [look(live, "n1", "the tide"), look(live, "n2", "a sum")]);
  rest();
  expect(last(seen)).toEqual({ lines: [["n1", 1], ["n2", 3]], epoch: "e1", isEdited: false });
  view.dispatch({ changes: { from: 0, to: 27 } });
  rest();
  expect(last(seen)).toEqual({ lines: [["n2", 1], ["n1", null]], epoch: "e1", isEdited: true });
  expect(["the tide", "a sum"].map((words) => seen.at(-1)?.holds(words))).toEqual([false, true]);
  live.undo.undo();
  rest();
  rest();
  expect(last(seen).lines).toEqual([["n1", 1], ["n2", 3]]);
  expect(marked(view).map(([text]) => text)).toEqual(["the tide", "a sum"]);
});

test("what another history says is not drawn, and not told as gone", () => {
  const { live, view, threads, seen } = setUp();
  const { place, ...others } = look(live, "n1", "the tide");
  threads.show("methods.md", [{ ...others, place: { ...place, epoch: "e0" } }]);
  rest();
  expect(last(seen)).toEqual({ lines: [], epoch: "e1", isEdited: false });
  expect(marked(view)).toEqual([]);
});

test("a thread on words that are still on their way shows once they are here", () => {
  const { live, view, threads } = setUp();
  const other = new Y.Doc();
  Y.applyUpdate(other, Y.encodeStateAsUpdate(live.doc));
  other.getText("text").insert(0, "New words. ");
  const place = placeOf({ path: "methods.md", doc: other, text: other.getText("text"), content: "New words. ", epoch: "e1" }, { from: 0, to: 9 });
  threads.show("methods.md", place ? [{ id: "n1", place, status: "idle", isOpen: false, name: "Thread" }] : []);
  expect(marked(view)).toEqual([]);
  Y.applyUpdate(live.doc, Y.encodeStateAsUpdate(other));
  rest();
  expect(marked(view).map(([text]) => text)).toEqual(["New words"]);
});

test("each thread has a button with a name, the open one is current, a resolved one has none", async () => {
  const { live, view, threads, heard } = setUp();
  threads.show("methods.md", [look(live, "n1", "the tide"), look(live, "n2", "a sum", { status: "error", isOpen: true, name: "Thread on “a sum”, failed" }), look(live, "n3", "level", { name: null })]);
  const dots = () => [...view.dom.querySelectorAll<HTMLElement>(".thread-dot")];
  await vi.waitFor(() => { expect(dots().map((dot) => [dot.ariaLabel ?? dot.getAttribute("aria-label"), dot.dataset["status"], dot.getAttribute("aria-current"), dot.tabIndex])).toEqual([["Thread on “the tide”", "idle", null, 0], ["Thread on “a sum”, failed", "error", "true", -1]]); });
  dots()[1]?.click();
  expect(heard).toEqual(["n2"]);
  threads.show("methods.md", []);
  await vi.waitFor(() => { expect([dots(), view.dom.querySelector(".thread-dots")?.getAttribute("role")]).toEqual([[], "none"]); });
});

test("arrows go from dot to dot, and Esc back to the text", async () => {
  const { live, view, threads } = setUp();
  threads.show("methods.md", [look(live, "n1", "the tide"), look(live, "n2", "a sum")]);
  const named = () => document.activeElement?.getAttribute("aria-label");
  await vi.waitFor(() => { expect(view.dom.querySelectorAll(".thread-dot").length).toBe(2); });
  view.dom.querySelector<HTMLElement>(".thread-dot")?.focus();
  const press = (key: string) => document.activeElement?.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
  press("ArrowDown");
  expect(named()).toBe("Thread on “a sum”");
  press("ArrowDown");
  expect(named()).toBe("Thread on “a sum”");
  press("Home");
  expect(named()).toBe("Thread on “the tide”");
  press("Escape");
  expect(document.activeElement).toBe(view.contentDOM);
});

test("the cursor goes from thread to thread and round again, and knows which one it is in", () => {
  const { live, view, threads } = setUp();
  threads.show("methods.md", [look(live, "n1", "the tide"), look(live, "n2", "The level is a sum"), look(live, "n3", "level")]);
  expect([threads.here(), threads.step(1), threads.here(), threads.step(1), threads.step(1), threads.here(), threads.step(1), threads.step(-1)]).toEqual([null, "n1", "n1", "n2", "n3", "n3", "n1", "n3"]);
  expect([threads.goTo("n2"), view.state.selection.main.head, threads.goTo("gone")]).toEqual([true, 27, false]);
});

test("a selected passage is told without the space around it, and followed until its words are gone", () => {
  const { live, view, threads } = setUp();
  expect(threads.selected()).toBeNull();
  view.dispatch({ selection: { anchor: 25, head: 37 } });
  const passage = threads.selected();
  expect([passage?.path, passage?.text, passage?.line, passage?.where()]).toEqual(["methods.md", "The level", 3, { start: 27, end: 36, text: "The level" }]);
  live.text.insert(0, "New. ");
  expect(passage?.where()).toEqual({ start: 32, end: 41, text: "The level" });
  view.dispatch({ changes: { from: 30, to: 45 } });
  expect(passage?.where()).toBeNull();
});

test("marks of a text that changed out of sight are found where its characters are", () => {
  const { live, view, threads } = setUp();
  const given = [look(live, "n1", "the tide")];
  threads.show("methods.md", given);
  const kept = view.state;
  view.setState(EditorState.create());
  live.text.insert(0, "Here the tide too. ");
  view.setState(kept);
  catchUp(view, live);
  threads.show("methods.md", given);
  const from = live.content.lastIndexOf("the tide");
  expect(given.map(({ place }) => spanOf(live, place))).toEqual([{ from, to: from + 8 } satisfies Span]);
  expect(marked(view).map(([text]) => text)).toEqual(["the tide"]);
});

test.each([
  ["in a wide margin", { text: 600, edge: 700 }, ["n1"], { dots: [{ id: "n1", right: 48, top: 38 }], more: [] }],
  ["at the end of a narrow margin", { text: 600, edge: 632 }, ["n1"], { dots: [{ id: "n1", right: 0, top: 38 }], more: [] }],
  ["side by side", { text: 600, edge: 700 }, ["n1", "n2"], { dots: [{ id: "n1", right: 48, top: 38 }, { id: "n2", right: 24, top: 38 }], more: [] }],
  ["with what has no room counted", { text: 600, edge: 650 }, ["n1", "n2", "n3"], { dots: [{ id: "n1", right: 24, top: 38 }], more: [{ ids: ["n2", "n3"], right: 0, top: 38 }] }],
  ["over the end of long lines of code", { text: 900, edge: 700 }, ["n1", "n2"], { dots: [{ id: "n1", right: 28, top: 38 }, { id: "n2", right: 4, top: 38 }], more: [] }],
])("dots stand %s", (_where, margin, ids, rows) => {
  expect(layOut(ids.map((id) => ({ id, middle: 50 })), margin)).toEqual(rows);
});
