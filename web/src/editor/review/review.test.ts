import { EditorState, StateEffect } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { expect, test, vi } from "vitest";
import type { Hunk } from "./edits";
import { review } from "./index";
import type { ReviewSource, Standing, Verdict } from "./options";

/** A text whose hunks the test sets. */
class Source implements ReviewSource {
  review: string | null = "r1";
  now: readonly Hunk[] = [];
  readonly #calls = new Set<() => void>();
  hunks = () => this.now;
  follow = (at: number) => () => at;
  onReview(call: () => void): () => void {
    this.#calls.add(call);
    return () => this.#calls.delete(call);
  }
  tell(...hunks: Hunk[]): void {
    this.now = hunks;
    for (const call of [...this.#calls]) call();
  }
}

const hunk = (id: string, from: number, to: number, old: string): Hunk => ({ id, from, to, old, by: [{ editId: "e1", model: "sonnet", at: 1 }] });

function setUp(text: string, hunks: Hunk[], isCode = false) {
  const source = new Source();
  source.now = hunks;
  const asked: [string, readonly string[], Verdict][] = [];
  const answers: ("done" | "changed" | "failed")[] = [];
  const standings: Standing[] = [];
  const decide = (id: string, ids: readonly string[], verdict: Verdict) => {
    asked.push([id, ids, verdict]);
    return Promise.resolve(answers.shift() ?? "done");
  };
  const context = { source, decide, author: () => "Sonnet 4.6, 14:32", isCode, reading: () => null, isSetAsCode: () => false, tablesOf: () => [], cellsOf: () => [] };
  const view = new EditorView({ parent: document.body, state: EditorState.create({ doc: text, extensions: review(context, (one) => { standings.push(one); }) }) });
  const find = (selector: string) => [...view.dom.querySelectorAll<HTMLElement>(selector)];
  const press = (key: string, held: object) => view.contentDOM.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true, ...held }));
  return { source, asked, answers, standings, view, find, press };
}

test("an edit shows what went, marks what came, and says who and when", () => {
  const { find } = setUp("Head\nfitted to 369 days\nEnd", [hunk("h1", 15, 18, "ninety")]);
  expect(find(".hunk-old").map((one) => one.textContent)).toEqual(["Removed: fitted to ninety days"]);
  expect(find("del").map((one) => one.textContent)).toEqual(["ninety"]);
  expect(find(".cm-hunk-new").map((one) => one.textContent)).toEqual(["fitted to 369 days"]);
  expect(find("ins").map((one) => one.textContent)).toEqual(["369"]);
  expect(find("[role=group]").map((one) => [one.getAttribute("aria-label"), one.querySelector(".hunk-by")?.textContent])).toEqual([["Edit 1 of 1 to review", "Sonnet 4.6, 14:32"]]);
});

test("typing inside an edit keeps its parts where they are", () => {
  const { view, find } = setUp("fitted to 369 days", [hunk("h1", 10, 13, "ninety")]);
  const parts = find(".hunk-above, .hunk-foot");
  view.dispatch({ changes: { from: 11, insert: "9" } });
  view.dispatch({ changes: { from: 0, insert: "Well " } });
  expect(find(".hunk-above, .hunk-foot").map((one, at) => one === parts[at])).toEqual([true, true]);
  expect([find("ins")[0]?.textContent, find(".hunk-old")[0]?.textContent]).toEqual(["3969", "Removed: Well fitted to ninety days"]);
});

test("what is typed at the edge of an edit is not part of it", () => {
  const { view, find } = setUp("a new b", [hunk("h1", 2, 5, "old")]);
  view.dispatch({ changes: [{ from: 2, insert: "x" }, { from: 5, insert: "y" }] });
  expect(find("del").map((one) => one.textContent)).toEqual(["old"]);
  expect(find(".hunk-old")[0]?.textContent).toBe("Removed: a xoldy b");
});

test("the edit at the cursor is accepted and rejected by keys; elsewhere they mean what they always mean", async () => {
  const { view, asked, press, find } = setUp("one\ntwo\nthree", [hunk("h1", 4, 7, "zwei")]);
  view.dispatch({ selection: { anchor: 0 } });
  expect(press("Enter", { ctrlKey: true })).toBe(true);
  view.dispatch({ selection: { anchor: 5 } });
  expect(press("Enter", { ctrlKey: true })).toBe(false);
  // The key that deletes a word goes on doing so inside of an edit.
  expect([press("Backspace", { ctrlKey: true }), asked.length]).toEqual([true, 1]);
  press("Enter", { ctrlKey: true, altKey: true });
  await vi.waitFor(() => { expect(find(".cm-announced").map((one) => one.textContent)).toEqual(["Rejected. Nothing is left to review in this text."]); });
  expect(asked).toEqual([["r1", ["h1"], "accept"], ["r1", ["h1"], "reject"]]);
});

test("Alt with an arrow goes from edit to edit, round the end", () => {
  const { view, standings, press } = setUp("one\ntwo\nthree", [hunk("h1", 0, 3, "eins"), hunk("h2", 8, 13, "drei")]);
  view.dispatch({ selection: { anchor: 5 } });
  const heads = ["ArrowDown", "ArrowDown", "ArrowUp"].map((key) => {
    press(key, { altKey: true });
    return view.state.selection.main.head;
  });
  expect(heads).toEqual([8, 0, 8]);
  expect(standings).toEqual([{ count: 2, current: 0 }, { count: 2, current: 2 }, { count: 2, current: 1 }, { count: 2, current: 2 }]);
});

test("without edits Alt with an arrow is left alone", () => {
  const { press } = setUp("one\ntwo", []);
  expect(press("ArrowDown", { altKey: true })).toBe(true);
});

test("the buttons of an edit decide that one, and the focus goes on in the text", async () => {
  const { view, asked, find, source } = setUp("one\ntwo", [hunk("h1", 0, 3, "eins"), hunk("h2", 4, 7, "zwei")]);
  const [, reject] = find(".hunk-foot button:first-child");
  reject?.focus();
  reject?.click();
  await vi.waitFor(() => { expect(view.hasFocus).toBe(true); });
  source.tell(hunk("h1", 0, 3, "eins"));
  expect([asked, find(".hunk-foot").length]).toEqual([[["r1", ["h2"], "reject"]], 1]);
});

test("an edit whose words have just changed is decided as it is then", async () => {
  const { asked, answers, find, source } = setUp("one", [hunk("h1", 0, 3, "eins")]);
  answers.push("changed");
  find(".hunk-accept")[0]?.click();
  await vi.waitFor(() => { expect(asked.length).toBe(1); });
  source.tell(hunk("h9", 0, 3, "eins"));
  await vi.waitFor(() => { expect(asked.map(([, ids]) => ids)).toEqual([["h1"], ["h9"]]); });
});

test("news of a changed edit is waited for, also from a busy computer", async () => {
  vi.useFakeTimers();
  try {
    const { asked, answers, find, source } = setUp("one", [hunk("h1", 0, 3, "eins")]);
    answers.push("changed", "changed", "changed");
    find(".hunk-accept")[0]?.click();
    await vi.advanceTimersByTimeAsync(5000);
    answers.length = 0;
    source.tell(hunk("h9", 0, 3, "eins"));
    await vi.advanceTimersByTimeAsync(0);
    expect(asked.map(([, ids]) => ids)).toEqual([["h1"], ["h9"]]);
  } finally {
    vi.useRealTimers();
  }
});

test("lines that went show with their own foot, in code as in prose", () => {
  const { find } = setUp("a\nb", [hunk("h1", 2, 2, "gone = 1\n")], true);
  expect(find(".hunk-above .hunk-code").map((one) => one.textContent)).toEqual(["Removed: gone = 1"]);
  expect(find(".hunk-above [role=group] button").map((one) => one.textContent)).toEqual(["RejectCtrl Alt ↵", "AcceptCtrl ↵"]);
});

test("when nothing waits any more nothing is left of it", () => {
  const { find, source, standings } = setUp("one", [hunk("h1", 0, 3, "eins")]);
  source.review = null;
  source.tell();
  expect([find(".hunk-old, .hunk-foot, .cm-hunk-new, ins").length, standings.at(-1)]).toEqual([0, { count: 0, current: 0 }]);
});

/** Numbers that look random and are the same each time. */
function* numbers(seed: number): Generator<number, never> {
  for (let state = seed; ; ) {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    yield state / 2_147_483_648;
  }
}

test("whatever waits, and whatever is typed meanwhile, it can be shown", () => {
  const errors: unknown[] = [];
  const pool = ["tide", " ", "\n", "\n\n", "| a | b |\n", "# x\n", "369", ".", "😀"];
  for (let seed = 1; seed <= 20; seed += 1) {
    const random = numbers(seed);
    const upTo = (most: number) => Math.floor(random.next().value * (most + 1));
    const words = (most: number) => Array.from({ length: upTo(most) }, () => pool[upTo(pool.length - 1)] ?? "").join("");
    const { source, view, press } = setUp(words(12), [], seed % 2 === 0);
    view.dispatch({ effects: StateEffect.appendConfig.of(EditorView.exceptionSink.of((error) => void errors.push(error))) });
    for (let round = 0; round < 6; round += 1) {
      const places = Array.from({ length: 2 * upTo(3) }, () => upTo(view.state.doc.length)).sort((a, b) => a - b);
      const hunks = places.flatMap((from, at) => (at % 2 === 0 ? [hunk(`h${String(round)}-${String(at)}`, from, places[at + 1] ?? from, words(4))] : []));
      source.tell(...hunks.filter(({ from, to, old }, at) => (from < to || old !== "") && (hunks[at - 1]?.to ?? -1) < from));
      const from = upTo(view.state.doc.length);
      view.dispatch({ changes: { from, to: Math.min(view.state.doc.length, from + upTo(5)), insert: words(2) } });
      press("ArrowDown", { altKey: true });
    }
    view.destroy();
  }
  expect(errors).toEqual([]);
}, 20_000);

test("typing far away moves edits along without drawing them anew", () => {
  const { view, find } = setUp("one\n\n\n\nfour new\nend", [hunk("h1", 12, 15, "old")]);
  const parts = find(".hunk-old, .hunk-foot");
  view.dispatch({ changes: { from: 0, insert: "zero\n" } });
  expect(find(".hunk-old, .hunk-foot").map((one, at) => one === parts[at])).toEqual([true, true]);
  view.dispatch({ changes: { from: view.state.doc.toString().indexOf("ew"), insert: "N" } });
  expect([find("ins")[0]?.textContent, find(".hunk-old")[0]?.textContent]).toEqual(["nNew", "Removed: four old"]);
});
