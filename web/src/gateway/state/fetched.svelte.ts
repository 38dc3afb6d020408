/** Something that the gateway answers: as it was read last, and why it could not be read. */
import { type Problem, problemOf } from "../../api/problem";

export class Fetched<T> {
  value = $state.raw<T | null>(null);
  problem = $state.raw<Problem | null>(null);
  #latest = 0;

  /** Reads it; only the newest question's answer counts. */
  async load(read: () => Promise<T>): Promise<void> {
    this.#latest += 1;
    const mine = this.#latest;
    try {
      const value = await read();
      if (mine !== this.#latest) return;
      this.value = value;
      this.problem = null;
    } catch (error) {
      const problem = problemOf(error);
      if (mine === this.#latest) this.problem = problem;
    }
  }
}
