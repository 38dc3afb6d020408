/** What is one step of undo: letters typed or deleted at one place, one after the other. Anything else is a step of its own, however quick. */
import type { ViewUpdate } from "@codemirror/view";

interface Place {
  from: number;
  to: number;
}

export class UndoSteps {
  readonly #endStep: () => void;
  /** Where the last letters went; empty where nothing can go on with them. */
  #last: readonly Place[] = [];

  constructor(endStep: () => void) {
    this.#endStep = endStep;
  }

  /** Before an edit of an editor is written: ends the step before it, unless it goes on with that. */
  before({ changes, transactions }: ViewUpdate, start: number): void {
    const isLetters = transactions.every((one) => !one.docChanged || one.isUserEvent("input.type") || one.isUserEvent("delete"));
    const [before, places]: [Place[], Place[]] = [[], []];
    changes.iterChangedRanges((fromOld, toOld, from, to) => {
      before.push({ from: fromOld + start, to: toOld + start });
      places.push({ from: from + start, to: to + start });
    });
    const goesOn = isLetters && before.some(({ from, to }) => this.#last.some((last) => from <= last.to && to >= last.from));
    if (!goesOn) this.#endStep();
    this.#last = isLetters ? places : [];
  }
}
