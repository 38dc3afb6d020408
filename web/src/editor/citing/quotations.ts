/** Marks claims without a source, and quotations: whether the source has them, once typing pauses. */
import { type Extension, type Range, StateEffect, StateField } from "@codemirror/state";
import { Decoration, type DecorationSet, EditorView, MatchDecorator, ViewPlugin, type ViewUpdate } from "@codemirror/view";
import type { CheckedQuotation, CitingAround } from "./around";
import { LineSearch } from "./line-search";
import { askAgain } from "./printing";

const PAUSE_MS = 1200;
const QUOTED = /[“”«»„"]|^\s{0,3}>/;
const CLAIM = /\[citation\?\]/g;
const claimed = new LineSearch((line) => (line.includes("[citation?]") ? [...line.matchAll(CLAIM)].length : null));
const quoted = new LineSearch((line) => (QUOTED.test(line) ? true : null));
const citing = new LineSearch((line) => (line.includes("@") ? true : null));

const setQuotations = StateEffect.define<readonly CheckedQuotation[]>();

const quotations = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update: (value, transaction) => {
    let set = value.map(transaction.changes);
    for (const effect of transaction.effects) if (effect.is(setQuotations)) set = drawn(effect.value, transaction.newDoc.length);
    return set;
  },
  provide: (field) => EditorView.decorations.from(field),
});

function drawn(found: readonly CheckedQuotation[], length: number): DecorationSet {
  const made: Range<Decoration>[] = found
    .filter(({ start, end, verdict }) => verdict !== "no-text" && start < end && end <= length)
    .map(({ start, end, verdict, title }) => Decoration.mark({ class: `cm-quotation cm-quotation-${verdict}`, attributes: { title } }).range(start, end));
  return Decoration.set(made, true);
}

const claims = new MatchDecorator({
  regexp: CLAIM,
  decoration: Decoration.mark({ class: "cm-claim", attributes: { title: "This claim has no source yet." } }),
});

const claimsDrawn = ViewPlugin.fromClass(
  class {
    decorations: DecorationSet;
    constructor(view: EditorView) {
      this.decorations = claims.createDeco(view);
    }
    update(update: ViewUpdate): void {
      this.decorations = claims.updateDeco(update, this.decorations);
    }
  },
  { decorations: (plugin) => plugin.decorations },
);

export function quoting(path: string, around: CitingAround): Extension {
  class Asker {
    #timer: ReturnType<typeof setTimeout> | undefined;
    #running: AbortController | null = null;

    constructor(readonly view: EditorView) {
      this.#later();
    }

    update(update: ViewUpdate): void {
      const again = update.transactions.some(({ effects }) => effects.some((effect) => effect.is(askAgain)));
      if (update.docChanged || again) this.#later();
    }

    destroy(): void {
      clearTimeout(this.#timer);
      this.#running?.abort();
    }

    #later(): void {
      clearTimeout(this.#timer);
      this.#running?.abort();
      this.#timer = setTimeout(() => { this.#ask(); }, PAUSE_MS);
    }

    #ask(): void {
      const { doc } = this.view.state;
      around.toldClaims(path, claimed.linesOf(doc).reduce((sum, { found }) => sum + found, 0));
      if (!citing.has(doc) || !quoted.has(doc)) return;
      const running = new AbortController();
      this.#running = running;
      around.quotations(path, doc.toString(), running.signal).then(
        (found) => {
          if (!running.signal.aborted) this.view.dispatch({ effects: setQuotations.of(found) });
        },
        (error: unknown) => {
          if (!running.signal.aborted) console.warn("The quotations could not be checked.", error);
        },
      );
    }
  }
  return [quotations, claimsDrawn, ViewPlugin.fromClass(Asker)];
}
