// @vitest-environment jsdom
import { history, undo } from "prosemirror-history";
import { EditorState, TextSelection } from "prosemirror-state";
import { EditorView } from "prosemirror-view";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { FROM_SERVER, numbering } from "./numbers";
import { schema } from "./schema";
import { suggestAt, suggesting } from "./suggesting";
import type { Suggestion } from "../ghost/ghost";
import { ghostOf } from "./suggestion";
import type { GhostAround } from "./suggestion-commands";

const SETTINGS = { suggest: "asked" as const, suggestPauseMs: 600, suggestHideSeconds: 3 };

class Desk {
  readonly asked: { prefix: string; suffix: string }[] = [];
  readonly outcomes: unknown[] = [];
  readonly view: EditorView;
  readonly around: GhostAround;
  #answer: Suggestion[] = [];

  constructor(...paragraphs: string[]) {
    const source: GhostAround["source"] = {
      ask: (request, signal) => { this.asked.push(request); return this.#say(signal); },
      settings: () => SETTINGS,
      outcome: (id, what) => { this.outcomes.push([id, what]); },
      failed: (error) => { throw error; },
    };
    this.around = { source, path: "a.docx", firstWord: (text) => /^\s*\S+/.exec(text)?.[0] ?? text, firstLine: (text) => /^\n*[^\n]*/.exec(text)?.[0] ?? text, asksAfter: () => true };
    const doc = schema.node("doc", null, paragraphs.map((text, at) => schema.node("paragraph", { number: at + 1 }, text === "" ? [] : [schema.text(text)])));
    this.view = new EditorView(document.body, { state: EditorState.create({ doc, plugins: [suggesting(this.around), history(), numbering()] }) });
  }

  async *#say(signal: AbortSignal): AsyncGenerator<Suggestion> {
    await Promise.resolve();
    for (const one of this.#answer) if (!signal.aborted) yield one;
  }

  place(at: number): void {
    this.view.dispatch(this.view.state.tr.setSelection(TextSelection.create(this.view.state.doc, at)));
  }

  /** Asks, is answered, and waits until the answer can be seen. */
  async suggest(...texts: string[]): Promise<void> {
    this.#answer = texts.map((text, index) => ({ id: "s1", index, text, confidence: "" }));
    suggestAt(this.view, this.around);
    await vi.advanceTimersByTimeAsync(200);
  }

  press(key: string, held = false): boolean {
    const event = new KeyboardEvent("keydown", { key, ctrlKey: held, bubbles: true, cancelable: true });
    Object.defineProperty(event, "timeStamp", { value: performance.now() });
    this.view.dom.dispatchEvent(event);
    return event.defaultPrevented;
  }

  type(text: string): void {
    const { from, to } = this.view.state.selection;
    const given = () => this.view.state.tr.insertText(text, from, to);
    if (!this.view.someProp("handleTextInput", (handle) => handle(this.view, from, to, text, given))) this.view.dispatch(given());
  }

  get texts(): string[] {
    return this.view.state.doc.children.map((node) => node.textContent);
  }

  get shown(): string | null {
    return this.view.dom.querySelector(".ghost-text")?.textContent ?? null;
  }
}

let desk: Desk;
beforeEach(() => { vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance", "requestAnimationFrame"] }); });
afterEach(() => { desk.view.destroy(); vi.useRealTimers(); });

test("what is suggested shows at the caret, is taken by Tab, and is one step of undo", async () => {
  desk = new Desk("Before.", "The tide ");
  desk.place(19);
  await desk.suggest("rises. ", "falls.");
  expect(desk.asked[0]).toMatchObject({ prefix: "Before.\n\nThe tide ", suffix: "" });
  expect(desk.shown).toBe("rises.");
  expect(desk.view.dom.querySelector(".ghost-badge")?.textContent).toBe("1/2");
  expect(desk.press("ArrowDown")).toBe(true);
  expect(desk.shown).toBe("falls.");
  expect(desk.press("Tab")).toBe(true);
  expect(desk.texts).toEqual(["Before.", "The tide falls."]);
  expect(desk.outcomes).toEqual([["s1", { outcome: "accepted", index: 1, characters: 6 }]]);
  desk.type("x");
  undo(desk.view.state, desk.view.dispatch);
  undo(desk.view.state, desk.view.dispatch);
  expect(desk.texts).toEqual(["Before.", "The tide "]);
});

test("a word and a line are taken, the rest stays; paragraphs come as paragraphs with numbers of their own", async () => {
  desk = new Desk("A");
  desk.place(2);
  await desk.suggest(" new word.\n\nAnother paragraph.\n");
  expect(desk.press("ArrowRight", true)).toBe(true);
  expect([desk.texts, desk.shown]).toEqual([["A new"], " word.\nAnother paragraph."]);
  desk.press("End", true);
  expect(desk.texts).toEqual(["A new word."]);
  desk.press("Enter");
  expect(desk.texts).toEqual(["A new word.", "Another paragraph."]);
  expect(desk.view.state.doc.children.map((node) => node.attrs.number as number)).toEqual([1, -1]);
  expect(desk.outcomes).toEqual([["s1", { outcome: "accepted", index: 0, characters: 30 }]]);
});

test("two plusses ask and go, any other key dismisses and means what it means, a third plus brings them back", async () => {
  desk = new Desk("Word ");
  desk.place(6);
  desk.type("+");
  desk.type("+");
  expect([desk.texts, ghostOf(desk.view.state)?.phase]).toEqual([["Word "], "loading"]);
  desk.type("+");
  expect([desk.texts, ghostOf(desk.view.state)]).toEqual([["Word +++"], null]);
  await vi.advanceTimersByTimeAsync(1000);
  await desk.suggest("more");
  expect(desk.press("q")).toBe(false);
  expect(ghostOf(desk.view.state)).toBeNull();
  expect(desk.outcomes).toEqual([["s1", { outcome: "dismissed", index: 0, characters: 0 }]]);
});

test("what is typed meanwhile narrows the answers, and what the server brings leaves the suggestion where it is", async () => {
  desk = new Desk("The ");
  desk.place(5);
  const asked = desk.suggest("sea", "tide");
  desk.type("t");
  await asked;
  expect([desk.texts, desk.shown]).toEqual([["The t"], "ide"]);
  const { tr } = desk.view.state;
  desk.view.dispatch(tr.addMark(5, 6, schema.mark("inserted", { change: "1" })).setMeta(FROM_SERVER, true));
  expect(desk.shown).toBe("ide");
  await vi.advanceTimersByTimeAsync(SETTINGS.suggestHideSeconds * 1000);
  expect(ghostOf(desk.view.state)).toBeNull();
});

test("nothing is suggested where it is off, in what can only be read, or over a selection", async () => {
  desk = new Desk("abc");
  desk.view.dispatch(desk.view.state.tr.setSelection(TextSelection.create(desk.view.state.doc, 1, 3)));
  await desk.suggest("more");
  desk.view.setProps({ editable: () => false });
  desk.place(2);
  await desk.suggest("more");
  expect(desk.asked).toEqual([]);
});
