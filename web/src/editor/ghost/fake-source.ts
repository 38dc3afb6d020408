/** An editor for tests of suggestions, and somebody who suggests when the test says so. */
import { EditorState } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { ghost } from "./index";
import type { Suggestion } from "../../ghost/ghost";
import type { GhostRequest, GhostSettings, GhostSource, Outcome } from "./options";
import { ghostField } from "./state";

/** Turns of the loop until what was said has been heard. */
const HOPS = 8;

export class FakeSource implements GhostSource {
  readonly asked: GhostRequest[] = [];
  readonly signals: AbortSignal[] = [];
  readonly outcomes: [string, Outcome][] = [];
  now: GhostSettings = { suggest: "asked", suggestPauseMs: 600, suggestHideSeconds: 3 };
  #said = 0;
  #waiting: ((next: IteratorResult<Suggestion>) => void)[] = [];
  settings = () => this.now;
  readonly failures: unknown[] = [];
  failed = (error: unknown) => { this.failures.push(error); };
  outcome = (id: string, what: Outcome) => { this.outcomes.push([id, what]); };

  ask(request: GhostRequest, signal: AbortSignal): AsyncIterable<Suggestion> {
    this.asked.push(request);
    this.#said = 0;
    this.signals.push(signal);
    const next = () => new Promise<IteratorResult<Suggestion>>((done) => { this.#waiting.push(done); });
    return { [Symbol.asyncIterator]: () => ({ next }) };
  }

  /** Answers whoever asked last. */
  async say(...texts: string[]): Promise<void> {
    for (const text of texts) {
      await this.#give({ done: false, value: { id: `id${String(this.asked.length)}`, index: this.#said, text, confidence: "High" } });
      this.#said += 1;
    }
  }

  async end(): Promise<void> {
    await this.#give({ done: true, value: undefined });
  }

  async #give(next: IteratorResult<Suggestion>): Promise<void> {
    this.#waiting.pop()?.(next);
    for (let hop = 0; hop < HOPS; hop += 1) await Promise.resolve();
  }
}

export function staged(doc = "The tide", { at = doc.length, language = null as string | null, isReadOnly = false } = {}) {
  const source = new FakeSource();
  let steps = 0;
  const view = new EditorView({
    parent: document.body,
    state: EditorState.create({ doc, selection: { anchor: at }, extensions: [EditorState.readOnly.of(isReadOnly), ghost({ source, path: "a.md", language, endStep: () => { steps += 1; } })] }),
  });
  const text = () => view.state.doc.toString();
  const field = () => view.state.field(ghostField);
  const type = (letters: string) => {
    for (const letter of letters) {
      const { from, to } = view.state.selection.main;
      const insert = () => view.state.update({ changes: { from, to, insert: letter }, selection: { anchor: from + letter.length }, userEvent: "input.type" });
      if (!view.state.facet(EditorView.inputHandler).some((handle) => handle(view, from, to, letter, insert))) view.dispatch(insert());
    }
  };
  const press = (key: string, held: KeyboardEventInit = {}) => view.contentDOM.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true, ...held }));
  return { source, view, text, field, type, press, steps: () => steps, head: () => view.state.selection.main.head };
}
