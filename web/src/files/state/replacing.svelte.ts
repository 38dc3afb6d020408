/** Replacing in all files: what would be replaced, which hits are left out, and what was done last, to take it back. */
import { type Problem, problemOf, type Replaced, type ReplacementLine, type ReplacementLook, type ReplacementOptions } from "../../api";
import { forget, isText, recall, remember } from "../../core/browser-storage";
import { LatestRequest } from "../../core/latest-request";

export interface ReplacingSource {
  look(options: ReplacementOptions, signal: AbortSignal): Promise<ReplacementLook>;
  replace(options: ReplacementOptions, look: string, leftOut: readonly number[]): Promise<Replaced>;
  undo(id: string): Promise<Replaced>;
}

export class Replacing {
  isOpen = $state(false);
  words = $state("");
  wholeWord = $state(false);
  found = $state.raw<ReplacementLook | null>(null);
  leftOut = $state.raw<ReadonlySet<number>>(new Set());
  problem = $state.raw<Problem | null>(null);
  isBusy = $state(false);
  /** The replacement that can be taken back. */
  last = $state<string | null>(null);
  readonly groups = $derived(byFile(this.found?.items ?? []));
  readonly #source: ReplacingSource;
  readonly #key: string;
  readonly #latest = new LatestRequest(250);
  #options: ReplacementOptions | null = null;

  constructor(projectId: string, source: ReplacingSource) {
    this.#source = source;
    this.#key = `replaced.${projectId}`;
    this.last = recall(this.#key, isText);
  }

  /** How many hits would be replaced. */
  get wanted(): number {
    return (this.found?.hits ?? 0) - this.leftOut.size;
  }

  get canReplace(): boolean {
    return this.found !== null && !this.found.tooMuch && this.wanted > 0 && !this.isBusy;
  }

  /** Looks again after any part of the question changed. */
  ask(question: { query: string; regex: boolean; caseSensitive: boolean }): void {
    this.problem = null;
    this.found = null;
    this.leftOut = new Set();
    this.#latest.cancel();
    if (!this.isOpen || question.query === "") return;
    const options = { ...question, replacement: this.words, wholeWord: this.wholeWord };
    this.#options = options;
    this.#latest.ask(
      (signal) => this.#source.look(options, signal),
      (found) => { this.found = found; },
      (error) => { this.problem = problemOf(error); },
    );
  }

  /** Leaves hits out, or takes them in again. */
  setLeftOut(numbers: readonly number[], isOut: boolean): void {
    const out = new Set(this.leftOut);
    for (const number of numbers) {
      if (isOut) out.add(number);
      else out.delete(number);
    }
    this.leftOut = out;
  }

  /** Replaces what is not left out; what was done, or null when nothing was. */
  async replace(): Promise<Replaced | null> {
    const { found } = this;
    const options = this.#options;
    if (!found || !options || !this.canReplace) return null;
    const before = this.last;
    // Before it is asked for: a Recto that ends halfway answers nothing, and what it did can be taken back.
    this.#setLast(found.id);
    const done = await this.#act(() => this.#source.replace(options, found.id, [...this.leftOut]));
    if (!done) {
      const { status } = this.problem ?? {};
      if (status !== undefined && status >= 400 && status < 500) this.#setLast(before);
      return null;
    }
    this.found = null;
    this.leftOut = new Set();
    if (done.id === null) this.#setLast(before);
    return done;
  }

  /** Takes the last replacement back. */
  async takeBack(): Promise<Replaced | null> {
    const { last } = this;
    if (last === null) return null;
    const done = await this.#act(() => this.#source.undo(last));
    if (done?.left.length === 0) this.#setLast(null);
    return done;
  }

  #setLast(id: string | null): void {
    this.last = id;
    if (id === null) forget(this.#key);
    else remember(this.#key, id);
  }

  async #act(work: () => Promise<Replaced>): Promise<Replaced | null> {
    this.isBusy = true;
    this.problem = null;
    try {
      return await work();
    } catch (error) {
      this.problem = problemOf(error);
      return null;
    } finally {
      this.isBusy = false;
    }
  }
}

function byFile(lines: readonly ReplacementLine[]): { path: string; lines: ReplacementLine[]; numbers: number[] }[] {
  const groups = Map.groupBy(lines, ({ path }) => path);
  return [...groups].map(([path, own]) => ({ path, lines: own, numbers: own.flatMap(({ hits }) => hits.map(({ number }) => number)) }));
}
