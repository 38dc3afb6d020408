/** Asks how the citations of a text will print, once typing pauses, and remembers the answer. */
import { type Extension, StateEffect, StateField } from "@codemirror/state";
import { type EditorView, ViewPlugin, type ViewUpdate } from "@codemirror/view";
import type { CitingAround, PrintedCitations, Run } from "./around";
import { citationsIn, headOf } from "./citations";

const PAUSE_MS = 350;
/** The front matter names works that are listed and not cited. */
const LISTED = /^nocite:/m;

export interface Printed {
  /** By the citation as it is written and how many of the same came before it. */
  readonly citations: ReadonlyMap<string, readonly Run[]>;
  readonly bibliography: readonly (readonly Run[])[];
  readonly unknown: ReadonlySet<string>;
}

const NOTHING: Printed = { citations: new Map(), bibliography: [], unknown: new Set() };

export const setPrinted = StateEffect.define<Printed>();
/** The library may be another: asks again. */
export const askAgain = StateEffect.define();

export const printed = StateField.define<Printed>({
  create: () => NOTHING,
  update: (value, { effects }) => effects.reduce((last, effect) => (effect.is(setPrinted) ? effect.value : last), value),
});

/** Names of citations that tell those apart which are written alike: in numeric styles and after each other they print otherwise. */
export function namesOf(citations: readonly { text: string }[]): string[] {
  const seen = new Map<string, number>();
  return citations.map(({ text }) => {
    const count = seen.get(text) ?? 0;
    seen.set(text, count + 1);
    return `${String(count)} ${text}`;
  });
}

export function printedOf(citations: readonly { text: string }[], answer: PrintedCitations): Printed {
  const names = namesOf(citations);
  return {
    citations: new Map(names.map((name, at) => [name, answer.citations[at] ?? []])),
    bibliography: answer.bibliography,
    unknown: new Set(answer.unknown),
  };
}

export function asking(path: string, around: CitingAround): Extension {
  class Asker {
    #timer: ReturnType<typeof setTimeout> | undefined;
    #running: AbortController | null = null;
    #asked = "";

    constructor(readonly view: EditorView) {
      this.#later(0);
    }

    update(update: ViewUpdate): void {
      const again = update.transactions.some(({ effects }) => effects.some((effect) => effect.is(askAgain)));
      if (again) this.#asked = "";
      if (update.docChanged || again) this.#later(PAUSE_MS);
    }

    destroy(): void {
      clearTimeout(this.#timer);
      this.#running?.abort();
    }

    #later(pause: number): void {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => { this.#ask(); }, pause);
    }

    #ask(): void {
      const { state } = this.view;
      const citations = citationsIn(state);
      const texts = citations.map(({ text }) => text);
      const whole = headOf(state.doc);
      const isListing = citations.length > 0 || LISTED.test(whole);
      const head = isListing ? whole : "";
      const asked = JSON.stringify([head, texts]);
      if (asked === this.#asked) return;
      this.#asked = asked;
      this.#running?.abort();
      if (!isListing) {
        this.view.dispatch({ effects: setPrinted.of(NOTHING) });
        around.told(path, 0, []);
        return;
      }
      const running = new AbortController();
      this.#running = running;
      around.print(path, head, texts, running.signal).then(
        (answer) => {
          if (this.#running !== running || running.signal.aborted) return;
          this.view.dispatch({ effects: setPrinted.of(printedOf(citations, answer)) });
          around.told(path, citations.length, answer.unknown);
        },
        (error: unknown) => {
          if (running.signal.aborted) return;
          // The source stays as it is; the next change asks again.
          this.#asked = "";
          console.warn("The citations could not be rendered.", error);
        },
      );
    }
  }
  return [printed, ViewPlugin.fromClass(Asker)];
}
