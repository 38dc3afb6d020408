/** Looks at the threads of a text once it rests: finds passages that came back, tells the page where each one is. */
import { type EditorView, type PluginValue, ViewPlugin, type ViewUpdate } from "@codemirror/view";
import { missingIn, setThreads, threadContext, threadField, threadsIn } from "./field";
import { spanOf } from "./places";

const REST_MS = 300;

class Rest implements PluginValue {
  readonly #view: EditorView;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isEdited = false;

  constructor(view: EditorView) {
    this.#view = view;
  }

  update({ docChanged, transactions }: ViewUpdate): void {
    const isGiven = transactions.some(({ effects }) => effects.some((effect) => effect.is(setThreads)));
    if (docChanged) this.#isEdited = true;
    if (isGiven || docChanged) this.#soon();
  }

  destroy(): void {
    clearTimeout(this.#timer);
  }

  #soon(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => { this.#look(); }, REST_MS);
  }

  #look(): void {
    const { state } = this.#view;
    const context = state.facet(threadContext);
    const epoch = context?.live.epoch ?? null;
    if (!context || epoch === null) return;
    const { live, around } = context;
    const missing = missingIn(state).map((look) => ({ look, span: spanOf(live, look.place) }));
    if (missing.some(({ span }) => span !== null && span.to > span.from && span.to <= state.doc.length)) {
      this.#view.dispatch({ effects: setThreads.of([...state.field(threadField).looks.values()]) });
      return;
    }
    const lines = new Map<string, number | null>(threadsIn(state).map(({ look, from }) => [look.id, state.doc.lineAt(from).number]));
    for (const { look, span } of missing) if (span) lines.set(look.id, null);
    const isEdited = this.#isEdited;
    this.#isEdited = false;
    around.onSeen(live.path, { lines, epoch, isEdited, holds: (words) => state.doc.toString().includes(words) });
  }
}

export const telling = ViewPlugin.define((view) => new Rest(view));
