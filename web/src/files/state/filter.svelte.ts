/** Files by name: what the filter above the tree finds. */
import { type FileNames, type Problem, problemOf } from "../../api";
import { Choice } from "../../core/choice.svelte";
import { LatestRequest } from "../../core/latest-request";

export type ReadNames = (query: string, limit: number, signal: AbortSignal) => Promise<FileNames>;

/** The most names the filter asks for. */
export const LIMIT = 200;

export class FileFilter {
  open = $state(false);
  query = $state("");
  found = $state.raw<FileNames | null>(null);
  problem = $state.raw<Problem | null>(null);
  readonly choice = new Choice();
  readonly #read: ReadNames;
  readonly #latest = new LatestRequest(60);

  constructor(read: ReadNames) {
    this.#read = read;
  }

  type(query: string): void {
    this.query = query;
    this.choice.reset();
    this.problem = null;
    if (query.trim() === "") {
      this.#latest.cancel();
      this.found = null;
      return;
    }
    this.#latest.ask(
      (signal) => this.#read(query.trim(), LIMIT, signal),
      (found) => {
        this.found = found;
      },
      (error) => {
        this.problem = problemOf(error);
      },
    );
  }

  /** Does something with what is found of what was typed last, once it is there. */
  whenFound(run: () => void): void {
    this.#latest.whenAnswered(run);
  }

  close(): void {
    this.type("");
    this.open = false;
  }
}
